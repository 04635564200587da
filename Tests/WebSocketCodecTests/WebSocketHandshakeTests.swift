import PlatformTestSupport
import Testing
import WebSocketCodec

@Suite("WebSocketHandshake")
struct WebSocketHandshakeTests {
    private let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private func head(_ text: String) -> HTTPHead? {
        guard case .complete(let head, _) = HTTPHead.parse(Array(text.utf8)) else { return nil }
        return head
    }

    @Test("The accept of RFC 6455's sample key is the RFC's")
    func accept() {
        #expect(WebSocketHandshake.accept(key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test("A key is sixteen bytes of the generator in Base64")
    func freshKey() {
        let randomness = SeededRandomness(seed: 5)
        let keys = [WebSocketHandshake.key(randomness), WebSocketHandshake.key(randomness)]
        #expect(keys.allSatisfy { $0.count == 24 && $0.hasSuffix("==") })
        #expect(keys[0] != keys[1])
    }

    @Test("A client's request is accepted by the server, and the server's answer by the client")
    func bothSides() throws {
        let bytes = WebSocketHandshake.request(
            target: "/app/k?protocol=7", host: "localhost:1", key: key, headers: [("User-Agent", "t")])
        guard case .complete(let request, let count) = HTTPHead.parse(bytes + [1, 2]) else {
            Issue.record("no head")
            return
        }
        #expect(count == bytes.count)
        #expect(request.request?.method == "GET" && request.request?.target == "/app/k?protocol=7")
        #expect(request.value("user-agent") == "t")
        let answer = try WebSocketHandshake.response(to: request)
        let response = try #require(head(String(decoding: answer, as: UTF8.self)))
        try WebSocketHandshake.verify(response, key: key)
        #expect(throws: WebSocketHandshake.Refusal.malformed) {
            try WebSocketHandshake.verify(response, key: "AAAAAAAAAAAAAAAAAAAAAA==")
        }
    }

    @Test(
        "A server refuses a request that asks for no WebSocket of version 13",
        arguments: [
            ("GET", "POST"), ("Upgrade: websocket", "Upgrade: h2c"), ("Connection: Upgrade", "Connection: close"),
            ("Version: 13", "Version: 8"), ("dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ="), ("HTTP/1.1", "HTTP/1.0"),
        ])
    func badRequest(_ good: String, _ bad: String) throws {
        let text = String(
            decoding: WebSocketHandshake.request(target: "/", host: "h", key: key), as: UTF8.self
        ).replacing(good, with: bad)
        let request = try #require(head(text))
        #expect(throws: WebSocketHandshake.Refusal.malformed) { _ = try WebSocketHandshake.response(to: request) }
    }

    private static let accepted =
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nconnection: keep-alive, Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"

    @Test("A 101 counts in any case of its words, and with further connection options")
    func lenientAnswer() throws {
        try WebSocketHandshake.verify(#require(head(Self.accepted + "\r\n")), key: key)
    }

    @Test(
        "A client refuses what does not answer its request",
        arguments: [
            ("HTTP/1.1 404 Not Found\r\n\r\n", WebSocketHandshake.Refusal.status(404)),
            ("HTTP/1.1 200 OK\r\n\r\n", .status(200)),
            ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .malformed),
            ("SMTP ready\r\n\r\n", .malformed),
            (accepted + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", .malformed),
            (accepted + "Sec-WebSocket-Protocol: chat\r\n\r\n", .malformed),
            (accepted.replacing("s3p", with: "S3P") + "\r\n", .malformed),
        ])
    func badAnswer(_ text: String, _ refusal: WebSocketHandshake.Refusal) throws {
        let response = try #require(head(text))
        #expect(throws: refusal) { try WebSocketHandshake.verify(response, key: key) }
    }
}

@Suite("HTTPHead")
struct HTTPHeadTests {
    private static let text = "HTTP/1.1 200 OK\r\nA: 1\r\na:2 \r\nEmpty:\r\n\r\n"

    @Test("A head needs all its bytes, and takes no more than its own")
    func borders() {
        let bytes = Array(Self.text.utf8)
        for count in 0..<bytes.count { #expect(HTTPHead.parse(Array(bytes[..<count])) == .needsMore) }
        guard case .complete(let head, bytes.count) = HTTPHead.parse(bytes + [65]) else {
            Issue.record("not complete")
            return
        }
        #expect(head.status == 200 && head.request == nil)
        #expect(head.value("A") == "1" && head.value("EMPTY") == "" && head.value("B") == nil)
        #expect(head.fields.map(\.value) == ["1", "2", ""])
    }

    @Test(
        "What is no head is malformed",
        arguments: [
            "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\n: v\r\n\r\n", "GET / HTTP/1.1\r\nA : 1\r\n\r\n",
            "GET / HTTP/1.1\r\nA: 1\r\n folded\r\n\r\n", "GET / HTTP/1.1\r\nA: 1\n2\r\n\r\n",
        ])
    func malformed(_ text: String) {
        #expect(HTTPHead.parse(Array(text.utf8)) == .malformed)
    }

    @Test("Bytes that are not UTF-8 are malformed")
    func notText() {
        #expect(HTTPHead.parse([0xFF, 13, 10, 13, 10]) == .malformed)
    }

    @Test("A head of more than 16 KiB is malformed, however it arrives")
    func tooLong() {
        let bytes = Array("GET / HTTP/1.1\r\nA: ".utf8) + Array(repeating: 65, count: HTTPHead.maxBytes)
        #expect(HTTPHead.parse(Array(bytes.prefix(HTTPHead.maxBytes - 1))) == .needsMore)
        #expect(HTTPHead.parse(bytes) == .malformed)
        #expect(HTTPHead.parse(bytes + [13, 10, 13, 10]) == .malformed)
    }
}
