package import Contract
package import FoundationEssentials
package import Platform

/// A payment as it is stored: the payment machine as an opaque blob, beside the columns that are searched.
///
/// The store knows no payment rules. Dates are kept to the millisecond.
package struct PaymentRecord: Equatable, Sendable {
    /// The daemon's own id, `pay_…`.
    package var id: String
    /// The till's own reference, unique over all payments.
    package var reference: String?
    /// Wajub's id of the payment.
    package var wajubID: String?
    /// Wajub's reference; several payments may carry the same.
    package var wajubReference: String?
    /// SHA-256 of the authorization token, unique. Set once, at the first commit; stays until pruning.
    package var tokenDigest: [UInt8]
    /// The authorization token; `nil` erases it. Set once: a token that is stored is never replaced, only erased.
    package var token: String?
    /// The payment machine as JSON.
    package var machine: Data
    /// Whether its result is settled.
    package var settled: Bool
    /// Whether it has to be driven again after a restart.
    package var live: Bool
    /// The clock's reading when it was saved; means something in the boot ``bootID`` alone.
    package var checkpoint: Instant
    /// The boot in which it was saved. Written by the store.
    package internal(set) var bootID: BootID
    /// The `seq` of its last event, 0 before the first. Written by the store, in the transaction of the event.
    package internal(set) var lastSeq: Int64
    /// When it was handed off. Set once, at the first commit.
    package var createdAt: Date
    /// When it was last changed.
    package var updatedAt: Date
    /// When its result was settled.
    package var settledAt: Date?

    package init(
        id: String, reference: String? = nil, wajubID: String? = nil, wajubReference: String? = nil,
        tokenDigest: [UInt8], token: String?, machine: Data, settled: Bool = false, live: Bool = true,
        checkpoint: Instant, createdAt: Date, updatedAt: Date, settledAt: Date? = nil
    ) {
        self.id = id
        self.reference = reference
        self.wajubID = wajubID
        self.wajubReference = wajubReference
        self.tokenDigest = tokenDigest
        self.token = token
        self.machine = machine
        self.settled = settled
        self.live = live
        self.checkpoint = checkpoint
        self.bootID = BootID("")
        self.lastSeq = 0
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.settledAt = settledAt
    }
}

// The token, its digest and the machine, which may hold the payer's number, stay out of every description and dump.
extension PaymentRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        let token = token == nil ? "erased" : "kept"
        return "payment \(id) (settled: \(settled), live: \(live), token: \(token), last seq: \(lastSeq))"
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror {
        Mirror(self, children: ["id": id, "settled": settled, "live": live, "lastSeq": lastSeq], displayStyle: .struct)
    }
}
