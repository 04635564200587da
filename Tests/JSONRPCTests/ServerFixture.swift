import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import Platform
import Synchronization
import Testing

/// What the tests ask of the server.
final class TestHandler: RPCHandler {
    enum Event: Hashable { case started(String), finished(String), closed(UInt64), noted(JSONValue) }

    /// In the order they happened; each awaited with ``next()``.
    private let events: AsyncStream<Event>
    private let told: AsyncStream<Event>.Continuation
    private let gate = Gate()
    private let callCount = Mutex(0)
    private let floodedBytes = Mutex(0)

    /// How many requests came.
    var calls: Int { callCount.withLock { $0 } }
    /// What `flood` queued before it was refused.
    var flooded: Int { floodedBytes.withLock { $0 } }

    init() {
        (events, told) = AsyncStream.makeStream(of: Event.self)
    }

    func handleNow(_ request: RPCRequest, on connection: RPCConnection) -> RPCOutcome? {
        callCount.withLock { $0 += 1 }
        switch request.method {
        case "echo": return .success(RPCResult(.object(request.params)))
        case "note":
            told.yield(.noted(.object(request.params)))
            return .success(RPCResult([:]))
        case "big":
            return .success(RPCResult(.string(String(repeating: "x", count: request.params["count"]?.int ?? 0))))
        case "peer":
            let peer = connection.peer
            return .success(RPCResult(["pid": JSONValue(integerLiteral: Int(peer?.processID ?? 0))]))
        case "subscribe":
            let line = RPCLine.notification("event", params: Array("{}".utf8))
            return .success(RPCResult([:]) { _ = connection.trySend(notification: line) })
        case "flood":
            let line = RPCLine.notification(
                "event", params: JSONValue.string(String(repeating: "x", count: 1_000)).encoded)
            while connection.trySend(notification: line) { floodedBytes.withLock { $0 += line.count } }
            connection.sendFinal(RPCLine.notification("lagged", params: Array("{}".utf8)))
            return .success(RPCResult([:]))
        case "wait": return nil
        default: return .failure(.methodNotFound)
        }
    }

    func handle(_ request: RPCRequest, on connection: RPCConnection) async -> RPCOutcome {
        let name = request.params["name"]?.string ?? ""
        told.yield(.started(name))
        await gate.pass()
        told.yield(.finished(name))
        return .success(RPCResult(["name": .string(name), "cancelled": .bool(Task.isCancelled)]))
    }

    func connectionClosed(_ connection: RPCConnection) {
        told.yield(.closed(connection.id))
    }

    /// Lets everything go on that waits, and whatever comes.
    func open() {
        gate.open()
    }

    func next() async -> Event? {
        await events.first { _ in true }
    }
}

/// Holds tasks back until it is opened; ends with cancellation too.
final class Gate: Sendable {
    private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)

    func pass() async {
        for await _ in stream {}
    }

    func open() {
        continuation.finish()
    }
}

/// A server in a directory of its own.
struct ServerFixture {
    let path: String
    let server: RPCServer
    let handler: TestHandler

    func client() throws -> Wire {
        Wire(channel: try LineChannel(path: path))
    }
}

func withDirectory(_ body: (String) async throws -> Void) async throws {
    let path = try #require(mkdtemp(strdup("/tmp/rpc-XXXXXX")))
    let directory = String(cString: path)
    free(path)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
}

/// Runs a server around `body`, and stops it.
func withServer(
    _ limits: RPCServerLimits = RPCServerLimits(), _ body: (ServerFixture) async throws -> Void
) async throws {
    try await withDirectory { directory in
        let path = directory + "/s"
        let handler = TestHandler()
        let server = try RPCServer(listener: .bind(path: path, group: nil), handler: handler, limits: limits)
        async let running: Void = server.run()
        do {
            try await body(ServerFixture(path: path, server: server, handler: handler))
        } catch {
            server.stop(grace: .zero)
            handler.open()
            try await running
            throw error
        }
        handler.open()
        server.stop(grace: .zero)
        try await running
    }
}

/// Runs what blocks on a thread of its own, off the pool that the server's tasks need.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        do {
            try OwnedThread.start { continuation.resume(with: Result(catching: body)) }
        } catch {
            continuation.resume(throwing: error)
        }
    }
}

/// A client that sees the lines.
struct Wire {
    let channel: LineChannel

    func send(_ bytes: [UInt8]) async throws {
        try await onThread { try channel.send(bytes) }
    }

    func send(_ line: String) async throws {
        try await send(Array((line + "\n").utf8))
    }

    /// The next line; `nil` at the end.
    func line() async throws -> JSONValue? {
        try await onThread { try channel.receive() }.map { try JSONValue(parsing: $0) }
    }

    /// Sends a line and returns the next one that comes.
    func ask(_ line: String) async throws -> JSONValue? {
        try await send(line)
        return try await self.line()
    }

    func ping() async throws {
        #expect(try await ask(request("echo", id: "\"ping\"")) == ["jsonrpc": "2.0", "id": "ping", "result": [:]])
    }
}

func request(_ method: String, id: String, _ params: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
}

/// Whether a line is an error answer with this code, under this id.
func isFailure(_ line: JSONValue?, _ code: Int, id: JSONValue = .null) -> Bool {
    line?["error"]?["code"]?.int == code && line?["id"] == id && line?["jsonrpc"] == "2.0"
}
