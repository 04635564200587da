package import Contract
package import Platform
internal import Synchronization
package import Transport

/// One realtime connection for each server and key, shared by all its payments; each channel is authorised with its own token
/// (design.md, "Realtime").
///
/// One loop holds everything; sockets, authorisations and timers are tasks that tell it what happened.
package final class RealtimeHub: Realtime {
    /// What the connection is made from: one socket for each.
    struct Server: Hashable, Sendable {
        let host: String
        let port: Int
        let tls: Bool
        let key: String
    }

    struct Member: Sendable {
        let id: UInt64
        let channel: RealtimeChannel
        let token: Secret
        let onNews: @Sendable (RealtimeNews) -> Void
    }

    enum Input: Sendable {
        case joined(Member)
        case left(UInt64)
        case opened(Server, generation: Int, WebSocketConnection?)
        /// Resumed once it is taken in: a server that floods us is read no faster than we can follow.
        case received(Server, generation: Int, [WebSocketEvent], CheckedContinuation<Void, Never>)
        case authorised(Server, channel: String, socketID: String, PusherMachine.Authorisation)
        case timerFired(Server)
    }

    struct Parts: Sendable {
        let transport: Transport
        let api: APIClient
        let time: any TimeSource
        let randomness: any Randomness
        let log: Log
        let version: String
    }

    private struct Shared {
        var lastID: UInt64 = 0
        var counts = (connected: 0, connecting: 0)
    }

    private let parts: Parts
    private let shared = Mutex(Shared())
    private let inbox: AsyncStream<Input>
    private let outbox: AsyncStream<Input>.Continuation

    package init(
        transport: Transport, api: APIClient, time: any TimeSource, randomness: any Randomness, log: Log, version: String
    ) {
        parts = Parts(
            transport: transport, api: api, time: time, randomness: randomness, log: log, version: version)
        (inbox, outbox) = AsyncStream.makeStream()
    }

    package func join(
        _ channel: RealtimeChannel, token: Secret, onNews: @escaping @Sendable (RealtimeNews) -> Void
    ) -> RealtimeMembership {
        let id = shared.withLock { shared in
            shared.lastID += 1
            return shared.lastID
        }
        outbox.yield(.joined(Member(id: id, channel: channel, token: token, onNews: onNews)))
        return RealtimeMembership(id: id)
    }

    package func leave(_ membership: RealtimeMembership) {
        outbox.yield(.left(membership.id))
    }

    /// How many connections stand, and how many are being tried.
    package var counts: (connected: Int, connecting: Int) { shared.withLock { $0.counts } }

    /// Cancelled, the inbox takes nothing more: whoever waits to be taken in then goes on at once, or the hub would
    /// wait for them.
    private static func post(_ input: Input, to outbox: AsyncStream<Input>.Continuation) {
        if case .terminated = outbox.yield(input), case .received(_, _, _, let taken) = input { taken.resume() }
    }

    /// Holds the connections until cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            var loop = RealtimeLoop(parts: parts) { [outbox] in Self.post($0, to: outbox) }
            for await input in inbox {
                loop.take(in: input, &group)
                let counts = loop.counts
                shared.withLock { $0.counts = counts }
            }
            loop.stop()
            outbox.finish()
            for await case .received(_, _, _, let taken) in inbox { taken.resume() }
            group.cancelAll()
        }
    }
}
