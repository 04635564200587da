internal import Platform
internal import WebSocketCodec

/// One client of the realtime port: its request to upgrade, then its WebSocket, and what waits to be written.
final class WebSocketPeer {
    /// What one readable event brought.
    struct Reading {
        /// The request to upgrade, on its own.
        var head: HTTPHead?
        var texts: [String] = []
        /// Whether anything at all arrived on the WebSocket.
        var isAlive = false
        /// Whether the connection is over.
        var hasEnded = false
    }

    private static let largestMessage = 65_536
    private static let mostOutput = 1_048_576
    /// What one readable event may bring; more is no client of a payment.
    private static let mostInput = 1_048_576
    /// How long an upgrade may take, and how long a close frame's answer is waited for; real time.
    private static let upgradeLimit = Duration.seconds(30)
    private static let linger = Duration.seconds(2)

    let stream: PeerStream
    private let randomness: any Randomness
    /// The bytes of the request so far.
    private var request: [UInt8] = []
    /// `nil` until upgraded.
    private var codec: WebSocketCodec?
    private var output: [UInt8] = []
    private var endsOnceWritten = false
    /// When the connection ends by itself: an upgrade that does not come, a close frame nobody answers.
    private(set) var closesAt: ContinuousClock.Instant? = .now + WebSocketPeer.upgradeLimit

    init(stream: PeerStream, randomness: any Randomness) {
        self.stream = stream
        self.randomness = randomness
    }

    var waitsToWrite: Bool { !output.isEmpty || stream.readsAfterWriting }

    /// Reads all that is there. Without `answeringPings` the codec's pongs are thrown away.
    func read(answeringPings: Bool) -> Reading {
        var bytes: [UInt8] = []
        var hasEnded = false
        reading: while true {
            switch stream.read() {
            case .later: break reading
            case .ended:
                hasEnded = true
                break reading
            case .bytes(let portion):
                bytes += portion
                guard bytes.count <= Self.mostInput else { return Reading(hasEnded: true) }
            }
        }
        var result = bytes.isEmpty ? Reading() : take(bytes, answeringPings: answeringPings)
        result.hasEnded = result.hasEnded || hasEnded
        return result
    }

    private func take(_ bytes: [UInt8], answeringPings: Bool) -> Reading {
        guard codec == nil else { return takeFrames(bytes, answeringPings: answeringPings) }
        request += bytes
        switch HTTPHead.parse(request) {
        case .needsMore: return Reading()
        case .malformed: return Reading(hasEnded: true)
        case .complete(let head, let count):
            request.removeFirst(count)
            return Reading(head: head)
        }
    }

    private func takeFrames(_ bytes: [UInt8], answeringPings: Bool) -> Reading {
        guard let codec else { return Reading() }
        let reception = codec.receive(bytes)
        var reading = Reading(isAlive: true)
        var isClosing = reception.violation != nil
        for message in reception.messages {
            switch message {
            case .text(let text): reading.texts.append(text)
            case .close: isClosing = true
            case .binary, .ping, .pong: break
            }
        }
        let answer = codec.takeOutput()
        if answeringPings || isClosing { output += answer }
        if isClosing { endsOnceWritten = true }
        return reading
    }

    /// Answers the request with 101; returns what the client sent right behind it. `nil` when it asks for no WebSocket.
    func upgrade(_ head: HTTPHead) -> Reading? {
        guard let response = try? WebSocketHandshake.response(to: head) else { return nil }
        output += response
        codec = WebSocketCodec(
            role: .server, maxMessageBytes: Self.largestMessage, maxOutputBytes: Self.mostOutput, maskKeys: randomness)
        closesAt = nil
        defer { request = [] }
        return takeFrames(request, answeringPings: true)
    }

    /// Answers the request with an HTTP status and ends.
    func refuse(status: Int) {
        let body = "{\"message\":\"This port serves WebSockets at /app/<key>.\"}"
        output += Array(
            """
            HTTP/1.1 \(status) Refused\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\
            Connection: close\r\n\r\n\(body)
            """.utf8)
        endsOnceWritten = true
    }

    /// Queues a text; false when the client reads too slowly to go on.
    func queue(_ text: String) -> Bool {
        // Nothing follows a close frame.
        guard let codec, closesAt == nil else { return true }
        do throws(WebSocketQueueError) {
            try codec.queue(text: text)
        } catch {
            return error == .closed
        }
        output += codec.takeOutput()
        return output.count <= Self.mostOutput
    }

    func queueClose(code: Int, reason: String) {
        do throws(WebSocketQueueError) {
            try codec?.queueClose(code: code, reason: reason)
            output += codec?.takeOutput() ?? []
        } catch {
            // A close frame left before: the connection ends all the same.
        }
        closesAt = .now + Self.linger
    }

    /// Writes what the socket takes; false when the connection is over.
    func flush() -> Bool {
        while !output.isEmpty {
            switch stream.write(output) {
            case .wrote(let count): output.removeFirst(count)
            case .later: return true
            case .ended: return false
            }
        }
        return !endsOnceWritten
    }
}
