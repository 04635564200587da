internal import CLinux
// Its header brings <netinet/in.h>, which in a release build belongs to no other module.
internal import CMicrohttpd
internal import CSSL
internal import Glibc

/// A client's connection to the realtime port, plain or encrypted, that never blocks. Owned by the realtime thread.
final class PeerStream {
    enum Reading {
        case bytes([UInt8])
        case later
        case ended
    }

    enum Writing {
        case wrote(Int)
        case later
        case ended
    }

    private static let portion = 65_536
    let descriptor: Int32
    private let tls: OpaquePointer?
    /// Whether TLS itself has something to write before it can read.
    private(set) var readsAfterWriting = false

    /// Takes over a descriptor; `nil`, with the descriptor closed, when TLS has no memory for it.
    init?(descriptor: Int32, context: TLSContext?) {
        self.descriptor = descriptor
        tls = context?.connection(descriptor)
        if context != nil, tls == nil {
            Glibc.close(descriptor)
            return nil
        }
    }

    /// Reads what is there, at most 64 KiB; to be called until it says `later`, since TLS holds bytes back.
    func read() -> Reading {
        var bytes = [UInt8](repeating: 0, count: Self.portion)
        if let tls {
            ERR_clear_error()
            let count = SSL_read(tls, &bytes, Int32(bytes.count))
            if count > 0 { return .bytes(Array(bytes.prefix(Int(count)))) }
            let error = SSL_get_error(tls, count)
            readsAfterWriting = error == SSL_ERROR_WANT_WRITE
            return error == SSL_ERROR_WANT_READ || readsAfterWriting ? .later : .ended
        }
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { return .bytes(Array(bytes.prefix(count))) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .later : .ended
    }

    func write(_ bytes: [UInt8]) -> Writing {
        if let tls {
            ERR_clear_error()
            let count = SSL_write(tls, bytes, Int32(min(bytes.count, Self.portion)))
            if count > 0 { return .wrote(Int(count)) }
            let error = SSL_get_error(tls, count)
            return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? .later : .ended
        }
        let count = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 { return .wrote(count) }
        return errno == EAGAIN || errno == EINTR ? .later : .ended
    }

    /// Ends the connection without a word: under TLS without its goodbye either, as a cut line would.
    func close() {
        if let tls { SSL_free(tls) }
        Glibc.close(descriptor)
    }

    /// A socket that listens on 127.0.0.1, and its port.
    ///
    /// - throws: ``SandboxStartError`` when the port is taken.
    static func listen(port: UInt16) throws(SandboxStartError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SandboxStartError("socket: \(String(cString: strerror(errno)))") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var yes: Int32 = 1
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) == 0
                    && bind(descriptor, generic, size) == 0 && Glibc.listen(descriptor, 256) == 0
                    && fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && getsockname(descriptor, generic, &size) == 0
            }
        }
        guard isListening else {
            let reason = String(cString: strerror(errno))
            Glibc.close(descriptor)
            throw SandboxStartError("cannot listen on 127.0.0.1:\(port): \(reason)")
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
