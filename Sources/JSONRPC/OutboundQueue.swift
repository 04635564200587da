internal import CLinux
internal import Glibc

/// Bytes on their way to one client.
struct OutboundQueue {
    private var bytes: [UInt8] = []
    private var head = 0

    var count: Int { bytes.count - head }

    mutating func append(_ line: [UInt8]) {
        if head > 0, head >= bytes.count / 2 {
            bytes.removeSubrange(..<head)
            head = 0
        }
        bytes.append(contentsOf: line)
    }

    mutating func removeAll() {
        bytes = []
        head = 0
    }

    /// Writes what the socket takes without waiting. Whether everything is gone.
    ///
    /// - throws: what `send` fails with, of which EAGAIN is none.
    mutating func flush(to descriptor: Int32) throws(SystemError) -> Bool {
        while count > 0 {
            let sent = bytes.withUnsafeBytes { CLinux_send(descriptor, $0.baseAddress?.advanced(by: head), count) }
            if sent >= 0 {
                head += sent
                continue
            }
            let code = errno
            if code == EINTR { continue }
            if code == EAGAIN { return false }
            throw SystemError(call: "send", code: code)
        }
        // A queue that was long once does not stay so.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
        head = 0
        return true
    }
}
