import CSSL
import Glibc
import Platform
import Synchronization

/// A server on a loopback port that plays a script with each connection, on a thread each.
final class ScriptServer: Sendable {
    typealias Script = @Sendable (Peer) throws -> Void

    private struct State {
        var stopped = false
        var open: Set<Int32> = []
        var accepted = 0
    }

    let port: Int
    private let listener: Int32
    private let identity: TLSIdentity?
    private let script: Script
    private let state = Mutex(State())

    init(tls identity: TLSIdentity? = nil, _ script: @escaping Script) {
        self.identity = identity
        self.script = script
        (listener, port) = Self.listen(backlog: 256)
        let thread = TestThread { [listener] in self.accept(listener) }
        thread.start()
    }

    /// A listening loopback socket and its port.
    static func listen(backlog: Int32) -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                precondition(bind(descriptor, address, length) == 0 && Glibc.listen(descriptor, backlog) == 0)
                precondition(getsockname(descriptor, address, &length) == 0)
            }
            return Int(pointer.pointee.sin_port.byteSwapped)
        }
        return (descriptor, port)
    }

    var url: String { "\(identity == nil ? "http" : "https")://\(identity == nil ? "127.0.0.1" : "localhost"):\(port)" }
    var webSocketURL: String { "ws" + url.dropFirst(4) }
    var acceptedCount: Int { state.withLock { $0.accepted } }

    /// Ends every connection and takes no more.
    func stop() {
        state.withLock { state in
            // Once: the accepting thread closes the listener then, and its number may be another's.
            guard !state.stopped else { return }
            state.stopped = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            shutdown(listener, Int32(SHUT_RDWR))
        }
    }

    private func accept(_ listener: Int32) {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            let stopped = state.withLock { state in
                state.open.insert(descriptor)
                state.accepted += 1
                return state.stopped
            }
            if stopped { shutdown(descriptor, Int32(SHUT_RDWR)) }
            TestThread { self.serve(descriptor) }.start()
        }
        close(listener)
    }

    private func serve(_ descriptor: Int32) {
        let tls = identity.flatMap { $0.accept(descriptor) }
        // A client that refuses the certificate ends the handshake: no script then.
        if identity == nil || tls != nil {
            do { try script(Peer(descriptor, tls: tls)) } catch {
                // The client went first; the script's own expectations speak for themselves.
            }
        }
        tls.map(TLSIdentity.finish)
        state.withLock { state in
            state.open.remove(descriptor)
            _ = close(descriptor)
        }
    }
}

/// A detached thread for blocking code, with the signals off that a broken pipe would bring.
struct TestThread {
    private final class Box {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    func start() {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body)).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { context in
                var signals = sigset_t()
                sigfillset(&signals)
                pthread_sigmask(SIG_SETMASK, &signals, nil)
                if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, box)
        precondition(code == 0)
        pthread_detach(thread)
    }
}

struct FixedRandomness: Randomness {
    func next() -> UInt64 { 0x0123_4567_89AB_CDEF }
}
