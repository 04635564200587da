import Synchronization
import Testing
import Transport
import WebSocketCodec

@Suite("WebSocket", .timeLimit(.minutes(10)))
struct WebSocketTests {
    /// Opens a WebSocket to a script that has accepted the upgrade.
    private func withSocket(
        tls identity: TLSIdentity? = nil, caFile: String? = nil, maxMessageBytes: Int = 1 << 20,
        script: @escaping @Sendable (ServerSocket) throws -> Void,
        _ body: (WebSocketConnection, ScriptServer, Transport) async throws -> Void
    ) async throws {
        try await withServer(tls: identity, caFile: caFile) { peer in
            try script(peer.acceptWebSocket())
        } _: { transport, server in
            let request = WebSocketRequest(
                url: server.webSocketURL + "/app/key?protocol=7", connectTimeout: patience,
                maxMessageBytes: maxMessageBytes)
            try await body(transport.openWebSocket(request).get(), server, transport)
        }
    }

    private func events(_ connection: WebSocketConnection) async -> [WebSocketEvent] {
        await connection.events.reduce(into: []) { $0 += $1 }
    }

    @Test("The upgrade carries path, host, user agent and headers")
    func upgradeRequest() async throws {
        let heads = Signals<[String?]>()
        try await withServer { peer in
            let head = try peer.readRequest().head
            heads.send([head.startLine, head.value("Host"), head.value("User-Agent"), head.value("X-A")])
        } _: { transport, server in
            let request = WebSocketRequest.patient(server.webSocketURL + "/app/k?v=1", headers: [("X-A", "b")])
            let failure = await transport.openWebSocket(request).failure
            #expect(failure == TransportFailure(.emptyReply, mayHaveReachedServer: true))
            #expect(await heads.next() == ["GET /app/k?v=1 HTTP/1.1", "127.0.0.1:\(server.port)", "test/1", "b"])
        }
    }

    @Test("Messages go both ways, over TLS too", arguments: [false, true])
    func bothWays(tls: Bool) async throws {
        let authority = try TestAuthority()
        let identity = tls ? authority.identity() : nil
        try await withSocket(tls: identity, caFile: authority.file) { socket in
            while case .text(let text) = try socket.next(), text != "bye" { try socket.send("echo \(text)") }
            try socket.close(4000, "bye")
            socket.peer.stall()
        } _: { connection, _, _ in
            var received: [WebSocketEvent] = []
            connection.send(text: "1")
            for await batch in connection.events {
                received += batch
                if batch == [.text("echo 1")] { connection.send(text: "été") }
                if batch == [.text("echo été")] { connection.send(text: "bye") }
            }
            #expect(received == [.text("echo 1"), .text("echo été"), .closed(code: 4000, reason: "bye")])
        }
    }

    @Test("A frame in the same bytes as the upgrade's answer, and a message in fragments, arrive")
    func eagerServer() async throws {
        try await withServer { peer in
            let answer = try WebSocketHandshake.response(to: peer.readRequest().head)
            try peer.write(answer + [0x81, 1, 65, 0x01, 1, 66, 0x89, 0, 0x80, 1, 67])
            let socket = ServerSocket(peer)
            #expect(try socket.next() == .pong([]))
            try socket.close(1000)
            #expect(try socket.next() == .close(code: 1000, reason: ""))
        } _: { transport, server in
            let connection = try await transport.openWebSocket(.patient(server.webSocketURL)).get()
            let expected: [WebSocketEvent] = [.text("A"), .frame, .text("BC"), .closed(code: 1000, reason: "")]
            #expect(await events(connection) == expected)
        }
    }

