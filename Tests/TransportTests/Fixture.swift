import Glibc
import Testing
import Transport

/// A transport that no proxy of the developer's environment stands in the way of.
func makeTransport(caFile: String? = nil) throws -> Transport {
    enum Environment {
        static let withoutProxy = setenv("no_proxy", "*", 1)
    }
    #expect(Environment.withoutProxy == 0)
    return try Transport(TransportConfiguration(caFile: caFile, userAgent: "test/1"))
}

/// A transport and a server for one test, both gone at its end.
func withServer(
    tls identity: TLSIdentity? = nil, caFile: String? = nil, script: @escaping ScriptServer.Script,
    _ body: (Transport, ScriptServer) async throws -> Void
) async throws {
    let server = ScriptServer(tls: identity, script)
    let transport = try makeTransport(caFile: caFile)
    do {
        try await body(transport, server)
    } catch {
        await transport.shutdown()
        server.stop()
        throw error
    }
    await transport.shutdown()
    server.stop()
}

/// The time limit of a request in a test that is not about time limits: on a machine that is busy with other things, none is met.
let patience = Duration.seconds(600)

extension HTTPRequest {
    static func get(_ url: String, timeout: Duration = patience) -> HTTPRequest {
        HTTPRequest(method: .get, url: url, connectTimeout: patience, timeout: timeout)
    }
}

extension WebSocketRequest {
    static func patient(_ url: String, headers: [(name: String, value: String)] = []) -> WebSocketRequest {
        WebSocketRequest(url: url, headers: headers, connectTimeout: patience)
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }

    var success: Success? {
        if case .success(let success) = self { success } else { nil }
    }
}

/// What a script tells its test, in order.
struct Signals<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init(of type: Value.Type = Value.self) {
        (stream, continuation) = AsyncStream.makeStream(of: type)
    }

    func send(_ value: Value) {
        continuation.yield(value)
    }

    /// The next value; one test waits at a time.
    func next() async -> Value? {
        var iterator = stream.makeAsyncIterator()
        return await iterator.next()
    }
}
