internal import Contract

/// What the judges know beside the machine: their own account of calls, waits, asks, events and money.
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
    /// Whether the till was last told that work is under way.
    var showsProgress = false

    // Money.
    /// The press of Pay that is to be carried out by this process in this presentation; nil: nothing may be posted.
    var press: Press?
    /// How many keys the till's backend has made.
    var keys = 0
    /// When each key was made, in true time.
    var keyMadeAt: [String: Instant] = [:]
    /// The key of the last request that left, and the attempt it was for.
    var lastPost: (key: String, attempt: Int)?
    /// How often that press was posted, and how often again after silence and after "in progress".
    var posts = 0
    var again = (afterSilence: 0, inProgress: 0)
    /// When its last request left, and what became of it when.
    var postedAt = Instant(nanoseconds: 0)
    var missed: (failure: CallFailure, at: Instant)?
    /// Attempts whose keyed request may have arrived, though no answer to it was heard.
    private(set) var unheard: Set<Int> = []
    /// Since when an attempt is being sent though no request is on its way.
    var idleSince: Instant?
    /// Attempts of which a read said that they are processing.
    var sawProcessing: Set<Int> = []
    /// The same, durable: a kill forgets the rest.
    var sawProcessingDurably: Set<Int> = []
    /// When the running attempt was last pressed.
    var pressedAt = Instant(nanoseconds: 0)
    /// Attempts that the machine called certainly not charged.
    var refused: Set<Int> = []
    /// The last attempt when a result said that this payment certainly does not charge.
    var lastUnpaid = 0
    var charges = 0
    /// When this presentation began, in true time.
    var presentedAt = Instant(nanoseconds: 0)
    /// When the last read that answered was asked, in true time.
    var readAskedAt = Instant(nanoseconds: .min)
    /// The client session that the payer last saw.
    var shownSession: String?

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
        case .payAnswered(_, let answer), .stepAnswered(let answer), .completionAnswered(let answer):
            if answer.action == nil, answer.transaction?.status == .succeeded { heardPaid = true }
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

    /// What became of a request that pays.
    mutating func heard(_ event: PaymentEvent, of sent: SentCall) {
        guard sent.call == .process else { return }
        if case .payMissed(_, .unanswered) = event { unheard.insert(sent.attempt) }
        if case .payAnswered = event { unheard.remove(sent.attempt) }
    }

    mutating func processDied() {
        if let lastPost, inFlight[.process, default: 0] > 0 { unheard.insert(lastPost.attempt) }
        (inFlight, notBefore) = ([:], [:])
        (isSessionRefused, heardPaid) = (false, false)
        (press, idleSince) = (nil, nil)
        sawProcessing = sawProcessingDurably
    }

    mutating func pressed(_ press: Press, key: IdempotencyKey, at time: Instant) {
        if keyMadeAt[key.text] == nil { keyMadeAt[key.text] = time }
        self.press = press
        pressedAt = time
        posts = 0
        again = (0, 0)
        missed = nil
    }

    /// Time during which nothing could be done.
    mutating func excuse(until moment: Instant) {
        watchEnds = max(watchEnds, moment)
        idleSince = nil
    }

    /// A reboot made the machine forget how much of the watch had passed, and moved its moments to another clock.
    mutating func rebooted(losing duration: Duration, from old: Instant, to new: Instant) {
        watchEnds = watchEnds + duration
        patience = patience + (new - old)
    }
}
