package import Contract
package import Platform

/// One connection to a Pusher server with all its channels: a value that turns an event into actions (`pusher.md`).
///
/// No I/O, clock or randomness of its own. The driver answers every `open` with `opened` or `openFailed`, every
/// connection's end (`drop` and `close` included) with one `closed`, and every `authorise` with its result; it sends
/// `timerFired` at ``nextWake``.
package struct PusherMachine: Sendable {
    package enum Event: Sendable {
        case opened
        case openFailed
        case text(String)
        /// Any other frame: the peer is alive.
        case otherFrame
        /// The connection has ended, with its close code or 1006.
        case closed(code: Int)
        case timerFired
        case subscribe(channel: String)
        case unsubscribe(channel: String)
        case authorised(channel: String, socketID: String, Result<ChannelAuthorization, CallFailure>)
    }

    package enum Action: Hashable, Sendable {
        case open
        case send(String)
        /// End the connection, or the attempt to open one, at once.
        case drop
        /// End the connection with a close frame.
        case close
        case authorise(channel: String, socketID: String)
        case tell(channel: String, SubscriptionState)
        /// A `PaymentStatusUpdated` with this status; a hint, which may come twice.
        case deliver(channel: String, status: String)
        case note(Note)
    }

    package enum SubscriptionState: Hashable, Sendable {
        case subscribed, down
    }

    /// What is worth a line in the log.
    package enum Note: Hashable, Sendable {
        case established
        /// The connection ended, or could not be opened; the next attempt comes after the wait.
        case lost(Cause, wait: Duration)
        /// The server reported an error and kept the connection.
        case serverError(code: Int?)
        case subscriptionMissed(Cause)
        case clockJumped
    }

    package enum Cause: Hashable, Sendable {
        case openFailed
        case closed(code: Int)
        case errorInBand(code: Int?)
        case notEstablished
        case noPong
        case protocolViolation
        case authorisationRefused, authorisationUnanswered
        case subscriptionRefused, subscriptionUnanswered
    }

    enum Connection: Sendable {
        /// No channel, no connection; the next is not opened before the moment. To `opening` and `waiting`.
        case idle(notBefore: Instant?)
        /// Backing off. To `opening`, `idle`.
        case waiting(until: Instant)
        /// `open` is being carried out. To `establishing`, `waiting`, `closing`.
        case opening
        /// The WebSocket is open, and the server has not greeted yet. To `live`, `closing`, `waiting`.
        case establishing(deadline: Instant)
        /// Greeted. To `closing`, `waiting`.
        case live(Live)
        /// `drop` or `close` is being carried out. To `opening`, `waiting`, `idle`.
        case closing(RealtimeBackoff.Reopening, Cause?)
    }

    var connection = Connection.idle(notBefore: nil)
    var subscriptions: [String: SubscriptionMachine] = [:]
    /// Channels in `waiting`, in turn; some may have been left since.
    var queue: [String] = []
    /// Failed connections since one was healthy for a while.
    var failures = 0
    private var nextSerial: UInt64 = 0
    /// When the driver is to send `timerFired`; nil: not at all.
    package private(set) var nextWake: Instant?

    package init() {}

    /// No connection, no channel, nothing under way: what is left is the memory of how long to leave the server alone.
    package var isIdle: Bool {
        if case .idle = connection { true } else { false }
    }

    /// Whether the server is still to be left alone, though nobody wants it now.
    package func isResting(at now: Instant) -> Bool {
        if case .idle(let moment?) = connection { moment > now } else { false }
    }

    /// Takes in what happened and returns what is to be done, in order.
    package mutating func handle(_ event: Event, at now: Instant, randomness: any Randomness) -> [Action] {
        var step = MachineStep(now: now, randomness: randomness)
        if let wake = nextWake, now - wake > Live.jumpTolerance { clockJumped(&step) }
        switch event {
        case .opened: opened(&step)
        case .openFailed: openFailed(&step)
        case .text(let text): received(text, &step)
        case .otherFrame: frameArrived(&step)
        case .closed(let code): closed(code, &step)
        case .timerFired: timerFired(&step)
        case .subscribe(let channel): subscribe(channel, &step)
        case .unsubscribe(let channel): unsubscribe(channel, &step)
        case .authorised(let channel, let socketID, let result): authorised(channel, socketID, result, &step)
        }
        startSubscriptions(&step)
        nextWake = wakeMoment
        return step.actions
    }

    private mutating func subscribe(_ channel: String, _ step: inout MachineStep) {
        if let known = subscriptions[channel] {
            if known.isSubscribed { step.add(.tell(channel: channel, .subscribed)) }
            return
        }
        nextSerial += 1
        subscriptions[channel] = SubscriptionMachine(serial: nextSerial)
        queue.append(channel)
        switch connection {
        case .idle(let moment?) where moment > step.now: connection = .waiting(until: moment)
        case .idle: open(&step)
        case .waiting, .opening, .establishing, .live, .closing: break
        }
    }

    private mutating func unsubscribe(_ channel: String, _ step: inout MachineStep) {
        guard let left = subscriptions.removeValue(forKey: channel) else { return }
        queue.removeAll { $0 == channel }
        guard subscriptions.isEmpty else {
            if left.isSubscribed || left.isSubscribing { send(PusherCommand.unsubscribe(from: channel), &step) }
            return
        }
        switch connection {
        case .idle, .closing: break
        case .waiting(let moment): connection = .idle(notBefore: moment)
        case .opening, .establishing:
            step.add(.drop)
            connection = .closing(.atOnce, nil)
        case .live:
            step.add(.close)
            forgetSocket(&step)
            connection = .closing(.atOnce, nil)
        }
    }
}

/// One event being handled.
struct MachineStep {
    let now: Instant
    private let randomness: any Randomness
    private(set) var actions: [PusherMachine.Action] = []

    init(now: Instant, randomness: any Randomness) {
        self.now = now
        self.randomness = randomness
    }

    var jitter: Double { randomness.fraction() }

    mutating func add(_ action: PusherMachine.Action) {
        actions.append(action)
    }
}
