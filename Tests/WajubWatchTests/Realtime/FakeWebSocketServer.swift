import Contract
import Platform
import PlatformTestSupport
import Synchronization
import Transport

@testable import WajubWatch

/// What happened elsewhere, for a test to wait for, in order.
final class Happenings<Element: Sendable>: Sendable {
    private let stream: AsyncStream<Element>
    private let continuation: AsyncStream<Element>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func add(_ element: Element) {
        continuation.yield(element)
    }

    /// The next one. Throws when the test's time is up.
    func next() async throws -> Element {
        var iterator = stream.makeAsyncIterator()
        guard let element = await iterator.next() else { throw CancellationError() }
        return element
    }
}

/// A WebSocket whose other end is the test.
final class FakePeer: WebSocketPeer {
    enum Deed: Hashable, Sendable {
        case sent(String)
        case closed(code: Int)
        case dropped
    }

    /// What our side did with it.
    let deeds = Happenings<Deed>()
    private let inbound: AsyncStream<[WebSocketEvent]>
    private let continuation: AsyncStream<[WebSocketEvent]>.Continuation
    private let onEnd: @Sendable () -> Void
    private let hasEnded = Mutex(false)

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
        (inbound, continuation) = AsyncStream.makeStream()
    }

    func nextEvents() async -> [WebSocketEvent]? {
        var iterator = inbound.makeAsyncIterator()
        return await iterator.next()
    }

    func send(text: String) { deeds.add(.sent(text)) }

    func close(code: Int, reason: String) {
        end(code: code)
        deeds.add(.closed(code: code))
    }

    func drop() {
        if end(code: 1006) { deeds.add(.dropped) }
    }

    /// The server says something.
    func say(_ text: String) { continuation.yield([.text(text)]) }

    /// The connection ends.
    @discardableResult
    func end(code: Int) -> Bool {
        let isFirst = hasEnded.withLock { ended in
            defer { ended = true }
            return !ended
        }
        guard isFirst else { return false }
        onEnd()
        continuation.yield([.closed(code: code, reason: "")])
        continuation.finish()
        return true
    }

    func greet(_ socketID: String) {
        say(#"{"event":"pusher:connection_established","data":{"socket_id":"\#(socketID)","activity_timeout":30}}"#)
    }

    func subscribed(_ channel: String) {
        say(#"{"event":"pusher_internal:subscription_succeeded","channel":"\#(channel)","data":"{}"}"#)
    }

    /// Takes the next deed, which must be a text.
    func nextText() async throws -> String {
        switch try await deeds.next() {
        case .sent(let text): text
        case let deed: throw Unexpected(text: "\(deed)")
        }
    }
}

/// A place to open WebSockets, and an API that authorises channels.
final class FakeWebSocketServer: WebSocketOpening {
    enum Mood {
        case opens
        case fails
        /// Ends when the attempt is cancelled, and not before.
        case hangs
    }

    private struct State {
        var mood = Mood.opens
        var refusedTokens: Set<Secret> = []
        var open: [String: Int] = [:]
        var mostOpen = 0
    }

    private let state = Mutex(State())
    let requests = Happenings<WebSocketRequest>()
    let peers = Happenings<FakePeer>()
    let authorisations = Happenings<String>()

    func become(_ mood: Mood) { state.withLock { $0.mood = mood } }
    func refuse(_ token: Secret) { state.withLock { _ = $0.refusedTokens.insert(token) } }

    /// Sockets that are open now, and the most that ever were for one address.
    var openSockets: Int { state.withLock { $0.open.values.reduce(0, +) } }
    var mostOpenSockets: Int { state.withLock { $0.mostOpen } }

    func open(_ request: WebSocketRequest) async -> Result<any WebSocketPeer, TransportFailure> {
        requests.add(request)
        switch state.withLock({ $0.mood }) {
        case .opens:
            break
        case .fails:
            return .failure(TransportFailure(.refused, mayHaveReachedServer: false))
        case .hangs:
            let (never, continuation) = AsyncStream<Never>.makeStream()
            for await _ in never {}
            continuation.finish()
            return .failure(TransportFailure(.cancelled, mayHaveReachedServer: false))
        }
        let url = request.url
        state.withLock { state in
            state.open[url, default: 0] += 1
            state.mostOpen = max(state.mostOpen, state.open[url] ?? 0)
        }
        let peer = FakePeer { [self] in state.withLock { $0.open[url, default: 0] -= 1 } }
        peers.add(peer)
        return .success(peer)
    }

    @Sendable func authorise(
        token: Secret, socketID: String, channel: String
    ) async -> Result<ChannelAuthorization, CallFailure> {
        authorisations.add("\(token.revealed) \(socketID) \(channel)")
        if state.withLock({ $0.refusedTokens.contains(token) }) {
            return .failure(.refused(APIRefusal(httpStatus: 403, code: .blocked)))
        }
        return .success(ChannelAuthorization(auth: Secret("key:signature-of-\(channel)")))
    }
}

/// A hub in its world.
struct HubFixture: Sendable {
    let hub: RealtimeHub
    let server: FakeWebSocketServer
    let time: ManualTime
    let log: LogLines

    /// Runs a hub while `body` does; afterwards no socket is open and nobody sleeps.
    static func run(_ body: @escaping @Sendable (HubFixture) async throws -> Void) async throws {
        let (server, time, log) = (FakeWebSocketServer(), ManualTime(), LogLines())
        let hub = RealtimeHub(
            opener: server, authoriser: server.authorise, time: time, randomness: FixedRandomness(value: 0.5),
            version: "1.2.3", log: log.log)
        try await withThrowingTaskGroup { group in
            group.addTask { await hub.run() }
            try await body(HubFixture(hub: hub, server: server, time: time, log: log))
            group.cancelAll()
        }
        guard server.openSockets == 0 else { throw Unexpected(text: "a socket leaked") }
        guard time.nextDeadline == nil else { throw Unexpected(text: "a timer leaked") }
        guard server.mostOpenSockets <= 1 else { throw Unexpected(text: "two sockets at once") }
    }

    /// Joins and returns what the payment is told.
    func join(_ name: String, token: String = "tok", key: String = "k") -> (
        Happenings<RealtimeNews>, RealtimeMembership
    ) {
        let news = Happenings<RealtimeNews>()
        let channel = RealtimeChannel(host: "ws.example", port: 443, tls: true, key: key, name: name)
        return (news, hub.join(channel, token: Secret(token)) { news.add($0) })
    }

    /// Joins the first channel of a server and gets it subscribed.
    func subscribed(_ name: String, token: String = "tok") async throws -> (
        Happenings<RealtimeNews>, RealtimeMembership, FakePeer
    ) {
        let (news, membership) = join(name, token: token)
        let peer = try await accept(name, socketID: "1.1")
        guard try await news.next() == .connected else { throw Unexpected(text: "not connected") }
        return (news, membership, peer)
    }

    /// Takes the next socket and subscribes one channel on it.
    func accept(_ name: String, socketID: String) async throws -> FakePeer {
        let peer = try await server.peers.next()
        peer.greet(socketID)
        _ = try await peer.nextText()
        peer.subscribed(name)
        return peer
    }
}

/// A log that keeps its lines.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])
    private let arrivals = Happenings<String>()

    /// Returns once a line that contains the words has been written since the last wait.
    func wait(for words: String) async throws {
        while try await !arrivals.next().contains(words) {}
    }

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var log: Log {
        Log(threshold: .debug) { [self] level, sentence, fields in
            let line = "\(level) \(sentence) \(fields.map { "\($0.0)=\($0.1)" }.joined(separator: " "))"
            lines.withLock { $0.append(line) }
            arrivals.add(line)
        }
    }
}
