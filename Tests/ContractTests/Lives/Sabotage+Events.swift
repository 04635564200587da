import Contract
import ContractSimulation
import Testing

extension Sabotage: CustomTestStringConvertible {
    /// Its name.
    public var testDescription: String { name }
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
