package import Contract
package import FoundationEssentials

/// A payment as it is told to others: the machine and what the store knows beside it. No secret.
///
/// A class, since it is handed on more often than it is made.
package final class PaymentSnapshot: Sendable {
    package let id: String
    /// The till's own reference.
    package let reference: String?
    package let machine: PaymentMachine
    /// The `seq` of its last event.
    package let lastSeq: Int64
    package let createdAt: Date
    package let updatedAt: Date
    package let settledAt: Date?

    package init(
        id: String, reference: String?, machine: PaymentMachine, lastSeq: Int64, createdAt: Date, updatedAt: Date,
        settledAt: Date?
    ) {
        self.id = id
        self.reference = reference
        self.machine = machine
        self.lastSeq = lastSeq
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.settledAt = settledAt
    }
}
