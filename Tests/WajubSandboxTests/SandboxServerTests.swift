import FoundationEssentials
import JSON
import Platform
import Testing
import Transport
import WajubSandbox

/// The whole over real sockets.
@Suite(.timeLimit(.minutes(10)))
struct SandboxServerTests {
    /// A sandbox and a client of it.
    private struct Site: Sendable {
        let sandbox: Sandbox
        let transport: Transport

        func send(
            _ method: HTTPRequest.Method, _ path: String, token: String? = nil, body: [UInt8]? = nil
        ) async -> Result<HTTPResponse, TransportFailure> {
            var headers = [(name: "Idempotency-Key", value: "key")]
            if let token { headers.append((name: "Authorization", value: "Bearer \(token)")) }
            return await transport.send(
                HTTPRequest(
                    method: method, url: sandbox.apiOrigin + path, headers: headers, body: body, timeout: .seconds(30),
                    freshConnection: true))
        }

        func json(_ method: HTTPRequest.Method, _ path: String, token: String? = nil, _ body: JSONValue? = nil)
            async throws
            -> JSONValue
        {
            let response = try await send(method, path, token: token, body: body?.encoded).get()
            return try JSONValue(parsing: response.body[...])
        }

        func create() async throws -> (id: String, token: String, reference: String) {
            let json = try await json(.post, "/payments", token: "sk_test_x", ["amount": 5000, "currency": "XAF"])
            return (
                try #require(json["transaction"]?["id"]?.string), try #require(json["authorization_token"]?.string),
                try #require(json["transaction"]?["reference"]?.string)
            )
        }

        func webSocket(key: String? = nil) async throws -> WebSocketConnection {
            var known = key
            if known == nil {
                let payment = try await create()
                known = try await json(.get, "/pay/session", token: payment.token)["echo"]?["key"]?.string
            }
            let url = "\(sandbox.realtime)/app/\(known ?? "")?protocol=7&client=test&version=1"
            return try await transport.openWebSocket(WebSocketRequest(url: url)).get()
        }
    }

    private func withSite(
        _ options: SandboxOptions = SandboxOptions(), caFile: String? = nil, _ body: (Site) async throws -> Void
    ) async throws {
        let sandbox = try await Sandbox.start(options)
        let transport = try Transport(TransportConfiguration(caFile: caFile, userAgent: "sandbox tests"))
        do {
            try await body(Site(sandbox: sandbox, transport: transport))
        } catch {
            await transport.shutdown()
            await sandbox.stop()
            throw error
        }
        await transport.shutdown()
        await sandbox.stop()
    }

    /// Reads messages until one of `event` comes, and returns it.
    private func next(_ event: String, _ events: inout WebSocketInbox) async throws -> JSONValue {
        while let next = await events.next() {
            guard case .text(let text) = next else {
                if case .closed = next { break }
                continue
            }
            let message = try JSONValue(parsing: ArraySlice(text.utf8))
            if message["event"]?.string == event { return message }
        }
        Issue.record("the connection ended before \(event)")
        return .null
    }

    @Test func `a payment is created, read and driven over HTTP`() async throws {
        try await withSite { site in
            let payment = try await site.create()
            let session = try await site.json(.get, "/pay/session", token: payment.token)
            #expect(session["transaction"]?["status"] == "pending")
            #expect(session["echo"]?["ws_host"] == "ws://127.0.0.1")
            _ = try await site.json(.post, "/sandbox/payments/\(payment.id)/status", ["status": "succeeded"])
            let status = try await site.json(.get, "/pay/status", token: payment.token)
            #expect(status["transaction"]?["status"] == "succeeded")
        }
    }

    @Test func `each fault of the wire is what a client sees`() async throws {
        try await withSite { site in
            let payment = try await site.create()
            func failure(_ fault: JSONValue) async throws -> TransportFailure.Kind? {
                _ = try await site.json(.post, "/sandbox/faults", ["times": 1, "fault": fault])
                guard case .failure(let failure) = await site.send(.get, "/pay/status", token: payment.token) else {
                    return nil
                }
                return failure.kind
            }
            #expect(try await failure(["drop": true]) == .emptyReply)
            #expect(try await failure(["truncate": true]) == .cutBody)
            #expect(try await failure(["status": 500]) == nil)
            #expect(try await failure(["delay_seconds": .number(Decimal(1) / 100)]) == nil)
            #expect(try await site.json(.get, "/pay/status", token: payment.token)["transaction"] != nil)
        }
    }

    @Test func `a silent request is held until the faults are cleared`() async throws {
        try await withSite { site in
            let payment = try await site.create()
            _ = try await site.json(
                .post, "/sandbox/faults", ["match": ["path": "/pay/status"], "fault": ["silence": true]])
            async let silent = site.send(.get, "/pay/status", token: payment.token)
            _ = try await site.json(.get, "/sandbox/log?path=/pay/status&wait_seconds=60")
            let answer = await site.sandbox.request("DELETE", "/sandbox/faults")
            #expect(answer?.status == 200)
            guard case .failure(let failure) = await silent else {
                Issue.record("it was answered")
                return
            }
            #expect(failure.kind == .emptyReply)
        }
    }

    @Test func `a body beyond the limit is refused`() async throws {
        try await withSite { site in
            let body = [UInt8](repeating: UInt8(ascii: " "), count: 65_537)
            let response = try await site.send(.post, "/payments", token: "sk_test_x", body: body).get()
            #expect(response.status == 413)
        }
    }

