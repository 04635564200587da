package import FoundationEssentials

/// An event that is to be stored; it gets its `seq` there.
package struct NewEvent: Equatable, Sendable {
    /// The event's kind, `accepted` … `status` (protocol.md, Events).
    package var kind: String
    /// The event's `data` as JSON text.
    package var data: String
    /// When it happened, by the wall clock, for people to read.
    package var at: Date

    package init(kind: String, data: String, at: Date) {
        self.kind = kind
        self.data = data
        self.at = at
    }
}

/// An event with its place in the one stream of all payments.
package struct StoredEvent: Equatable, Sendable {
    /// Grows by one over all payments, without a gap, across restarts and pruning.
    package let seq: Int64
    package let at: Date
    /// The daemon's id of the payment.
    package let payment: String
    package let kind: String
    /// JSON text.
    package let data: String
}

/// A line of a payment's timeline (`payment.explain`) that is to be stored.
package struct NewNote: Equatable, Sendable {
    /// When it happened, by the wall clock, for people to read.
    package var at: Date
    /// What happened, in a word or two.
    package var what: String
    /// The evidence, as JSON or plain text; without secrets.
    package var detail: String

    package init(at: Date, what: String, detail: String) {
        self.at = at
        self.what = what
        self.detail = detail
    }
}

/// A stored line of a payment's timeline.
package struct Note: Equatable, Sendable {
    package let at: Date
    package let what: String
    package let detail: String
    /// The `seq` of the payment's last event once the note was stored, the events of the same change included.
    package let seq: Int64
}

/// An attempt to pay, with the key that makes it safe to send more than once (design.md, promise 1).
package struct AttemptRecord: Equatable, Sendable {
    /// Counts a payment's attempts, from 1.
    package var number: Int
    package var method: String
    package var channel: String
    /// `recorded`, `sent`, `unanswered`, `accepted`, `refused` or `succeeded` (protocol.md, The payment object).
    package var phase: String
    /// The key of all its requests. Never changes; a later attempt of the same payment may carry it too.
    package var idempotencyKey: String
    /// SHA-256 of the body the key was last sent with.
    package var bodyDigest: [UInt8]
    /// How often its request was sent.
    package var tries: Int
    package var startedAt: Date
    /// Whether money may still move by it.
    package var undecided: Bool

    package init(
        number: Int, method: String, channel: String, phase: String, idempotencyKey: String, bodyDigest: [UInt8],
        tries: Int, startedAt: Date, undecided: Bool
    ) {
        self.number = number
        self.method = method
        self.channel = channel
        self.phase = phase
        self.idempotencyKey = idempotencyKey
        self.bodyDigest = bodyDigest
        self.tries = tries
        self.startedAt = startedAt
        self.undecided = undecided
    }
}

// Whoever knows the key can collide with the attempt, so it stays out of every description and dump.
extension AttemptRecord: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String {
        "attempt \(number) (\(method) by \(channel), \(phase), tries: \(tries), undecided: \(undecided))"
    }

    package var debugDescription: String { description }

    package var customMirror: Mirror {
        Mirror(self, children: ["number": number, "phase": phase, "undecided": undecided], displayStyle: .struct)
    }
}

/// All that one step of a payment changes: saved whole or not at all.
package struct Change: Equatable, Sendable {
    /// The payment as it is now: inserted, or replaced where its id is known.
    package var record: PaymentRecord
    package var events: [NewEvent]
    package var notes: [NewNote]
    /// The attempts that are new or have changed, told apart by their number.
    package var attempts: [AttemptRecord]

    package init(
        record: PaymentRecord, events: [NewEvent] = [], notes: [NewNote] = [], attempts: [AttemptRecord] = []
    ) {
        self.record = record
        self.events = events
        self.notes = notes
        self.attempts = attempts
    }
}
