package import Contract
internal import Platform
internal import Synchronization

extension PaymentDriver {
    /// What somebody asks of a payment, and what they wait for before they are answered.
    struct Request: Sendable {
        var event: PaymentEvent?
        /// Handed off anew: takes the place of one that was erased.
        var token: Secret?
        /// Whether notes that wait for the next change are written first.
        var writesNotes = false
        /// Checks what the till asks for against the payment as it is, and makes the event of it; its change is durable, or the request is
        /// refused and nothing has changed.
        var prepare: (@Sendable (PaymentMachine, _ now: Instant) -> Result<Prepared, RequestFailure>)?
        /// Why it cannot be done now; asked just before the event is taken in.
        var refusal: @Sendable (PaymentMachine) -> ErrorCode? = { _ in nil }
        /// When it counts as done.
        var isDone: @Sendable (PaymentMachine) -> Bool = { _ in true }
        let answer = Answer()
    }

    /// What the till asked for, checked.
    struct Prepared: Sendable {
        var event: PaymentEvent
        var payload: Payload
    }

    /// A promise that is kept once: by the loop, by the time limit, or by the end of the daemon.
    final class Answer: Sendable {
        private enum State {
            case open
            case waiting(CheckedContinuation<Result<PaymentSnapshot, RequestFailure>?, Never>)
            case kept(Result<PaymentSnapshot, RequestFailure>?)
        }

        private let state = Mutex(State.open)

        /// Answers; nil means: not in time.
        func keep(_ result: Result<PaymentSnapshot, RequestFailure>?) {
            let continuation: CheckedContinuation<Result<PaymentSnapshot, RequestFailure>?, Never>? = state.withLock {
                state in
                switch state {
                case .open:
                    state = .kept(result)
                    return nil
                case .waiting(let continuation):
                    state = .kept(result)
                    return continuation
                case .kept:
                    return nil
                }
            }
            continuation?.resume(returning: result)
        }

        var isKept: Bool {
            state.withLock { state in
                if case .kept = state { true } else { false }
            }
        }

        func value() async -> Result<PaymentSnapshot, RequestFailure>? {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let kept: Result<PaymentSnapshot, RequestFailure>?? = state.withLock { state in
                        if case .kept(let result) = state { return .some(result) }
                        state = .waiting(continuation)
                        return .none
                    }
                    if let kept { continuation.resume(returning: kept) }
                }
            } onCancel: {
                keep(nil)
            }
        }
    }
}

/// Why a request about a payment was not done.
package enum RequestFailure: Error, Hashable, Sendable {
    /// A code of the catalogue: the payment's state does not allow it.
    case refused(ErrorCode)
    /// The contract's own error, with the field that is wrong or the wait that remains.
    case wajub(WajubError)
    /// A parameter that cannot be meant.
    case parameter(String, reason: String)
    /// The till's reference belongs to another token.
    case referenceTaken
    /// A hand-off or a press of Pay could not be made durable; nothing was kept.
    case storageUnavailable
    /// The daemon is stopping.
    case shuttingDown
}