    @Test(arguments: [false, true])
    func `a subscriber hears of a payment, with and without TLS`(secure: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "wajub-sandbox-\(UUID().uuidString).pem")
        try Data(TLSFixture.certificate.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = SandboxOptions(tls: secure ? TLSFixture.identity : nil)
        try await withSite(options, caFile: secure ? file.path : nil) { site in
            let payment = try await site.create()
            let socket = try await site.webSocket()
            var inbox = WebSocketInbox(socket)
            let established = try await next("pusher:connection_established", &inbox)
            let data = try JSONValue(parsing: ArraySlice((established["data"]?.string ?? "").utf8))
            let socketID = try #require(data["socket_id"]?.string)
            let channel = "private-payment.\(payment.reference)"
            let form = Array("channel_name=\(channel)&socket_id=\(socketID)".utf8)
            let response = try await site.send(.post, "/pay/broadcasting/auth", token: payment.token, body: form).get()
            let auth = try JSONValue(parsing: response.body[...])["auth"] ?? .null
            let message: JSONValue = [
                "event": "pusher:subscribe", "data": ["channel": .string(channel), "auth": auth],
            ]
            socket.send(text: message.text)
            _ = try await next("pusher_internal:subscription_succeeded", &inbox)
            _ = try await site.json(.post, "/sandbox/payments/\(payment.id)/status", ["status": "succeeded"])
            let event = try await next("PaymentStatusUpdated", &inbox)
            #expect(event["data"] == .string(#"{"status":"succeeded"}"#))
        }
    }

    @Test(arguments: [false, true])
    func `a WebSocket ends with the close code asked for, or without one`(secure: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "wajub-sandbox-\(UUID().uuidString).pem")
        try Data(TLSFixture.certificate.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = SandboxOptions(tls: secure ? TLSFixture.identity : nil)
        try await withSite(options, caFile: secure ? file.path : nil) { site in
            for (action, code) in [("close", 4200), ("drop", 1006)] {
                let socket = try await site.webSocket()
                var inbox = WebSocketInbox(socket)
                _ = try await next("pusher:connection_established", &inbox)
                let body: JSONValue = ["action": .string(action), "code": .integer(code)]
                _ = await site.sandbox.request("POST", "/sandbox/realtime", json: body)
                #expect(await inbox.closeCode() == code)
            }
        }
    }

    @Test func `an upgrade elsewhere, or one that is to be refused, is an HTTP answer`() async throws {
        try await withSite { site in
            let wrong = await site.transport.openWebSocket(WebSocketRequest(url: "\(site.sandbox.realtime)/elsewhere"))
            guard case .failure(let failure) = wrong else {
                Issue.record("it opened")
                return
            }
            #expect(failure.kind == .upgradeRefused(status: 404))
            _ = await site.sandbox.request(
                "POST", "/sandbox/realtime", json: ["action": "behave", "establish": "refuse"])
            let refused = await site.transport.openWebSocket(WebSocketRequest(url: "\(site.sandbox.realtime)/app/x"))
            guard case .failure(let failure) = refused else {
                Issue.record("it opened")
                return
            }
            #expect(failure.kind == .upgradeRefused(status: 503))
        }
    }

    @Test func `an upgrade that is never answered is the client's to end`() async throws {
        try await withSite { site in
            _ = await site.sandbox.request(
                "POST", "/sandbox/realtime", json: ["action": "behave", "establish": "stall", "establish_times": 1])
            let url = "\(site.sandbox.realtime)/app/x?protocol=7"
            let stalled = await site.transport.openWebSocket(
                WebSocketRequest(url: url, connectTimeout: .milliseconds(50)))
            guard case .failure = stalled else {
                Issue.record("it opened")
                return
            }
            _ = try await site.webSocket()
        }
    }

    @Test func `a port that is taken is an error that names it`() async throws {
        try await withSite { site in
            let port = try #require(UInt16(site.sandbox.apiOrigin.split(separator: ":")[2]))
            let error = await #expect(throws: SandboxStartError.self) {
                try await Sandbox.start(SandboxOptions(port: port))
            }
            #expect(error?.description.contains("\(port)") == true)
        }
    }

    @Test func `stopping ends whoever waits`() async throws {
        let sandbox = try await Sandbox.start()
        async let held = sandbox.request("GET", "/sandbox/log", query: ["after": "99", "wait_seconds": "86400"])
        async let other = sandbox.request("GET", "/sandbox/log", query: ["after": "0", "wait_seconds": "86400"])
        _ = await sandbox.request("GET", "/nowhere")
        _ = await other
        await sandbox.stop()
        #expect(await held == nil)
    }
}

/// The events of a WebSocket one by one.
struct WebSocketInbox {
    private var iterator: WebSocketEvents.AsyncIterator
    private var waiting: [WebSocketEvent] = []

    init(_ socket: WebSocketConnection) {
        iterator = socket.events.makeAsyncIterator()
    }

    mutating func next() async -> WebSocketEvent? {
        while waiting.isEmpty {
            guard let batch = await iterator.next() else { return nil }
            waiting = batch
        }
        return waiting.removeFirst()
    }

    mutating func closeCode() async -> Int? {
        while let event = await next() {
            if case .closed(let code, _) = event { return code }
        }
        return nil
    }
}
