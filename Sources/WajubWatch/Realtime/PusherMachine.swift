internal import Contract

/// The Pusher protocol, version 7, for one connection and the channels that share it (`pusher.md`): a value, events in, actions out.
///
/// | connection state | left by |
/// |---|---|
/// | `idle`           | a channel joins: opens |
/// | `opening`        | opened, or failed: waits |
/// | `establishing`   | `pusher:connection_established`, or its deadline: drops, waits |
/// | `established`    | a close, silence past the pong's deadline: waits; the last channel leaves: closes |
/// | `waiting`        | the moment comes: opens again, without end |
struct PusherMachine: Equatable {
    /// What happened.
    enum Event: Equatable {
        case joined(channel: String)
        case left(channel: String)
        case opened
        case openFailed
        case text(String)
        /// Another frame: the peer is alive.
        case frame
        case closed(code: Int)
        case authorised(channel: String, socketID: String, Authorisation)
        case timerFired
    }

    /// How the authorisation of a channel ended.
    enum Authorisation: Equatable {
        case granted(ChannelAuthorization)
        /// By Wajub: tried again slowly.
        case refused
        /// No answer: tried again as after any network error.
        case unanswered
    }

    /// What is to be done, in order.
    enum Action: Equatable {
        case open
        case send(String)
        /// Ends the socket without a word; its own `closed` is not awaited.
        case drop
        case authorise(channel: String, socketID: String)
        case tell(channel: String, RealtimeNews)
        case note(PusherNote)
    }

    enum Connection: Equatable {
        case idle
        case opening
        case establishing(until: Instant)
        case established(Liveness)
        case waiting(until: Instant)
    }

    /// Proof of life of an established connection.
    struct Liveness: Equatable {
        let socketID: String
        /// The smaller of ours and the server's.
        let activityTimeout: Duration
        var lastInbound: Instant
        /// Soketi closes a client that sends no JSON for two minutes, whatever arrives.
        var lastOutbound: Instant
        /// A ping is out: dead without a frame by then.
        var pongDeadline: Instant?
    }

    static let establishLimit: Duration = .seconds(10)
    static let ownActivityTimeout: Duration = .seconds(120)
    static let mostSilence: Duration = .seconds(60)
    static let pongLimit: Duration = .seconds(30)
    /// A timer that comes this late was slept through.
    static let jump: Duration = .seconds(5)

    private(set) var connection = Connection.idle
    var channels: [String: PusherSubscription] = [:]
    /// Connections in a row that brought no subscription.
    private(set) var failures = 0
    /// The server limits messages: one subscription a second on this connection.
    var isPaced = false
    var nextPacedStart: Instant?

    /// - parameter jitter: a fraction in `0 ..< 1`, drawn anew for each event.
    mutating func handle(_ event: Event, at now: Instant, jitter: Double) -> [Action] {
        var actions: [Action] = []
        switch event {
        case .joined(let channel): join(channel, at: now, &actions)
        case .left(let channel): leave(channel, at: now, &actions)
        case .opened:
            if connection == .opening { connection = .establishing(until: now + Self.establishLimit) }
        case .openFailed: lose(.network, at: now, jitter, &actions)
        case .text(let text): received(text, at: now, jitter, &actions)
        case .frame: heard(at: now)
        case .closed(let code): lose(PusherLoss(code: code), at: now, jitter, &actions)
        case .authorised(let channel, let socketID, let answer):
            authorised(channel, socketID, answer, at: now, &actions)
        case .timerFired: timerFired(at: now, jitter, &actions)
        }
        return actions
    }

    /// When to send `timerFired`; nil: not at all.
    var nextWake: Instant? {
        switch connection {
        case .idle, .opening: return nil
        case .establishing(let moment), .waiting(let moment): return moment
        case .established(let liveness):
            let ping = min(liveness.lastInbound + liveness.activityTimeout, liveness.lastOutbound + Self.mostSilence)
            let moments = [liveness.pongDeadline ?? ping] + channels.values.compactMap { wake(of: $0) }
            return moments.min()
        }
    }

