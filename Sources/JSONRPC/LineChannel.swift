internal import CLinux
internal import Glibc
internal import Synchronization

/// Why a client has no daemon to talk to.
package enum RPCClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nobody answers at the path.
    case unreachable(path: String, SystemError)
    /// The connection ended before the answer came: whether the request was carried out is unknown.
    case connectionLost
    /// The daemon sent something that is no JSON-RPC.
    case malformedAnswer
    /// The daemon answered with an error.
    case refused(RPCError)

    package var description: String {
        switch self {
        case .unreachable(let path, let error): "no daemon can be reached at \(path): \(error)"
        case .connectionLost: "the connection to the daemon ended before its answer"
        case .malformedAnswer: "the daemon sent something that is no JSON-RPC 2.0"
        case .refused(let error): error.message
        }
    }
}

/// The client's end of a connection, as lines; for tests and tools that look at the wire. Its calls block, so they
/// belong on threads of one's own. Any thread may send, one at a time reads.
package final class LineChannel: Sendable {
    private struct Input {
        var framer: LineFramer
        var chunk = [UInt8](repeating: 0, count: 65_536)
        var hasEnded = false
    }

    private let descriptor: Int32
    private let input: Mutex<Input>
    private let output = Mutex(())

    /// - throws: `unreachable`.
    package init(path: String, lineLimit: Int = 16_777_216) throws(RPCClientError) {
        input = Mutex(Input(framer: LineFramer(limit: lineLimit)))
        do throws(SystemError) {
            let descriptor = try SystemError.check("socket") { CLinux_unix_socket(0) }
            do throws(SystemError) {
                try SystemError.check("connect") { CLinux_unix_connect(descriptor, path) }
            } catch {
                SystemError.closeDescriptor(descriptor)
                throw error
            }
            self.descriptor = descriptor
        } catch {
            throw .unreachable(path: path, error)
        }
    }

    deinit { SystemError.closeDescriptor(descriptor) }

    /// Sends all of `bytes`, waiting for room.
    ///
    /// - throws: `connectionLost`.
    package func send(_ bytes: some Sequence<UInt8>) throws(RPCClientError) {
        let bytes = Array(bytes)
        try output.withLock { _ throws(RPCClientError) in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes { rest in
                    CLinux_send(descriptor, rest.baseAddress?.advanced(by: sent), rest.count - sent)
                }
                if count < 0 && errno != EINTR { throw .connectionLost }
                sent += max(count, 0)
            }
        }
    }

    /// Waits for the next line, without its ending; `nil` at the end of the connection, however it came.
    ///
    /// - throws: `malformedAnswer` for a line past the limit.
    package func receive() throws(RPCClientError) -> ArraySlice<UInt8>? {
        try input.withLock { input throws(RPCClientError) in
            while true {
                switch input.framer.next() {
                case .line(let line): return line
                case .tooLong: throw .malformedAnswer
                case nil: if input.hasEnded { return nil }
                }
                let count = input.chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
                if count > 0 {
                    let bytes = input.chunk[..<count]
                    bytes.withUnsafeBytes { input.framer.append($0) }
                } else if count == 0 || errno != EINTR {
                    input.hasEnded = true
                    if count == 0 { input.framer.finish() }
                }
            }
        }
    }

    /// Shuts the writing side: the daemon answers what was asked, then closes.
    package func finishSending() {
        // Fails only when the daemon has closed already.
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends the connection; a waiting ``receive()`` returns `nil`.
    package func close() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
