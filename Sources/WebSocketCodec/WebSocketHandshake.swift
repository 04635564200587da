internal import FoundationEssentials
package import Platform

/// The opening handshake of RFC 6455, section 4: texts and checks, no I/O.
package enum WebSocketHandshake {
    /// Why an upgrade did not come about.
    package enum Refusal: Error, Equatable, Sendable {
        /// The server answered with another status than 101.
        case status(Int)
        /// Not an HTTP/1.1 head, or a 101 that does not answer our key.
        case malformed
    }

    /// A fresh `Sec-WebSocket-Key`: 16 random bytes in Base64.
    package static func key(_ randomness: any Randomness) -> String {
        let words = [randomness.next(), randomness.next()]
        return Data(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
            .base64EncodedString()
    }

    /// The `Sec-WebSocket-Accept` that answers a key.
    package static func accept(_ key: String) -> String {
        Data(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }

    /// A client's request.
    ///
    /// - parameter target: path and query.
    /// - parameter host: as in the URL, with the port if it says one.
    /// - parameter headers: further fields; without CR and LF, which the caller checks.
    package static func request(
        target: String, host: String, key: String, headers: [(name: String, value: String)] = []
    ) -> [UInt8] {
        let lines =
            [
                "GET \(target) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
                "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
            ] + headers.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Checks a server's answer, as the client must (RFC 6455, 4.1): nothing was offered, so nothing may be chosen.
    ///
    /// - throws: ``Refusal`` when the connection is no WebSocket.
    package static func verify(_ response: HTTPHead, key: String) throws(Refusal) {
        guard let status = response.status else { throw .malformed }
        guard status == 101 else { throw .status(status) }
        guard response.lists("websocket", in: "Upgrade"), response.lists("Upgrade", in: "Connection"),
            response.value("Sec-WebSocket-Accept") == accept(key),
            response.value("Sec-WebSocket-Extensions") == nil, response.value("Sec-WebSocket-Protocol") == nil
        else { throw .malformed }
    }

    /// A server's answer that accepts a client's request.
    ///
    /// - throws: ``Refusal/malformed`` when the request asks for no WebSocket of version 13: answer 400.
    package static func response(to request: HTTPHead) throws(Refusal) -> [UInt8] {
        guard request.request?.method == "GET", request.lists("websocket", in: "Upgrade"),
            request.lists("Upgrade", in: "Connection"), request.value("Sec-WebSocket-Version") == "13",
            let key = request.value("Sec-WebSocket-Key"), Data(base64Encoded: key)?.count == 16
        else { throw .malformed }
        let lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(accept(key))",
        ]
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
