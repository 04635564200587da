internal import Glibc
internal import Platform

/// The signals that the daemon listens to.
enum Signals {
    enum Signal: Sendable {
        /// SIGTERM or SIGINT.
        case stop
        /// SIGHUP.
        case reload
    }

    /// Takes the signals over: from here on they arrive in the stream and nowhere else. To be called before any thread starts,
    /// since threads inherit the mask. A second stop ends the process at once: all that matters is durable.
    ///
    /// - throws: when no thread can be had.
    static func take() throws -> AsyncStream<Signal> {
        // A till that hangs up is told by EPIPE.
        signal(SIGPIPE, SIG_IGN)
        let set = watched()
        var blocked = set
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        try OwnedThread.start { wait(continuation) }
        return stream
    }

    private static func watched() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        return set
    }

    private static func wait(_ continuation: AsyncStream<Signal>.Continuation) {
        var set = watched()
        var stops = 0
        while true {
            var number: Int32 = 0
            guard sigwait(&set, &number) == 0 else { continue }
            if number == SIGHUP {
                continuation.yield(.reload)
                continue
            }
            stops += 1
            if stops > 1 { _exit(ExitCode.ended.rawValue) }
            continuation.yield(.stop)
        }
    }
}
