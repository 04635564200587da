import Glibc
import Synchronization
import Testing
import Transport
import WebSocketCodec

@Suite("HTTP failures", .timeLimit(.minutes(10)))
struct HTTPFailureTests {
    /// Sends a request without a server of its own.
    private func failure(_ request: HTTPRequest) async throws -> TransportFailure? {
        let transport = try makeTransport()
        let result = await transport.send(request)
        await transport.shutdown()
        return result.failure
    }

    @Test("Nobody listening is refused, and certainly reached nobody")
    func refused() async throws {
        let (descriptor, port) = ScriptServer.listen(backlog: 1)
        close(descriptor)
        let failure = try await failure(.get("http://127.0.0.1:\(port)"))
        #expect(failure == TransportFailure(.refused, mayHaveReachedServer: false))
    }

    @Test("A name that does not resolve is told apart, and certainly reached nobody")
    func unresolvable() async throws {
        // An empty label is no name: the resolver refuses it without asking a server, which may be slow or absent here.
        let failure = try await failure(.get("http://name..invalid/"))
        #expect(failure == TransportFailure(.nameResolution, mayHaveReachedServer: false))
    }

    @Test("A connection that does not come about in time is a connect timeout, and certainly reached nobody")
    func connectTimeout() async throws {
        // A full backlog: the kernel answers no further SYN. Two connections fill a backlog of 0.
        let (listener, port) = ScriptServer.listen(backlog: 0)
        let fillers = (0..<3).map { _ in NonblockingClient(port: port) }
        var request = HTTPRequest.get("http://127.0.0.1:\(port)")
        request.connectTimeout = .seconds(1)
        let failure = try await failure(request)
        #expect(failure == TransportFailure(.timeout(.connect), mayHaveReachedServer: false))
        fillers.forEach { $0.close() }
        close(listener)
    }

    @Test("An answer that does not come in time may have reached the server")
    func answerTimeout() async throws {
        try await withServer { peer in
            try peer.readRequest()
            peer.stall()
        } _: { transport, server in
            let failure = await transport.send(.get(server.url, timeout: .seconds(2))).failure
            #expect(failure == TransportFailure(.timeout(.answer), mayHaveReachedServer: true))
        }
    }

    @Test("A body that stalls is ended by the total time limit")
    func slowBody() async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            peer.stall()
        } _: { transport, server in
            let failure = await transport.send(.get(server.url, timeout: .seconds(2))).failure
            #expect(failure == TransportFailure(.timeout(.answer), mayHaveReachedServer: true))
        }
    }

    static let cuts: [(String, Bool, TransportFailure.Kind)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", false, .cutBody),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nabc", false, .cutBody),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n", false, .cutBody),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", true, .cutBody),
        ("", false, .emptyReply),
        ("", true, .emptyReply),
    ]

    @Test("An answer that is cut is no answer, however it is cut", arguments: cuts)
    func cut(_ answer: String, _ reset: Bool, _ kind: TransportFailure.Kind) async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.write(answer)
            if reset { peer.reset() }
        } _: { transport, server in
            let failure = await transport.send(.get(server.url)).failure
            // A reset may overtake the bytes before it.
            let kinds = reset ? [kind, .emptyReply] : [kind]
            #expect(failure.map { kinds.contains($0.kind) && $0.mayHaveReachedServer } == true)
        }
    }

    @Test("A reply that is no HTTP is a failure that may have reached the server")
    func notHTTP() async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.write("SSH-2.0-x\r\n")
        } _: { transport, server in
            let failure = await transport.send(.get(server.url)).failure
            guard case .other = failure?.kind else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(failure?.mayHaveReachedServer == true)
        }
    }

    @Test("A body over the bound is too large, announced or not, and one at the bound is taken")
    func tooLarge() async throws {
        try await withServer { peer in
            while true {
                let target = try peer.readRequest().head.request?.target
                let body = String(repeating: "x", count: target == "/fits" ? 1000 : 1001)
                if target == "/chunked" {
                    try peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n\(body)\r\n0\r\n\r\n")
                } else {
                    try peer.answer("200 OK", body)
                }
            }
        } _: { transport, server in
            for (path, kind) in [("/fits", nil), ("/length", .tooLarge), ("/chunked", .tooLarge)]
                as [(String, TransportFailure.Kind?)]
            {
                var request = HTTPRequest.get(server.url + path)
                request.maxBodyBytes = 1000
                #expect(await transport.send(request).failure?.kind == kind)
            }
        }
    }

    @Test("Headers without end are too large")
    func endlessHeaders() async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.write("HTTP/1.1 200 OK\r\n")
            while true { try peer.write("A: \(String(repeating: "x", count: 1000))\r\n") }
        } _: { transport, server in
            #expect(await transport.send(.get(server.url)).failure?.kind == .tooLarge)
        }
    }

    @Test(
        "What cannot be sent is refused before anything is",
        arguments: [
            ("ftp://127.0.0.1/", "A", "b"), ("not a url", "A", "b"), ("http://127.0.0.1:1/", "A", "b\r\nC: d"),
            ("http://127.0.0.1:1/", "A\n", "b"), ("http://127.0.0.1:1/", "", "b"), ("file:///etc/passwd", "A", "b"),
        ])
    func invalid(_ url: String, _ name: String, _ value: String) async throws {
        var request = HTTPRequest.get(url)
        request.headers = [(name, value)]
        #expect(try await failure(request) == TransportFailure(.invalidRequest, mayHaveReachedServer: false))
    }

    @Test("A kept connection that the server closed unread is replaced; a request on a fresh one never leaves twice")
    func retries() async throws {
        let requests = Mutex(0)
        try await withServer { peer in
            try peer.readRequest()
            if requests.withLock({
                $0 += 1; return $0
            }) == 1 {
                try peer.answer()
                // The next request on this connection is read, and then there is no answer.
                try peer.readRequest()
                requests.withLock { $0 += 1 }
            }
        } _: { transport, server in
            #expect(await transport.send(.get(server.url)).success != nil)
            // libcurl sends this one on the kept connection and, when that ends, again on a second one.
            let failure = await transport.send(HTTPRequest(method: .post, url: server.url, timeout: patience))
                .failure
            #expect(failure == TransportFailure(.emptyReply, mayHaveReachedServer: true))
            #expect(requests.withLock { $0 } == 3)
            let fresh = HTTPRequest(method: .post, url: server.url, timeout: patience, freshConnection: true)
            #expect(await transport.send(fresh).failure == failure)
            #expect(requests.withLock { $0 } == 4)
        }
    }

    @Test("When libcurl's own second try finds nobody, the first may still have reached the server")
    func retryRefused() async throws {
        let server = Mutex<ScriptServer?>(nil)
        try await withServer { peer in
            try peer.readRequest()
            try peer.answer()
            try peer.readRequest()
            server.withLock { $0?.stop() }
        } _: { transport, script in
            server.withLock { $0 = script }
            #expect(await transport.send(.get(script.url)).success != nil)
            let failure = await transport.send(.get(script.url)).failure
            #expect(failure == TransportFailure(.emptyReply, mayHaveReachedServer: true))
            // The script holds the lock, and the server its script.
            server.withLock { $0 = nil }
        }
    }
}

/// A client that only knocks.
struct NonblockingClient {
    private let descriptor: Int32

    init(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    func close() {
        Glibc.close(descriptor)
    }
}
