internal import CLinux
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

    /// Takes the signals over: from here on they arrive in the stream and nowhere else. A second stop ends the process at once: all
    /// that matters is durable.
    ///
    /// - throws: the error number, when the kernel gives no pipe or no thread.
    static func take() throws -> AsyncStream<Signal> {
        // A till that hangs up is told by EPIPE.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        let numbers = [SIGTERM, SIGINT, SIGHUP]
        guard CLinux_pipe(&ends) == 0, CLinux_catch_signals(numbers, Int32(numbers.count), ends[1]) == 0 else {
            throw OwnedThread.StartError(code: errno)
        }
        let (stream, continuation) = AsyncStream<Signal>.makeStream()
        let end = ends[0]
        try OwnedThread.start { read(end, continuation) }
        return stream
    }

    private static func read(_ end: Int32, _ continuation: AsyncStream<Signal>.Continuation) {
        var stops = 0
        var number: UInt8 = 0
        while true {
            guard Glibc.read(end, &number, 1) == 1 else { continue }
            if Int32(number) == SIGHUP {
                continuation.yield(.reload)
                continue
            }
            stops += 1
            if stops > 1 { _exit(ExitCode.ended.rawValue) }
            continuation.yield(.stop)
        }
    }
}
