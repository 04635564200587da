internal import Contract

/// One channel on the connection: it wants to be subscribed until it is left, and never gives up.
struct SubscriptionMachine: Sendable {
    /// How long an answer to the authorisation may take: longer than the API client's own limit, which normally comes
    /// first.
    static let authorisationLimit: Duration = .seconds(20)
    /// How long the server may take to say that it subscribed us.
    static let subscriptionLimit: Duration = .seconds(10)

    enum State: Hashable, Sendable {
        /// Waits for a connection, or in it for its turn. To `authorising`.
        case waiting
        /// The API is asked. To `subscribing`, `retrying`, and to `waiting` without a connection.
        case authorising(deadline: Instant)
        /// The server is asked. To `subscribed`, `retrying`, `waiting`.
        case subscribing(deadline: Instant)
        /// Healthy. To `retrying`, `waiting`.
        case subscribed
        /// Refused, or not answered. To `waiting` at the moment given; a new connection does not shorten it.
        case retrying(at: Instant)
    }

    private(set) var state = State.waiting
    /// Misses since the last success.
    private var failures = 0
    /// The order of joining.
    let serial: UInt64

    init(serial: UInt64) {
        self.serial = serial
    }

    /// When it has to be woken, on a live connection.
    var nextWake: Instant? {
        switch state {
        case .waiting, .subscribed: nil
        case .authorising(let deadline), .subscribing(let deadline): deadline
        case .retrying(let moment): moment
        }
    }

    var isSubscribed: Bool { state == .subscribed }

    var isAuthorising: Bool {
        switch state {
        case .authorising: true
        case .waiting, .subscribing, .subscribed, .retrying: false
        }
    }

    /// A subscribe is in flight.
    var isSubscribing: Bool {
        switch state {
        case .subscribing: true
        case .waiting, .authorising, .subscribed, .retrying: false
        }
    }

    mutating func authorisationAsked(at now: Instant) {
        state = .authorising(deadline: now + Self.authorisationLimit)
    }

    mutating func subscribeSent(at now: Instant) {
        state = .subscribing(deadline: now + Self.subscriptionLimit)
    }

    mutating func succeeded() {
        state = .subscribed
        failures = 0
    }

    /// - Parameter retryAfter: how long the API asked to be left alone.
    mutating func missed(_ miss: RealtimeBackoff.Miss, retryAfter: Duration?, at now: Instant, jitter: Double) {
        failures += 1
        let wait = RealtimeBackoff.wait(miss, failures: failures, jitter: jitter)
        state = .retrying(at: now + max(wait, retryAfter ?? .zero))
    }

    mutating func retryCame() {
        state = .waiting
    }

    /// The connection ended, and with it all that it knew of this channel but the refusals.
    mutating func socketLost() {
        switch state {
        case .authorising, .subscribing, .subscribed: state = .waiting
        case .waiting, .retrying: break
        }
    }
}
