import CSSL
import Glibc
import WebSocketCodec

/// A script's connection: blocking reads and writes, with or without TLS.
final class Peer {
    let descriptor: Int32
    private let tls: OpaquePointer?
    private var input: [UInt8] = []

    init(_ descriptor: Int32, tls: OpaquePointer?) {
        self.descriptor = descriptor
        self.tls = tls
    }

    /// The end of the client's stream, in order or not.
    struct End: Error {}

    /// The next bytes, at least one.
    func read() throws -> [UInt8] {
        if !input.isEmpty {
            defer { input = [] }
            return input
        }
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count =
            tls.map { Int(SSL_read($0, &buffer, Int32(buffer.count))) } ?? recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw End() }
        return Array(buffer[..<count])
    }

    /// A request's head and its body of `Content-Length`.
    @discardableResult
    func readRequest() throws -> (head: HTTPHead, body: [UInt8]) {
        var bytes: [UInt8] = []
        while true {
            bytes += try read()
            switch HTTPHead.parse(bytes) {
            case .needsMore: continue
            case .malformed: throw End()
            case .complete(let head, let count):
                let length = head.value("Content-Length").flatMap(Int.init) ?? 0
                while bytes.count < count + length { bytes += try read() }
                input = Array(bytes[(count + length)...])
                return (head, Array(bytes[count..<(count + length)]))
            }
        }
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                tls.map { Int(SSL_write($0, bytes.baseAddress, Int32(bytes.count))) }
                    ?? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw End() }
            rest = rest.dropFirst(count)
        }
    }

    func write(_ text: String) throws {
        try write(Array(text.utf8))
    }

    /// An answer with its length.
    func answer(_ status: String = "200 OK", headers: String = "", _ body: String = "") throws {
        try write("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Says nothing until the client goes.
    func stall() {
        while (try? read()) != nil {}
    }

    /// Reads nothing, until the server stops.
    func ignore() {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        _ = poll(&entry, 1, -1)
    }

    /// Makes the coming close a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    /// Accepts a WebSocket upgrade.
    func acceptWebSocket() throws -> ServerSocket {
        try write(WebSocketHandshake.response(to: readRequest().head))
        return ServerSocket(self)
    }
}

/// A script's WebSocket.
final class ServerSocket {
    let peer: Peer
    let codec: WebSocketCodec
    private var messages: [WebSocketMessage] = []

    init(_ peer: Peer) {
        self.peer = peer
        codec = WebSocketCodec(role: .server, maxOutputBytes: 1 << 24, maskKeys: FixedRandomness())
    }

    func next() throws -> WebSocketMessage {
        while messages.isEmpty {
            messages = codec.receive(try peer.read()).messages
            try peer.write(codec.takeOutput())
        }
        return messages.removeFirst()
    }

    func send(_ text: String) throws {
        try codec.queue(text: text)
        try peer.write(codec.takeOutput())
    }

    func close(_ code: Int, _ reason: String = "") throws {
        try codec.queueClose(code: code, reason: reason)
        try peer.write(codec.takeOutput())
    }
}
