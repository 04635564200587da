internal import CLinux
internal import Glibc
internal import Synchronization

/// What other threads leave for the server's thread, and the eventfd that wakes it.
final class ServerInbox: Sendable {
    /// What was left since the last look.
    struct Mail {
        /// Connections with something new to write, or fewer requests in flight.
        var touched: [UInt64] = []
        /// The shortest grace that was asked for.
        var stop: Duration?
    }

    private struct State {
        var mail = Mail()
        /// Requests of all connections, closed ones included, that a handler still works on.
        var inFlight = 0
        var isWoken = false
    }

    let descriptor: Int32
    private let state = Mutex(State())

    init() throws(SystemError) {
        descriptor = try SystemError.check("eventfd") { eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)) }
    }

    deinit { SystemError.closeDescriptor(descriptor) }

    /// Lets the descriptor sleep again. Called on the server's thread when it was told of it, before ``collect()``.
    func acknowledge() {
        var count: UInt64 = 0
        // EAGAIN would only mean that nobody woke us.
        _ = read(descriptor, &count, 8)
    }

    /// Takes what was left. Called on the server's thread, each time it wakes.
    func collect() -> Mail {
        state.withLock { state in
            state.isWoken = false
            defer { state.mail.touched.removeAll(keepingCapacity: true) }
            return state.mail
        }
    }

    func touch(_ connection: UInt64) {
        wake { $0.mail.touched.append(connection) }
    }

    var requestsInFlight: Int { state.withLock { $0.inFlight } }

    func requestStarted() {
        state.withLock { $0.inFlight += 1 }
    }

    func requestEnded() {
        wake { $0.inFlight -= 1 }
    }

    func stop(grace: Duration) {
        wake { $0.mail.stop = min($0.mail.stop ?? grace, grace) }
    }

    private func wake(_ change: (inout State) -> Void) {
        let wasWoken = state.withLock { state in
            change(&state)
            defer { state.isWoken = true }
            return state.isWoken
        }
        // After the lock, which the server's thread wants first of all. Cannot block or fail: the counter stays small (eventfd(2)).
        if !wasWoken {
            var one: UInt64 = 1
            _ = write(descriptor, &one, 8)
        }
    }
}
