import Platform
import PlatformTestSupport
import Testing
import WebSocketCodec

/// Two codecs back to back, and bytes by hand.
struct Wire {
    let client = WebSocketCodec(
        role: .client, maxMessageBytes: 1000, maxOutputBytes: 5000, maskKeys: SeededRandomness(seed: 1))
    let server = WebSocketCodec(
        role: .server, maxMessageBytes: 1000, maxOutputBytes: 5000, maskKeys: SeededRandomness(seed: 2))

    /// A server's frame, bare.
    static func frame(_ opcode: UInt8, _ payload: [UInt8], final: Bool = true) -> [UInt8] {
        let length =
            payload.count < 126
            ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        return [(final ? 0x80 : 0) | opcode] + length + payload
    }

    /// A client's frame with a mask of zeros.
    static func maskedFrame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0x80 | opcode, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    }

    static func close(_ code: Int, _ reason: String = "") -> [UInt8] {
        frame(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }
}

@Suite("WebSocketCodec")
struct WebSocketCodecTests {
    private static let stream: [UInt8] =
        Wire.frame(1, Array("été".utf8)) + Wire.frame(1, Array("a".utf8), final: false) + Wire.frame(9, [7])
        + Wire.frame(0, Array("b".utf8), final: false) + Wire.frame(0, Array("c".utf8)) + Wire.frame(2, [0, 255])
        + Wire.frame(10, []) + Wire.frame(1, Array(repeating: 120, count: 300)) + Wire.close(4201, "idle")

    private static let messages: [WebSocketMessage] = [
        .text("été"), .ping([7]), .text("abc"), .binary([0, 255]), .pong([]),
        .text(String(repeating: "x", count: 300)), .close(code: 4201, reason: "idle"),
    ]

    @Test("A stream in portions of any size brings the same messages", arguments: [1, 2, 3, 7, 64, 10_000])
    func portions(size: Int) {
        let client = Wire().client
        var messages: [WebSocketMessage] = []
        for start in stride(from: 0, to: Self.stream.count, by: size) {
            let reception = client.receive(Self.stream[start..<min(start + size, Self.stream.count)])
            #expect(reception.violation == nil)
            messages += reception.messages
        }
        #expect(messages == Self.messages)
        #expect(client.closeReceived && client.closeSent)
    }

    @Test("A stream split at each border brings the same messages")
    func splits() {
        for border in 0...Self.stream.count {
            let client = Wire().client
            let parts = [Self.stream[..<border], Self.stream[border...]]
            #expect(parts.flatMap { client.receive($0).messages } == Self.messages)
        }
    }

    @Test("What a client queues is masked and arrives at a server, and the other way bare")
    func bothWays() throws {
        let wire = Wire()
        try wire.client.queue(text: "été")
        try wire.client.queue(binary: [1])
        try wire.client.queuePing([2])
        let masked = wire.client.takeOutput()
        #expect(masked[1] == 0x80 | 5)
        // A ping overtakes nothing that has left already.
        #expect(wire.server.receive(masked).messages == [.text("été"), .binary([1]), .ping([2])])
        try wire.server.queue(text: "yes")
        let answer = wire.server.takeOutput()
        #expect(answer == Wire.frame(10, [2]) + Wire.frame(1, Array("yes".utf8)))
        #expect(wire.client.receive(answer).messages == [.pong([2]), .text("yes")])
        #expect(wire.client.takeOutput().isEmpty)
    }

    @Test("A close is echoed with its code, and nothing follows it on either side")
    func closing() throws {
        let wire = Wire()
        try wire.client.queueClose(code: 1000, reason: "done")
        #expect(throws: WebSocketQueueError.closed) { try wire.client.queue(text: "late") }
        #expect(throws: WebSocketQueueError.closed) { try wire.client.queueClose(code: 1001) }
        #expect(wire.server.receive(wire.client.takeOutput()).messages == [.close(code: 1000, reason: "done")])
        #expect(throws: WebSocketQueueError.closed) { try wire.server.queue(text: "late") }
        let echo = wire.server.takeOutput()
        #expect(wire.client.receive(echo + Wire.frame(1, [65])).messages == [.close(code: 1000, reason: "done")])
        #expect(wire.client.receive(Wire.frame(1, [65])).messages.isEmpty)
    }