    var isConnected: Bool { if case .established = connection { true } else { false } }
    var socketID: String? { if case .established(let liveness) = connection { liveness.socketID } else { nil } }

    private mutating func join(_ channel: String, at now: Instant, _ actions: inout [Action]) {
        guard channels[channel] == nil else { return }
        channels[channel] = PusherSubscription()
        if connection == .idle {
            connection = .opening
            actions.append(.open)
        }
        startSubscriptions(at: now, &actions)
    }

    private mutating func leave(_ channel: String, at now: Instant, _ actions: inout [Action]) {
        guard let subscription = channels.removeValue(forKey: channel) else { return }
        if channels.isEmpty {
            // Reverb never prunes a socket without subscriptions: ours is closed when no payment needs it.
            if connection != .idle { actions.append(.drop) }
            connection = .idle
            failures = 0
            isPaced = false
        } else if subscription.isOnWire {
            send(.unsubscribe(channel), at: now, &actions)
            startSubscriptions(at: now, &actions)
        }
    }

    /// The connection is gone: every channel is down, and all is tried again, for ever.
    mutating func lose(_ loss: PusherLoss, at now: Instant, _ jitter: Double, _ actions: inout [Action]) {
        switch connection {
        case .idle, .waiting: return
        case .opening, .establishing, .established: break
        }
        let wait = loss.wait(afterFailures: failures, jitter: jitter)
        failures += 1
        isPaced = false
        connection = .waiting(until: now + wait)
        actions.append(.note(.lost(loss, wait)))
        for channel in channels.keys.sorted() { down(channel, &actions) }
    }

    private mutating func down(_ channel: String, _ actions: inout [Action]) {
        let wasSubscribed = channels[channel]?.state == .subscribed
        channels[channel]?.state = .waiting(until: nil)
        if wasSubscribed { actions.append(.tell(channel: channel, .connecting)) }
    }

    private mutating func timerFired(at now: Instant, _ jitter: Double, _ actions: inout [Action]) {
        switch connection {
        case .idle, .opening:
            return
        case .waiting(let moment):
            guard moment <= now else { return }
            connection = .opening
            actions.append(.open)
        case .establishing(let moment):
            guard moment <= now else { return }
            actions.append(.drop)
            lose(.silent, at: now, jitter, &actions)
        case .established(let liveness):
            proveLife(liveness, at: now, jitter, &actions)
            guard isConnected else { return }
            expireSubscriptions(at: now, &actions)
            startSubscriptions(at: now, &actions)
        }
    }

    private mutating func proveLife(_ liveness: Liveness, at now: Instant, _ jitter: Double, _ actions: inout [Action]) {
        if let deadline = liveness.pongDeadline {
            guard deadline <= now else { return }
            if now - deadline < Self.jump {
                actions.append(.drop)
                return lose(.silent, at: now, jitter, &actions)
            }
            // The machine slept through the deadline: the server gets a new chance to answer.
        } else {
            let isSilent = now - liveness.lastInbound >= liveness.activityTimeout
            guard isSilent || now - liveness.lastOutbound >= Self.mostSilence else { return }
        }
        send(.ping, at: now, &actions)
        update { $0.pongDeadline = now + Self.pongLimit }
    }

    /// Any inbound frame counts as life.
    mutating func heard(at now: Instant) {
        update { liveness in
            liveness.lastInbound = now
            liveness.pongDeadline = nil
        }
    }

    mutating func establish(_ liveness: Liveness) {
        connection = .established(liveness)
    }

    /// A subscription stands: the connection is worth something.
    mutating func succeeded() { failures = 0 }

    mutating func send(_ message: PusherMessage, at now: Instant, _ actions: inout [Action]) {
        update { $0.lastOutbound = now }
        actions.append(.send(message.text))
    }

    private mutating func update(_ body: (inout Liveness) -> Void) {
        guard case .established(var liveness) = connection else { return }
        body(&liveness)
        connection = .established(liveness)
    }
}

/// What is worth a line in the log.
enum PusherNote: Equatable {
    case lost(PusherLoss, Duration)
    case channelRefused
}
