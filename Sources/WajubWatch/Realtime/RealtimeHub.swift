package import Contract
package import Platform
internal import Synchronization

/// What a payment is told of its channel.
package enum RealtimeNews: Hashable, Sendable {
    /// Subscribed. What happened before was not sent: read once.
    case connected
    /// Not subscribed any more; on the way to be.
    case connecting
    /// A realtime status, in the wire's own word: a hint to read.
    case signal(String)
}

/// A payment's place in the hub.
package struct RealtimeMembership: Hashable, Sendable {
    /// Tells it from every other.
    package let id: UInt64

    package init(id: UInt64) {
        self.id = id
    }
}

/// Realtime for all payments: one connection per (host, port, TLS, key), shared by their channels (design.md,
/// "Realtime").
///
/// A server without payments has no connection, task or timer.
package final class RealtimeHub: Sendable {
    /// Asks for the leave to subscribe to a channel over the connection `socketID`.
    package typealias Authoriser =
        @Sendable (_ token: Secret, _ socketID: String, _ channel: String) async -> Result<
            ChannelAuthorization, CallFailure
        >

    /// What is the same for every connection.
    struct Environment: Sendable {
        let opener: any WebSocketOpening
        let authoriser: Authoriser
        let time: any TimeSource
        let randomness: any Randomness
        let version: String
        let log: Log
    }

    private struct Member {
        let place: Place
        let token: Secret
        let onEvent: @Sendable (RealtimeNews) -> Void
        var isConnected = false
    }

    private struct Place: Hashable {
        let server: RealtimeServer
        let channel: String
    }

    private struct State {
        var nextID: UInt64 = 0
        var members: [UInt64: Member] = [:]
        /// The members of a channel, in the order of joining.
        var places: [Place: [UInt64]] = [:]
        var connections: [RealtimeServer: PusherConnection] = [:]
        /// Servers that nobody wants now and that are still to be left alone.
        var resting: [RealtimeServer: PusherMachine] = [:]
        var connected = 0
    }

    private let environment: Environment
    private let state = Mutex(State())
    /// Connections to run; at most one for each server is alive.
    private let starts: AsyncStream<PusherConnection>
    private let starter: AsyncStream<PusherConnection>.Continuation

    /// - Parameter version: the daemon's, for the connection's address.
    package init(
        opener: any WebSocketOpening, authoriser: @escaping Authoriser, time: any TimeSource,
        randomness: any Randomness,
        version: String, log: Log
    ) {
        environment = Environment(
            opener: opener, authoriser: authoriser, time: time, randomness: randomness, version: version, log: log)
        (starts, starter) = AsyncStream.makeStream()
    }

    /// Runs the connections, until the task is cancelled. Once.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await connection in starts {
                group.addTask { await connection.run(for: self) }
            }
            group.cancelAll()
        }
    }

    /// Subscribes a payment to its channel, now and after every loss, until it leaves. It starts out as `connecting`.
    ///
    /// `onEvent` is called in order, on no particular thread; it must not block. A channel whose name no server would
    /// take (``Contract/RealtimeChannel/isLegal``) stays unconnected.
    package func join(
        _ channel: RealtimeChannel, token: Secret, onEvent: @escaping @Sendable (RealtimeNews) -> Void
    ) -> RealtimeMembership {
        let place = Place(server: RealtimeServer(channel), channel: channel.name)
        return state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            state.members[id] = Member(place: place, token: token, onEvent: onEvent)
            guard channel.isLegal else { return RealtimeMembership(id: id) }
            state.places[place, default: []].append(id)
            // Under the lock, so that a connection sees joins and leaves in the order in which they happened.
            connection(to: place.server, &state).post(.subscribe(channel: place.channel))
            return RealtimeMembership(id: id)
        }
    }

    /// Ends a membership; one piece of news that is on its way may still arrive.
    package func leave(_ membership: RealtimeMembership) {
        state.withLock { state in
            guard let member = state.members.removeValue(forKey: membership.id) else { return }
            if member.isConnected { state.connected -= 1 }
            guard var others = state.places[member.place] else { return }
            others.removeAll { $0 == membership.id }
            state.places[member.place] = others.isEmpty ? nil : others
            if others.isEmpty {
                state.connections[member.place.server]?.post(.unsubscribe(channel: member.place.channel))
            }
        }
    }

    /// How many payments are subscribed, and how many are on the way to be.
    package var counts: (connected: Int, connecting: Int) {
        state.withLock { ($0.connected, $0.members.count - $0.connected) }
    }

    private func connection(to server: RealtimeServer, _ state: inout State) -> PusherConnection {
        if let connection = state.connections[server] { return connection }
        let connection = PusherConnection(
            to: server, resuming: state.resting.removeValue(forKey: server) ?? PusherMachine(), in: environment)
        state.connections[server] = connection
        starter.yield(connection)
        return connection
    }

    // MARK: The connection's side

    /// A token that may be asked with for this channel: each attempt takes the next member's, since one may have been
    /// refused.
    func nextToken(for channel: String, on server: RealtimeServer) -> Secret? {
        let place = Place(server: server, channel: channel)
        return state.withLock { state in
            guard let ids = state.places[place], let first = ids.first else { return nil }
            state.places[place] = Array(ids.dropFirst()) + [first]
            return state.members[first]?.token
        }
    }

    /// Tells a channel's members what changes something for them.
    func tell(_ news: RealtimeNews, channel: String, on server: RealtimeServer) {
        let place = Place(server: server, channel: channel)
        let listeners = state.withLock { state in
            (state.places[place] ?? []).compactMap { id -> (@Sendable (RealtimeNews) -> Void)? in
                guard let member = state.members[id] else { return nil }
                switch news {
                case .connected, .connecting:
                    let isConnected = news == .connected
                    guard isConnected != member.isConnected else { return nil }
                    state.members[id]?.isConnected = isConnected
                    state.connected += isConnected ? 1 : -1
                case .signal:
                    break
                }
                return member.onEvent
            }
        }
        // Outside the lock: a listener may join or leave.
        for listener in listeners { listener(news) }
    }

    /// Takes an idle connection out of service, unless somebody has joined meanwhile. Returns whether it is to end.
    func retire(_ machine: PusherMachine, of server: RealtimeServer) -> Bool {
        state.withLock { state in
            guard !state.places.keys.contains(where: { $0.server == server }) else { return false }
            state.connections[server] = nil
            state.resting = state.resting.filter { $0.value.isResting(at: environment.time.now) }
            if machine.isResting(at: environment.time.now) { state.resting[server] = machine }
            return true
        }
    }
}