    @Test("A close without a code is 1005")
    func bareClose() {
        #expect(Wire().client.receive(Wire.frame(8, [])).messages == [.close(code: 1005, reason: "")])
    }

    @Test("A reason too long for a close frame is cut between characters")
    func longReason() throws {
        let wire = Wire()
        try wire.server.queueClose(code: 4000, reason: String(repeating: "é", count: 100))
        let reception = wire.client.receive(wire.server.takeOutput())
        #expect(reception.messages == [.close(code: 4000, reason: String(repeating: "é", count: 61))])
    }

    static let violations: [(String, [UInt8], Int)] = [
        ("a message over the bound", Wire.frame(1, Array(repeating: 65, count: 1001)), 1009),
        (
            "fragments over the bound together",
            Wire.frame(1, Array(repeating: 65, count: 600), final: false)
                + Wire.frame(0, Array(repeating: 65, count: 600)),
            1009
        ),
        ("a length near 2^63", [0x82, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255, 0], 1009),
        ("a length over 2^63", [0x82, 127, 255, 255, 255, 255, 255, 255, 255, 255], 1002),
        ("text that is not UTF-8", Wire.frame(1, [0xC3, 0x28]), 1007),
        ("text that ends inside a character", Wire.frame(1, [0xC3]), 1007),
        ("a masked frame from a server", Wire.maskedFrame(1, [65]), 1002),
        ("a reserved bit", [0xC1, 0], 1002),
        ("a reserved opcode", Wire.frame(3, []), 1002),
        ("a continuation of nothing", Wire.frame(0, [65]), 1002),
        ("a message inside another", Wire.frame(1, [65], final: false) + Wire.frame(1, [66]), 1002),
        ("a fragmented ping", Wire.frame(9, [], final: false), 1002),
        ("a long ping", Wire.frame(9, Array(repeating: 0, count: 126)), 1002),
        ("a close code that is never sent", Wire.close(1006), 1002),
    ]

    @Test("A violation ends reading and is answered with its close code", arguments: violations)
    func violation(_ name: String, _ bytes: [UInt8], _ code: Int) throws {
        for portion in [1, bytes.count] {
            let wire = Wire()
            var receptions = [wire.client.receive(Wire.frame(1, Array("before".utf8)))]
            for start in stride(from: 0, to: bytes.count, by: portion) {
                receptions.append(wire.client.receive(bytes[start..<start + portion]))
            }
            #expect(receptions.flatMap(\.messages) == [.text("before")])
            #expect(receptions.last?.violation?.closeCode == code)
            #expect(wire.client.receive(Wire.frame(1, [65])).messages.isEmpty)
            // Where the frame's own head is wrong, wslay says goodbye without a code.
            let goodbyes: [WebSocketMessage] = [.close(code: code, reason: ""), .close(code: 1005, reason: "")]
            let answer = wire.server.receive(wire.client.takeOutput()).messages
            #expect(answer.count == 1 && answer.allSatisfy(goodbyes.contains))
        }
    }

    @Test("A close reason that is not UTF-8 is 1007")
    func badReason() {
        #expect(Wire().client.receive(Wire.frame(8, [3, 232, 0xFF])).violation?.closeCode == 1007)
    }

    @Test("A server refuses a client's bare frame with 1002")
    func bareFrame() {
        #expect(Wire().server.receive(Wire.frame(1, [65])).violation?.closeCode == 1002)
    }

    @Test("Output has a bound: queueing beyond it is refused, and pongs beyond it end the connection with 1008")
    func outputBound() throws {
        let wire = Wire()
        for _ in 0..<4 { try wire.client.queue(binary: Array(repeating: 0, count: 1000)) }
        #expect(throws: WebSocketQueueError.full) { try wire.client.queue(binary: Array(repeating: 0, count: 1000)) }
        let pings = Array(repeating: Wire.frame(9, Array(repeating: 1, count: 100)), count: 20).flatMap { $0 }
        let reception = wire.client.receive(pings)
        #expect(reception.violation?.closeCode == 1008)
    }

    @Test("A ping of more than 125 bytes is refused, and the codec goes on")
    func longPing() throws {
        let wire = Wire()
        #expect(throws: WebSocketQueueError.invalid) { try wire.client.queuePing(Array(repeating: 0, count: 126)) }
        try wire.client.queue(text: "on")
        #expect(wire.server.receive(wire.client.takeOutput()).messages == [.text("on")])
    }
}
