import Contract

/// What the judges know beside the machine: the model's own account of calls, waits, asks and events.
struct Book {
    /// Calls that the running process has sent and not heard of.
    var inFlight: [WajubCall: Int] = [:]
    /// Until when the server asked to be left alone, on the running boot's clock; a kill may forget it.
    private(set) var notBefore: [WajubCall: Instant] = [:]
    /// The same, where it was remembered.
    private(set) var patience = Instant(nanoseconds: 0)
    /// Whether a session read was refused for the token's sake.
    private(set) var isSessionRefused = false
    /// Whether an answer said paid, and the process that heard it lives.
    private(set) var heardPaid = false
    /// What the till asked for in this presentation.
    var asked: Set<CancelReason> = []
    /// When the watch must have ended, in true time.
    var watchEnds = Instant(nanoseconds: 0)
    var phase = Phase.before
    var results: [Int: CheckoutResult] = [:]

    /// Where a presentation is in the contract's order of events.
    enum Phase {
        case before, accepted, opened, completed
    }

    mutating func heard(_ event: PaymentEvent, call: WajubCall, at now: Instant) {
        switch event {
        case .sessionMissed(let failure), .configurationMissed(let failure), .readMissed(let failure),
            .cancelMissed(let failure):
            if let wait = failure.retryAfter { leaveAlone(until: now + wait, for: call) }
            if case .refused(let refusal) = failure, call == .session, refusal.refusesToken { isSessionRefused = true }
        case .sessionAnswered(let session):
            if session.transaction.status == .succeeded { heardPaid = true }
        case .readAnswered(let reading):
            if reading.transaction.status == .succeeded { heardPaid = true }
            (notBefore[.session], notBefore[.status]) = (nil, nil)
        default: break
        }
    }

    /// A Retry-After of what reads, or of a cancel, holds for all that reads.
    private mutating func leaveAlone(until moment: Instant, for call: WajubCall) {
        let quiet: [WajubCall] = call == .configuration ? [.configuration] : [.session, .status]
        for call in quiet { notBefore[call] = moment }
        patience = max(patience, moment)
    }

    mutating func asked(_ event: PaymentEvent) {
        switch event {
        case .closeRequested(let reason): asked.insert(reason.cancelReason)
        case .cancelRequested: asked.insert(.payerCancelled)
        default: break
        }
    }

    mutating func processDied() {
        (inFlight, notBefore) = ([:], [:])
        (isSessionRefused, heardPaid) = (false, false)
    }

    /// Time during which nothing could be done.
    mutating func excuse(until moment: Instant) {
        watchEnds = max(watchEnds, moment)
    }

    /// A reboot made the machine forget how much of the watch had passed, and moved its moments to another clock.
    mutating func rebooted(losing duration: Duration, from old: Instant, to new: Instant) {
        watchEnds = watchEnds + duration
        patience = patience + (new - old)
    }
}
