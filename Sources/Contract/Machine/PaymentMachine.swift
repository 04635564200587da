/// The rules of the contract for one payment: a value that turns an event into actions.
///
/// No I/O, clock, randomness or lock: the driver carries the actions out and brings the answers back. Where to find a rule:
///
/// | rule                                       | file                               |
/// |--------------------------------------------|------------------------------------|
/// | what is offered, and when loading fails    | `PaymentMachine+Loading.swift`     |
/// | when the next read is                      | `ReadSchedule.swift`               |
/// | the watch, signals, the deadline           | `PaymentMachine+Watching.swift`    |
/// | what a read's answer changes               | `PaymentMachine+Reading.swift`     |
/// | when Pay may be pressed, and its key       | `PaymentMachine+Paying.swift`      |
/// | what a missed answer means, retries        | `AttemptVerdict.swift`             |
/// | what an answer to Pay changes, the 60 s    | `PaymentMachine+Answers.swift`     |
/// | how an attempt lives through all that      | `Attempt+Life.swift`               |
/// | steps, pages, client sessions              | `PaymentMachine+Steps.swift`       |
/// | cancelling and closing                     | `PaymentMachine+Closing.swift`     |
/// | results and events, and their order        | `PaymentMachine+Settling.swift`    |
/// | restart and reboot                         | `PaymentMachine+Recovery.swift`    |
/// | what the cashier is told                   | `Advice.swift`                     |
package struct PaymentMachine: Hashable, Codable, Sendable {
    package internal(set) var options: PaymentOptions
    /// 1 at first; grows by one when the payment is presented again.
    package internal(set) var presentation = 1
    package internal(set) var loading = Loading()
    /// What Wajub said of the payment last; kept when it is presented again.
    package internal(set) var session: Session?
    package internal(set) var configuration: SDKConfiguration?
    /// The latest truth.
    package internal(set) var status = PaymentStatus.unknown
    package internal(set) var state = CheckoutState.initiated
    package internal(set) var method = MethodFamily.unknown
    package internal(set) var screen: Screen?
    /// The refusal that the last read carried; another one is newer.
    package internal(set) var knownRefusal: Refusal?
    /// The last error that the till was told.
    package internal(set) var error: WajubError?
    package internal(set) var lastReadError: WajubError?
    package internal(set) var watch = Watch.off
    package internal(set) var realtime = RealtimeState.off
    package internal(set) var closing: Closing?
    /// The last attempt; kept when the payment is presented again.
    package internal(set) var attempt: Attempt?
    /// Set once a presentation.
    package internal(set) var result: CheckoutResult?
    /// Whether the token was given up: nothing can be asked of Wajub any more.
    package internal(set) var isTokenErased = false
    package internal(set) var reads = 0
    package internal(set) var signals = 0
    /// Whether `ready` or a `load_error` was told in this presentation.
    var told = Told.nothing
    var reading = Reading()
    /// Whether a read has told which refusal the payment carried before: only another one is news. Nil in a machine that was stored
    /// before this was kept.
    var refusalIsKnown: Bool?
    /// The times of the refusals that reads have shown, latest last. Nil in a machine that was stored before this was kept.
    var seenRefusals: [String]?
    /// When the read was asked that last told it: an older one says nothing of what somebody else's attempt met with meanwhile.
    var refusalReadAt: Instant?
    /// The codes of refusals that answers told and no read has shown yet. Nil in a machine that was stored before this was kept.
    var owedRefusals: [ErrorCode]?
    /// Whether the till was last told that work is under way. Nil in a machine that was stored before this was kept.
    var progressShown: Bool?
    /// When the running time is next made durable, while a watch runs.
    var nextCheckpoint: Instant?

    /// A payment that is about to be handed off: send it ``PaymentEvent/handedOff``.
    package init(options: PaymentOptions) {
        self.options = options
    }

    /// Takes in what happened and returns what is to be done, in order.
    package mutating func handle(_ event: PaymentEvent, at now: Instant) -> [PaymentAction] {
        var actions = Actions()
        switch event {
        case .handedOff: present(at: now, &actions)
        case .presentedAgain(let options): presentAgain(with: options, at: now, &actions)
        case .recovered: recover(at: now, &actions)
        case .sessionAnswered(let session): sessionAnswered(session, at: now, &actions)
        case .sessionMissed(let failure): sessionMissed(failure, at: now, &actions)
        case .configurationAnswered(let configuration): configurationAnswered(configuration, at: now, &actions)
        case .configurationMissed(let failure): configurationMissed(failure, at: now, &actions)
        case .readAnswered(let reading): readAnswered(reading, at: now, &actions)
        case .readMissed(let failure): readMissed(failure, at: now, &actions)
        case .payRequested(let press): pay(press, at: now, &actions)
        case .payAnswered(let attempt, let answer): payAnswered(attempt, answer, at: now, &actions)
        case .payMissed(let attempt, let failure): payMissed(attempt, failure, at: now, &actions)
        case .verifyRequested: verify(&actions)
        case .stepAnswered(let answer): stepAnswered(answer, at: now, &actions)
        case .stepMissed(let failure): stepMissed(failure, at: now, &actions)
        case .resendRequested: resend(at: now, &actions)
        case .resendAnswered(let step): resendAnswered(step, at: now, &actions)
        case .resendMissed(let failure): resendMissed(failure, at: now, &actions)
        case .returned: returned(at: now, &actions)
        case .completionAnswered(let answer): completionAnswered(answer, at: now, &actions)
        case .completionMissed(let failure): completionMissed(failure, at: now, &actions)
        case .cancelAnswered: cancelAnswered(at: now, &actions)
        case .cancelMissed(let failure): cancelMissed(failure, at: now, &actions)
        case .signalled(let status): signalled(status, at: now, &actions)
        case .realtimeChanged(let state): realtimeChanged(to: state, at: now, &actions)
        case .refreshRequested: refresh(at: now, &actions)
        case .closeRequested(let reason): close(for: reason, at: now, &actions)
        case .cancelRequested: cancel(at: now, &actions)
        case .timerFired: timerFired(at: now, &actions)
        }
        if result == nil { syncProgress(&actions) }
        if actions.persists { nextCheckpoint = watch.isOff ? nil : now + Self.checkpointInterval }
        return actions.list
    }

    /// The language of everything said about this payment.
    package var language: Language { options.language ?? session?.language ?? .en }

    /// Whether this presentation's session has answered.
    package var isLoaded: Bool { loading.session == .done }

    /// Whether somebody has to drive it: unsettled, or still watched.
    package var isLive: Bool { result == nil || !watch.isOff }

    /// Whether money may be moving right now: Wajub says so, or an attempt of ours has no definite answer.
    var mayBeCharging: Bool { status == .processing || isUndecided }

    /// From the press of Pay to a definite answer; an end that Wajub tells is one.
    var isUndecided: Bool { attempt?.isUndecided == true && !status.isFinal }

    /// What can be offered, as far as session and configuration are known.
    package var offers: [MethodOffer] {
        MethodOffer.offers(of: session?.channels ?? [], configuration: configuration, environment: environment)
    }

    /// The channels that this contract knows and cannot offer here, with the reason of each.
    package var unavailable: [UnavailableMethod] {
        (session?.channels ?? []).compactMap { channel in
            let rule = MethodRule(channel, configuration: configuration, environment: environment)
            guard case .unavailable(let reason) = rule else { return nil }
            return UnavailableMethod(channel: channel.slug, reason: reason)
        }
    }
}

/// Actions in the making.
struct Actions {
    private(set) var list: [PaymentAction] = []

    var persists: Bool { list.contains(.persist) }

    /// Tells the till, durably: every event is persisted with the change that it tells.
    mutating func emit(_ news: PaymentNews) {
        persist()
        list.append(.emit(news))
    }

    mutating func persist() {
        if !persists { list.insert(.persist, at: 0) }
    }

    mutating func note(_ what: String, _ detail: [String: String?] = [:]) {
        list.append(.note(PaymentNote(what, detail)))
    }

    mutating func add(_ action: PaymentAction) {
        list.append(action)
    }
}
