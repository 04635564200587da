/// What an attempt's missed answer means (design.md, "Paying"; seed 000, "A payment without an answer").
///
/// | what came back                                     | what follows                                            |
/// |----------------------------------------------------|---------------------------------------------------------|
/// | no connection, a timeout, no JSON, 502, 503, 504   | again with the same key and body, twice                 |
/// | 500, any other 5xx                                 | outcome unknown: watched                                |
/// | 409 or 422 that names the key, payment_in_progress | an earlier request arrived: asked again, then watched   |
/// | 402, 403, 422                                      | refused                                                 |
/// | 400, 401, 404, 409, 410                            | the status is read before anything is decided           |
/// | 429, any other 4xx                                 | refused                                                 |
///
/// Once a try of the same key went unanswered, only what Wajub says of *that* request counts: a decline, a block with its own code, or a
/// 422 to the same body. Anything else may come from in front of the key, and leaves the outcome unknown.
package enum AttemptVerdict: Hashable, Sendable {
    case tryAgain
    case unknown
    case inProgress
    case readFirst(WajubError)
    case refused(WajubError)

    /// Waits before the second and third try, and before asking for an answer that is on its way (`wire.md`, "Common", 409).
    package static let retryWaits: [Duration] = [.seconds(1), .seconds(3)]
    package static let conflictWaits: [Duration] = [.seconds(2), .seconds(4), .seconds(8)]
    /// A server that wants to be left alone for longer is not tried again: reads find out.
    package static let longestRetryAfter: Duration = .seconds(60)

    init(_ failure: CallFailure, of attempt: Attempt, in language: Language) {
        switch failure {
        case .unanswered(let unanswered):
            self = Self(unanswered, of: attempt, in: language)
        case .refused(let refusal):
            self = Self(refusal, of: attempt, in: language)
        }
    }

    private init(_ unanswered: Unanswered, of attempt: Attempt, in language: Language) {
        switch unanswered.kind {
        case .network, .timeout, .notJSON, .clockSuspect:
            self = .tryAgain
        case .server:
            self = [502, 503, 504].contains(unanswered.httpStatus) ? .tryAgain : .unknown
        case .rateLimited:
            self = attempt.hasUnansweredTry ? .unknown : .refused(unanswered.error(in: language))
        }
    }

    private init(_ refusal: APIRefusal, of attempt: Attempt, in language: Language) {
        let error = refusal.error(in: language)
        let namesKey = [409, 422].contains(refusal.httpStatus) && refusal.details["idempotency_key"] != nil
        if namesKey || refusal.code == .paymentInProgress {
            self = .inProgress
            return
        }
        switch refusal.httpStatus {
        case 402:
            self = .refused(error)
        case 403:
            // A firewall in front of Wajub blocks as well, and names no reason of Wajub's.
            self = attempt.hasUnansweredTry && refusal.code == .blocked ? .unknown : .refused(error)
        case 422:
            self = attempt.hasOtherBodyUnanswered ? .unknown : .refused(error)
        case 400:
            self = attempt.hasUnansweredTry ? .unknown : .readFirst(Self.notProcessable(error, in: language))
        case 401, 404, 409, 410:
            self = attempt.hasUnansweredTry ? .unknown : .readFirst(error)
        default:
            self = attempt.hasUnansweredTry ? .unknown : .refused(error)
        }
    }

    /// A 400 whose payment is plainly pending (seed 000, "A payment without an answer"), with Wajub's own words.
    private static func notProcessable(_ refusal: WajubError, in language: Language) -> WajubError {
        var error = WajubError(.notProcessable, httpStatus: refusal.httpStatus, in: language)
        error.details = refusal.details
        error.param = refusal.param
        error.correlationID = refusal.correlationID
        error.apiMessage = refusal.apiMessage
        return error
    }
}
