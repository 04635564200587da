import Testing

@testable import Contract

/// A machine broken on purpose: lives that do not notice prove nothing.
struct Sabotage: Sendable, CustomTestStringConvertible {
    typealias Hearing = @Sendable (PaymentEvent, PaymentMachine) -> PaymentEvent
    typealias Breaking =
        @Sendable (
            inout PaymentMachine, PaymentMachine, PaymentEvent, Instant, inout [PaymentAction]
        ) -> Void

    let testDescription: String
    /// The start of the rule that must catch it.
    let caughtBy: String
    /// What the machine is told instead of the event.
    let hears: Hearing
    /// What is changed after it: the machine, given how it was before and the event, and its actions.
    let breaks: Breaking

    init(_ name: String, caughtBy: String, hears: @escaping Hearing) {
        self.init(name, caughtBy, hears) { _, _, _, _, _ in }
    }

    init(_ name: String, caughtBy: String, breaks: @escaping Breaking) {
        self.init(name, caughtBy, { event, _ in event }, breaks)
    }

    private init(_ name: String, _ caughtBy: String, _ hears: @escaping Hearing, _ breaks: @escaping Breaking) {
        testDescription = name
        self.caughtBy = caughtBy
        self.hears = hears
        self.breaks = breaks
    }
}

extension PaymentEvent {
    /// A read's answer that nobody gave.
    static func forged(_ status: PaymentStatus) -> PaymentEvent {
        .readAnswered(StatusReading(transaction: Sheet.transaction(status)))
    }

    /// What a read's or a session's answer says.
    var told: PaymentStatus? {
        switch self {
        case .readAnswered(let reading): reading.transaction.status
        case .sessionAnswered(let session): session.transaction.status
        default: nil
        }
    }

    var withoutRetryAfter: PaymentEvent {
        func stripped(_ failure: CallFailure) -> CallFailure {
            switch failure {
            case .refused(var refusal):
                refusal.retryAfter = nil
                return .refused(refusal)
            case .unanswered(var unanswered):
                unanswered.retryAfter = nil
                return .unanswered(unanswered)
            }
        }
        return switch self {
        case .sessionMissed(let failure): .sessionMissed(stripped(failure))
        case .readMissed(let failure): .readMissed(stripped(failure))
        default: self
        }
    }
}
