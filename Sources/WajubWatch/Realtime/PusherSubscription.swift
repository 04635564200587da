internal import Contract

/// One channel of a connection: authorised and subscribed on its own, so that one refusal harms no other.
struct PusherSubscription: Equatable {
    enum State: Equatable {
        /// To be authorised: now, or from this moment on.
        case waiting(until: Instant?)
        case authorising(until: Instant)
        /// The one subscribe of this channel is out.
        case subscribing(until: Instant)
        case subscribed
    }

    static let authoriseLimit: Duration = .seconds(20)
    static let subscribeLimit: Duration = .seconds(10)
    /// Authorisations at once, so that a thousand channels do not ask in the same moment.
    static let mostAuthorising = 10

    var state = State.waiting(until: nil)
    var failures = 0

    /// Whether the server may hold it for subscribed.
    var isOnWire: Bool {
        switch state {
        case .subscribing, .subscribed: true
        case .waiting, .authorising: false
        }
    }

    var isAuthorising: Bool { if case .authorising = state { true } else { false } }

    /// Notes a miss, and when to try again: 5, 10, 20 … 60 s; after a refusal 30, 60, 120 … 300 s.
    mutating func fail(isRefused: Bool, at now: Instant) {
        let first: Duration = isRefused ? .seconds(30) : .seconds(5)
        let longest: Duration = isRefused ? .seconds(300) : .seconds(60)
        let wait = min(first * (1 << min(failures, 6)), longest)
        failures += 1
        state = .waiting(until: now + wait)
    }
}

extension PusherMachine {
    func wake(of subscription: PusherSubscription) -> Instant? {
        switch subscription.state {
        case .waiting(let moment):
            // Without a moment it waits for a free place: whoever frees one starts it. Paced, for its turn.
            [moment, isPaced ? nextPacedStart : nil].compactMap(\.self).max()
        case .authorising(let moment), .subscribing(let moment): moment
        case .subscribed: nil
        }
    }

    /// Asks for what can be asked for now: not before its time, not too many at once.
    mutating func startSubscriptions(at now: Instant, _ actions: inout [Action]) {
        guard let socketID else { return }
        var places = PusherSubscription.mostAuthorising - channels.values.count { $0.isAuthorising }
        for channel in channels.keys.sorted() where places > 0 {
            guard case .waiting(let moment) = channels[channel]?.state, moment.map({ $0 <= now }) ?? true else { continue }
            if isPaced {
                if let next = nextPacedStart, next > now { return }
                nextPacedStart = now + .seconds(1)
            }
            channels[channel]?.state = .authorising(until: now + PusherSubscription.authoriseLimit)
            actions.append(.authorise(channel: channel, socketID: socketID))
            places -= 1
        }
    }

    /// No answer ever comes from some servers: each step has its own deadline.
    mutating func expireSubscriptions(at now: Instant, _ actions: inout [Action]) {
        for channel in channels.keys.sorted() {
            switch channels[channel]?.state {
            case .authorising(let moment)? where moment <= now, .subscribing(let moment)? where moment <= now:
                channels[channel]?.fail(isRefused: false, at: now)
            case .authorising, .subscribing, .waiting, .subscribed, nil:
                break
            }
        }
    }

    mutating func authorised(
        _ channel: String, _ answeredSocketID: String, _ answer: Authorisation, at now: Instant, _ actions: inout [Action]
    ) {
        // A late answer for an old socket is thrown away.
        guard answeredSocketID == socketID, channels[channel]?.isAuthorising == true else { return }
        switch answer {
        case .granted(let authorization):
            channels[channel]?.state = .subscribing(until: now + PusherSubscription.subscribeLimit)
            send(.subscribe(channel, authorization), at: now, &actions)
        case .refused:
            channels[channel]?.fail(isRefused: true, at: now)
            actions.append(.note(.channelRefused))
        case .unanswered:
            channels[channel]?.fail(isRefused: false, at: now)
        }
        startSubscriptions(at: now, &actions)
    }

    mutating func subscribed(_ channel: String, _ actions: inout [Action]) {
        guard case .subscribing = channels[channel]?.state else { return }
        channels[channel]?.state = .subscribed
        channels[channel]?.failures = 0
        succeeded()
        actions.append(.tell(channel: channel, .connected))
    }

    /// A refusal that names no channel is the one's that waits for an answer; where several wait, their deadlines decide.
    mutating func subscriptionRefused(_ channel: String?, at now: Instant, _ actions: inout [Action]) {
        let waiting = channels.filter { if case .subscribing = $0.value.state { true } else { false } }.keys
        let named = channel ?? (waiting.count == 1 ? waiting.first : nil)
        guard let named, channels[named]?.isOnWire == true else { return }
        let wasSubscribed = channels[named]?.state == .subscribed
        channels[named]?.fail(isRefused: true, at: now)
        actions.append(.note(.channelRefused))
        if wasSubscribed { actions.append(.tell(channel: named, .connecting)) }
    }
}