    @Test(
        "A large message arrives whole, over TLS too, and one over the bound closes with 1009",
        arguments: [false, true])
    func large(tls: Bool) async throws {
        let authority = try TestAuthority()
        let text = String(repeating: "x", count: 1 << 20)
        try await withSocket(tls: tls ? authority.identity() : nil, caFile: authority.file) { socket in
            try socket.send(text)
            try socket.send(text + "x")
            #expect(try socket.next() == .close(code: 1009, reason: ""))
        } _: { connection, _, _ in
            #expect(await events(connection) == [.text(text), .closed(code: 1009, reason: "")])
        }
    }

    @Test("Our close is answered by the peer's, and then the connection ends")
    func ourClose() async throws {
        let seen = Signals<WebSocketMessage>()
        try await withSocket { socket in
            seen.send(try socket.next())
            socket.peer.stall()
        } _: { connection, _, _ in
            connection.close(code: 4001, reason: "enough")
            connection.send(text: "late")
            #expect(await events(connection) == [.closed(code: 4001, reason: "enough")])
            #expect(await seen.next() == .close(code: 4001, reason: "enough"))
        }
    }

    @Test("A ping reaches the peer and its pong counts as a frame")
    func ping() async throws {
        try await withSocket { socket in
            #expect(try socket.next() == .ping([]))
            try socket.close(1001)
            socket.peer.stall()
        } _: { connection, _, _ in
            connection.ping()
            #expect(await events(connection) == [.frame, .closed(code: 1001, reason: "")])
        }
    }

    @Test("A stream that ends or is reset without a close frame is 1006", arguments: [false, true])
    func lost(reset: Bool) async throws {
        try await withSocket { socket in
            if reset { socket.peer.reset() }
        } _: { connection, _, _ in
            #expect(await events(connection) == [.closed(code: 1006, reason: "")])
        }
    }

    @Test("Dropping the connection, or its last reference, closes it without a word", arguments: [false, true])
    func drop(explicitly: Bool) async throws {
        let ended = Signals<Bool>()
        try await withSocket { socket in
            do { _ = try socket.next() } catch { ended.send(true) }
        } _: { connection, server, transport in
            if explicitly {
                connection.drop()
                #expect(await events(connection) == [.closed(code: 1006, reason: "")])
            } else {
                _ = try await transport.openWebSocket(.patient(server.webSocketURL)).get()
            }
            #expect(await ended.next() == true)
        }
    }

