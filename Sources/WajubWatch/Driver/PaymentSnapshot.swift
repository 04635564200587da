package import Contract
package import FoundationEssentials

/// A payment as it is told to others: the machine and what the store knows beside it. No secret.
package struct PaymentSnapshot: Sendable {
    package var id: String
    /// The till's own reference.
    package var reference: String?
    package var machine: PaymentMachine
    /// The `seq` of its last event.
    package var lastSeq: Int64
    package var createdAt: Date
    package var updatedAt: Date
    package var settledAt: Date?

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
