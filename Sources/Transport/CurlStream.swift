internal import CCurl

/// The bytes of a `CONNECT_ONLY` connection.
final class CurlStream {
    enum Portion {
        case bytes(ArraySlice<UInt8>)
        case nothingNow
        /// The end, in order or not.
        case end
    }

    let socket: curl_socket_t
    private let easy: EasyHandle
    private var input = [UInt8](repeating: 0, count: 16 << 10)
    /// The portion in libcurl's hands. After `CURLE_AGAIN` OpenSSL wants the same bytes at the same address again, so this
    /// array stays untouched until it is all sent.
    private var sending: [UInt8] = []
    private var sent = 0
    /// What is to be sent after that.
    var output: [UInt8] = []

    /// Nil when libcurl has no connection any more.
    init?(_ easy: EasyHandle) {
        var socket = CURL_SOCKET_BAD
        guard CCurl_get_socket(easy.pointer, &socket) == CURLE_OK, socket != CURL_SOCKET_BAD else { return nil }
        self.socket = socket
        self.easy = easy
    }

    var hasOutput: Bool { sent < sending.count || !output.isEmpty }

    func read() -> Portion {
        var count = 0
        let code = input.withUnsafeMutableBytes { curl_easy_recv(easy.pointer, $0.baseAddress, $0.count, &count) }
        if code == CURLE_AGAIN { return .nothingNow }
        return code == CURLE_OK && count > 0 ? .bytes(input[..<count]) : .end
    }

    /// Writes until all is sent or the socket takes no more. False when the connection is broken.
    func flush() -> Bool {
        while hasOutput {
            if sent == sending.count {
                sending = output
                sent = 0
                output = []
            }
            var count = 0
            let code = sending.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return curl_easy_send(easy.pointer, rest.baseAddress, rest.count, &count)
            }
            sent += count
            if code == CURLE_AGAIN { return true }
            guard code == CURLE_OK else { return false }
        }
        return true
    }
}