    @Test(
        "A server that answers otherwise is no WebSocket",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\n\r\n", TransportFailure.Kind.upgradeRefused(status: 404)),
            (
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n", .upgradeMalformed
            ),
            ("hello\r\n\r\n", .upgradeMalformed), ("HTTP/1.1 101", .emptyReply), ("", .emptyReply),
        ])
    func refused(_ answer: String, _ kind: TransportFailure.Kind) async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.write(answer)
        } _: { transport, server in
            let failure = await transport.openWebSocket(.patient(server.webSocketURL)).failure
            #expect(failure == TransportFailure(kind, mayHaveReachedServer: true))
        }
    }

    @Test(
        "A URL or header that cannot stand in an upgrade is refused before anything is sent",
        arguments: [
            ("http://127.0.0.1:1/", "A", "b"), ("ws://", "A", "b"), ("ws://user@127.0.0.1:1/", "A", "b"),
            ("ws://127.0.0.1:1/a b", "A", "b"), ("ws://127.0.0.1:1/\r\nC: d", "A", "b"), ("127.0.0.1:1", "A", "b"),
            ("ws://127.0.0.1:1/", "A", "b\r\nC: d"), ("ws://127.0.0.1:1/", "A:", "b"),
        ])
    func invalid(_ url: String, _ name: String, _ value: String) async throws {
        let transport = try makeTransport()
        let failure = await transport.openWebSocket(.init(url: url, headers: [(name, value)])).failure
        #expect(failure == TransportFailure(.invalidRequest, mayHaveReachedServer: false))
        await transport.shutdown()
    }

    @Test("An upgrade that is never answered, and a TLS handshake with a plain port, end with the connect timeout")
    func unanswered() async throws {
        try await withServer { peer in
            peer.stall()
        } _: { transport, server in
            let plain = WebSocketRequest(url: server.webSocketURL, connectTimeout: .seconds(1))
            let failure = await transport.openWebSocket(plain).failure
            #expect(failure == TransportFailure(.timeout(.answer), mayHaveReachedServer: true))
            let secure = WebSocketRequest(
                url: "wss://127.0.0.1:\(server.port)", connectTimeout: .seconds(1))
            let handshake = await transport.openWebSocket(secure).failure
            #expect(handshake == TransportFailure(.timeout(.connect), mayHaveReachedServer: false))
        }
    }

    @Test("An attempt cancelled during the upgrade ends")
    func cancelled() async throws {
        let arrived = Signals<Void>()
        try await withServer { peer in
            try peer.readRequest()
            arrived.send(())
            peer.stall()
            arrived.send(())
        } _: { transport, server in
            let task = Task { await transport.openWebSocket(.patient(server.webSocketURL)) }
            _ = await arrived.next()
            task.cancel()
            #expect(await task.value.failure == TransportFailure(.cancelled, mayHaveReachedServer: true))
            _ = await arrived.next()
        }
    }

    @Test("A consumer that takes nothing stops the peer, and loses nothing when it goes on", arguments: [false, true])
    func backPressure(tls: Bool) async throws {
        let authority = try TestAuthority()
        let sent = Mutex(0)
        let text = String(repeating: "y", count: 10_000)
        let total = 2_000
        try await withSocket(tls: tls ? authority.identity() : nil, caFile: authority.file) { socket in
            for _ in 0..<total {
                try socket.send(text)
                sent.withLock { $0 += 1 }
            }
            try socket.close(1000)
            socket.peer.stall()
        } _: { connection, server, transport in
            // Other work goes on meanwhile, and the transport has had every chance to read all.
            for _ in 0..<20 {
                let other = await transport.openWebSocket(.patient("ws://127.0.0.1:1"))
                #expect(other.failure?.kind == .refused)
            }
            #expect(sent.withLock { $0 } < total)
            var count = 0
            var last: WebSocketEvent?
            for await batch in connection.events {
                count += batch.count { $0 == .text(text) }
                last = batch.last
            }
            #expect(count == total)
            #expect(last == .closed(code: 1000, reason: ""))
        }
    }

    @Test("A peer that does not read is dropped when too much waits for it")
    func outputBound() async throws {
        try await withServer { peer in
            try peer.write(WebSocketHandshake.response(to: peer.readRequest().head))
            peer.ignore()
        } _: { transport, server in
            let connection = try await transport.openWebSocket(.patient(server.webSocketURL)).get()
            let text = String(repeating: "z", count: 100_000)
            let sender = Task {
                while !Task.isCancelled {
                    connection.send(text: text)
                    await Task.yield()
                }
            }
            #expect(await events(connection) == [.closed(code: 1006, reason: "")])
            sender.cancel()
        }
    }

    @Test("A consumer whose task is cancelled gets the end, and another may go on")
    func consumerCancelled() async throws {
        let go = Signals<Void>()
        try await withSocket { socket in
            _ = try socket.next()
            try socket.send("after")
            try socket.close(1000)
            socket.peer.stall()
        } _: { connection, _, _ in
            let consumer = Task {
                go.send(())
                return await connection.events.reduce(into: []) { $0 += $1 } as [WebSocketEvent]
            }
            _ = await go.next()
            consumer.cancel()
            #expect(await consumer.value == [])
            connection.send(text: "go")
            #expect(await events(connection) == [.text("after"), .closed(code: 1000, reason: "")])
        }
    }

    @Test("Shutdown ends an open WebSocket with 1006")
    func shutdown() async throws {
        try await withSocket { socket in
            socket.peer.stall()
        } _: { connection, _, transport in
            await transport.shutdown()
            #expect(await events(connection) == [.closed(code: 1006, reason: "")])
        }
    }
}
