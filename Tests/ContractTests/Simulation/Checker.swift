@testable import Contract

/// The promises, checked after everything that happens.
struct Checker {
    private var result: CheckoutResult?
    private var presentation = 0
    private var hasToldLoad = false
    private var isComplete = true
    private var finalStatus: PaymentStatus?

    /// A restart reads an older machine: what was told stays told.
    mutating func restarted(_ machine: PaymentMachine, at now: Instant) {
        if !machine.status.isFinal { finalStatus = nil }
    }

    /// Events in the contract's order; `complete` once a presentation and last, after it only `status`.
    mutating func heard(_ news: [PaymentNews], of world: World) throws {
        for item in news {
            switch item {
            case .accepted:
                guard isComplete else { throw Violation("accepted before complete") }
                (isComplete, hasToldLoad, result) = (false, false, nil)
                presentation += 1
            case .status:
                guard isComplete else { throw Violation("status before complete") }
            case .ready, .loadError:
                guard !isComplete else { throw Violation("\(item.kind) after complete") }
                hasToldLoad = true
            case .state(let state, _):
                guard !isComplete else { throw Violation("state after complete") }
                // Paid, out of time, cancelled by the till or refused before its methods were known.
                guard hasToldLoad || [.success, .pending, .cancelled].contains(state) else {
                    throw Violation("\(state) before ready or load_error")
                }
            case .success, .error, .cancel:
                guard !isComplete else { throw Violation("\(item.kind) after complete") }
            case .complete(let told):
                guard !isComplete else { throw Violation("complete twice") }
                (isComplete, result) = (true, told)
                try isTrue(told, in: world)
            }
        }
    }

    /// A result is never more certain than what Wajub said.
    private func isTrue(_ result: CheckoutResult, in world: World) throws {
        switch result {
        case .complete:
            guard world.status == .succeeded else { throw Violation("complete, but Wajub says \(world.status)") }
        case .failed:
            let tokenRefusedAtLoad =
                world.machine.status == .unknown && world.wasEverRefusedToken && !world.machine.isLoaded
            guard EndedStatus(world.status) != nil || tokenRefusedAtLoad else {
                throw Violation("failed without a definite cause: Wajub says \(world.status)")
            }
        case .cancelled, .processing:
            break
        }
    }

    func sends(_ call: WajubCall, because reason: String, of world: World) throws {
        guard !world.calls.contains(where: { $0.call == call && call == .status }) else {
            throw Violation("two reads at once")
        }
        if call == .status, reason != "limit", let until = world.retryAfterUntil, world.now < until,
            !world.weather.crashes
        {
            throw Violation("Retry-After was not obeyed")
        }
        if call == .cancel, world.machine.status != .pending { throw Violation("cancel while \(world.machine.status)") }
    }

    mutating func check(_ world: World) throws {
        let machine = world.machine
        if let result, machine.result != nil, machine.presentation == presentation, machine.result != result {
            throw Violation("the result changed")
        }
        if machine.result != nil, !isComplete { throw Violation("a result without complete") }
        if let finalStatus, machine.status != finalStatus {
            throw Violation("a final status changed to \(machine.status)")
        }
        if machine.status.isFinal { finalStatus = machine.status }
        if machine.status == .succeeded, world.status != .succeeded {
            throw Violation("succeeded, but Wajub says \(world.status)")
        }
        if machine.advice.safeToTakeOtherPayment, EndedStatus(world.status) == nil {
            throw Violation("safe to take another payment, but Wajub says \(world.status)")
        }
        if machine.canCancel, machine.refusalToCancel() != nil || machine.status != .pending {
            throw Violation("can_cancel lies")
        }
        if machine.status.isFinal, machine.result != nil, world.hasToken {
            throw Violation("the token outlives the end")
        }
        if machine.isLive, machine.nextWake == nil, world.calls.isEmpty {
            throw Violation("alive, but nothing will ever happen")
        }
        if case .active(let limit) = machine.watch, world.now - limit > .seconds(60) {
            throw Violation("the watch outlives its limit")
        }
    }

    /// A timer at its moment gets something done: it would fire for ever otherwise.
    func progressed(from before: PaymentMachine, to after: PaymentMachine, _ actions: [PaymentAction], at now: Instant)
        throws
    {
        guard let wake = before.nextWake, wake <= now else { return }
        if let next = after.nextWake, next <= now, actions.isEmpty { throw Violation("a timer that fires for ever") }
    }
}
