import Testing
import Transport

@Suite("TLS", .timeLimit(.minutes(10)))
struct TLSTests {
    @Test("A certificate of the given authority is trusted, and its connection used again")
    func trusted() async throws {
        let authority = try TestAuthority()
        try await withServer(tls: authority.identity(), caFile: authority.file) { peer in
            while true {
                try peer.readRequest()
                try peer.answer("200 OK", "ok")
            }
        } _: { transport, server in
            for _ in 0..<2 { #expect(await transport.send(.get(server.url)).success?.body == Array("ok".utf8)) }
            #expect(server.acceptedCount == 1)
        }
    }

    static let refusals: [(String, Int, Int, TransportFailure.TLSProblem)] = [
        ("DNS:elsewhere.example", -3600, 3600, .certificate),
        ("DNS:localhost", -7200, -3600, .date),
        ("DNS:localhost", 3600, 7200, .date),
    ]

    @Test("A certificate for another name or another time is refused, before the request", arguments: refusals)
    func refused(_ name: String, _ from: Int, _ until: Int, _ problem: TransportFailure.TLSProblem) async throws {
        let authority = try TestAuthority()
        let identity = authority.identity(name: name, validFrom: from, until: until)
        try await withServer(tls: identity, caFile: authority.file) { peer in
            peer.stall()
        } _: { transport, server in
            let failure = await transport.send(.get(server.url)).failure
            #expect(failure == TransportFailure(.tls(problem), mayHaveReachedServer: false))
        }
    }

    @Test("An unknown authority is refused, whether the system's are trusted or another file's")
    func untrusted() async throws {
        let authority = try TestAuthority()
        let other = try TestAuthority()
        for file in [nil, other.file] {
            try await withServer(tls: authority.identity(), caFile: file) { peer in
                peer.stall()
            } _: { transport, server in
                let failure = await transport.send(.get(server.url)).failure
                #expect(failure == TransportFailure(.tls(.certificate), mayHaveReachedServer: false))
            }
        }
    }

    @Test(
        "A plain server that answers a TLS handshake fails it; one that says nothing is bounded by the connect timeout")
    func plainServer() async throws {
        try await withServer { peer in
            _ = try peer.read()
            try peer.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        } _: { transport, server in
            let failure = await transport.send(.get("https" + server.url.dropFirst(4))).failure
            #expect(failure == TransportFailure(.tls(.handshake), mayHaveReachedServer: false))
        }
        try await withServer { peer in
            peer.stall()
        } _: { transport, server in
            var request = HTTPRequest.get("https" + server.url.dropFirst(4))
            request.connectTimeout = .seconds(1)
            let failure = await transport.send(request).failure
            #expect(failure == TransportFailure(.timeout(.connect), mayHaveReachedServer: false))
        }
    }

    @Test("A CA file that cannot be read stops the transport from being made; one that is none fails its requests")
    func badFile() async throws {
        #expect(throws: TransportError.caFileUnreadable(errno: 2)) {
            _ = try Transport(TransportConfiguration(caFile: "/nowhere/ca.pem", userAgent: "test/1"))
        }
        let authority = try TestAuthority()
        try await withServer(tls: authority.identity(), caFile: "/proc/self/cmdline") { peer in
            peer.stall()
        } _: { transport, server in
            let failure = await transport.send(.get(server.url)).failure
            #expect(failure == TransportFailure(.tls(.trustStore), mayHaveReachedServer: false))
        }
    }
}
