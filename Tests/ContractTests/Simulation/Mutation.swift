@testable import Contract

/// A rule broken on purpose: the simulation has to notice each.
enum Mutation: String, CaseIterable {
    case persistIsForgotten
    case refusedReadIsFailure
    case silenceIsFailure
    case silentLoadIsEnd
    case retryAfterIsIgnored
    case completeComesTwice
    case stateComesAfterComplete
    case tokenIsKept
    case readIsSentTwice
    case signalDecides
    case timerIsForgotten
    case successIsForgotten
    case refusedCancelIsCancelled

    func event(_ event: PaymentEvent, _ machine: PaymentMachine) -> PaymentEvent {
        func reading(_ status: PaymentStatus) -> PaymentEvent {
            .readAnswered(StatusReading(transaction: Transaction(id: "txn", reference: "ref", status: status)))
        }
        switch (self, event) {
        case (.refusedReadIsFailure, .readMissed(.refused)), (.silenceIsFailure, .readMissed(.unanswered)):
            return reading(.failed)
        case (.silentLoadIsEnd, .sessionMissed(.unanswered)):
            return .sessionMissed(.refused(APIRefusal(httpStatus: 404, code: .sessionNotFound)))
        case (.retryAfterIsIgnored, .readMissed(.unanswered(var unanswered))):
            unanswered.retryAfter = nil
            return .readMissed(.unanswered(unanswered))
        case (.signalDecides, .signalled(let status)) where machine.reading.inFlight:
            return reading(status)
        case (.refusedCancelIsCancelled, .cancelMissed(.refused)):
            return .cancelAnswered
        default: return event
        }
    }

    func actions(_ actions: [PaymentAction]) -> [PaymentAction] {
        actions.flatMap { action -> [PaymentAction] in
            switch (self, action) {
            case (.persistIsForgotten, .persist), (.tokenIsKept, .eraseToken): []
            case (.completeComesTwice, .emit(.complete)), (.readIsSentTwice, .send(.status)): [action, action]
            case (.stateComesAfterComplete, .emit(.complete)): [action, .emit(.state(.success, .unknown))]
            case (.timerIsForgotten, .send(.status)), (.timerIsForgotten, .send(.session)): []
            case (.successIsForgotten, .emit(.complete(.complete))): []
            default: [action]
            }
        }
    }
}
