internal import Glibc
internal import Platform
internal import WebSocketCodec

/// One WebSocket of a client: its socket, its codec and what waits to be written.
final class WebSocketPeer {
    /// What one readable event brought.
    struct Reading {
        var texts: [String] = []
        /// Whether anything at all arrived.
        var isAlive = false
        /// Whether the connection is over.
        var hasEnded = false
    }

    private static let largestMessage = 65_536
    private static let mostOutput = 1_048_576
    /// How long a close frame's answer is waited for, in real time.
    private static let linger = Duration.seconds(2)
    /// How long our last frame may take through libmicrohttpd's encryption.
    private static let forwarding = Duration.milliseconds(50)

    let socket: UpgradedSocket
    private let codec: WebSocketCodec
    private var output: [UInt8] = []
    /// When the connection ends although the client has not answered our close frame.
    private(set) var closesAt: ContinuousClock.Instant?

    init(socket: UpgradedSocket, randomness: any Randomness) {
        self.socket = socket
        codec = WebSocketCodec(
            role: .server, maxMessageBytes: Self.largestMessage, maxOutputBytes: Self.mostOutput, maskKeys: randomness)
    }

    var waitsToWrite: Bool { !output.isEmpty }

    /// Reads what is there now, at most 64 KiB.
    func read(answeringPings: Bool) -> Reading {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket.descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count > 0 { return take(Array(bytes.prefix(count)), answeringPings: answeringPings) }
        let isRetried = count < 0 && (errno == EAGAIN || errno == EINTR)
        return Reading(hasEnded: !isRetried)
    }

    /// Takes bytes of the client. Without `answeringPings` the codec's pongs are thrown away.
    func take(_ bytes: [UInt8], answeringPings: Bool) -> Reading {
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
        if isClosing {
            // Our last frame is small: what the socket does not take at once is lost.
            reading.hasEnded = !flush() || !socket.isForwarded
            closesAt = .now + Self.forwarding
        }
        return reading
    }

    /// Queues a text; false when the client reads too slowly to go on.
    func queue(_ text: String) -> Bool {
        // Nothing follows a close frame.
        guard closesAt == nil else { return true }
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
            try codec.queueClose(code: code, reason: reason)
            output += codec.takeOutput()
        } catch {
            // A close frame left before: the connection ends all the same.
        }
        closesAt = .now + Self.linger
    }

    /// Writes what the socket takes; false when the connection is gone.
    func flush() -> Bool {
        while !output.isEmpty {
            let count = send(
                socket.descriptor, output, output.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            output.removeFirst(count)
        }
        return true
    }
}
