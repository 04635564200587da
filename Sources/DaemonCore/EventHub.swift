internal import FoundationEssentials
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import Synchronization
internal import WajubWatch

/// Sends the events to whoever subscribed: the stored ones first, then the live ones, without a gap or a repeat.
///
/// A subscription is live once it has caught up with the store. A client that reads too slowly loses its stream, with a last word that
/// says where to resume; the events stay in the store (`protocol.md`, "Transport").
final class EventHub: Sendable {
    private struct Subscription {
        let number: UInt64
        let connection: RPCConnection
        let payment: String?
        /// All events up to here were sent, or are of other payments.
        var passed: Int64
        var isLive = false
    }

    private struct State {
        var lastSeq: Int64
        var nextNumber: UInt64 = 0
        var subscriptions: [UInt64: Subscription] = [:]
    }

    private static let pageSize = 200

    private let store: Store
    private let log: Log
    private let state: Mutex<State>
    private let arrivals: AsyncStream<UInt64>
    private let arrived: AsyncStream<UInt64>.Continuation

    init(store: Store, log: Log) {
        self.store = store
        self.log = log
        state = Mutex(State(lastSeq: store.lastSeq))
        (arrivals, arrived) = AsyncStream.makeStream()
    }

    /// Brings new subscriptions up to date until cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await number in arrivals {
                group.addTask { await self.catchUp(number) }
            }
            group.cancelAll()
        }
    }

    /// Takes what was just committed; called on the store's writer, in order.
    func publish(_ events: [StoredEvent]) {
        state.withLock { state in
            state.lastSeq = events.last?.seq ?? state.lastSeq
            guard state.subscriptions.values.contains(where: \.isLive) else { return }
            let lines = events.map { ($0, Self.line($0)) }
            for (id, subscription) in state.subscriptions where subscription.isLive {
                state.subscriptions[id] = sent(lines, to: subscription)
            }
        }
    }

    /// Starts a connection's stream, in place of one that it has.
    func subscribe(_ connection: RPCConnection, after: Int64, payment: String?) {
        let number: UInt64 = state.withLock { state in
            state.nextNumber += 1
            state.subscriptions[connection.id] = Subscription(
                number: state.nextNumber, connection: connection, payment: payment, passed: min(after, state.lastSeq))
            return state.nextNumber
        }
        arrived.yield(number)
    }

    func unsubscribe(_ connection: RPCConnection) {
        _ = state.withLock { $0.subscriptions.removeValue(forKey: connection.id) }
    }

    /// Sends what the store has, page by page, no faster than the client reads; then the subscription is live.
    private func catchUp(_ number: UInt64) async {
        while let subscription = current(number), !subscription.isLive {
            await subscription.connection.drained()
            let known = state.withLock { $0.lastSeq }
            let page: [StoredEvent]
            do {
                page = try store.events(after: subscription.passed, payment: subscription.payment, limit: Self.pageSize)
            } catch {
                log.error("events could not be read; a subscription was ended", ("reason", "\(error)"))
                return end(subscription)
            }
            let lines = page.map { ($0, Self.line($0)) }
            state.withLock { state in
                let id = subscription.connection.id
                guard state.subscriptions[id]?.number == number else { return }
                var caughtUp = sent(lines, to: subscription)
                if page.count < Self.pageSize, let passed = caughtUp?.passed {
                    // All is sent that was stored before `known` was read; what came since is the next page's.
                    caughtUp?.passed = max(passed, known)
                    caughtUp?.isLive = state.lastSeq == known
                }
                state.subscriptions[id] = caughtUp
            }
        }
    }

    private func current(_ number: UInt64) -> Subscription? {
        state.withLock { state in state.subscriptions.values.first { $0.number == number } }
    }

    /// The subscription after these events; nil when the client could not take them and lost its stream.
    private func sent(_ lines: [(StoredEvent, [UInt8])], to subscription: Subscription) -> Subscription? {
        var subscription = subscription
        for (event, line) in lines where event.seq > subscription.passed {
            let isWanted = subscription.payment.map { $0 == event.payment } ?? true
            if isWanted, !subscription.connection.trySend(notification: line) {
                subscription.connection.sendFinal(Self.lagged(after: subscription.passed))
                return nil
            }
            subscription.passed = event.seq
        }
        return subscription
    }

    private func end(_ subscription: Subscription) {
        subscription.connection.sendFinal(Self.lagged(after: subscription.passed))
        unsubscribe(subscription.connection)
    }

    /// `data` is JSON text already; the rest has nothing to escape.
    static func line(_ event: StoredEvent) -> [UInt8] {
        let at = JSONText.time(event.at)
        let params = """
            {"seq":\(event.seq),"at":"\(at)","payment":"\(event.payment)","event":"\(event.kind)","data":\(event.data)}
            """
        return RPCLine.notification("event", params: Array(params.utf8))
    }

    private static func lagged(after: Int64) -> [UInt8] {
        RPCLine.notification("events.lagged", params: Array("{\"after\":\(after)}".utf8))
    }
}
