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

    /// Takes the signals over: from here on they arrive in the stream and nowhere else. A second stop ends the process
    /// at once: all that matters is durable. Reloads that nobody took yet count as one or two.
    ///
    /// They arrive also where whoever started us left them blocked. The calling thread must live as long as the process.
    ///
    /// Called once, before anything that a signal must not end halfway.
    ///
    /// - throws: the error number, when the kernel gives no pipe or no thread.
    static func take() throws(OwnedThread.StartError) -> AsyncStream<Signal> {
        // A till that hangs up is told by EPIPE. Cannot fail: SIGPIPE is a signal that may be ignored.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        // The end that the handler writes to must never hold it up, whatever it interrupted.
        guard CLinux_pipe(&ends) == 0, CLinux_make_nonblocking(ends[1]) == 0,
            CLinux_catch_signals(numbers, Int32(numbers.count), ends[1]) == 0
        else { throw OwnedThread.StartError(code: errno) }
        let (stream, relay) = SignalRelay.make()
        let end = ends[0]
        try OwnedThread.start { read(end, relay) }
        return stream
    }

    private static let numbers = [SIGTERM, SIGINT, SIGHUP]

    private static func read(_ end: Int32, _ relay: SignalRelay) {
        var relay = relay
        var number: UInt8 = 0
        while true {
            let count = Glibc.read(end, &number, 1)
            if count < 0, errno == EINTR { continue }
            // Both ends are open as long as the process: anything else is a fault of ours.
            precondition(count == 1, "the pipe of the signals was closed")
            if !relay.take(Int32(number)) { _exit(ExitCode.ended.rawValue) }
        }
    }
}

/// Hands signals on to whoever reads the stream, however late that is.
struct SignalRelay: Sendable {
    private let continuation: AsyncStream<Signals.Signal>.Continuation
    private var isStopping = false

    /// A relay and the stream that it feeds.
    static func make() -> (stream: AsyncStream<Signals.Signal>, relay: SignalRelay) {
        // Two: a waiting stop is never pushed out, since nothing is put behind it.
        let (stream, continuation) = AsyncStream<Signals.Signal>.makeStream(bufferingPolicy: .bufferingNewest(2))
        return (stream, SignalRelay(continuation: continuation))
    }

    private init(continuation: AsyncStream<Signals.Signal>.Continuation) {
        self.continuation = continuation
    }

    /// Takes the number of a signal; false when it is the second stop, and nothing is to be waited for any more.
    mutating func take(_ number: Int32) -> Bool {
        if number == SIGHUP {
            if !isStopping { continuation.yield(.reload) }
            return true
        }
        guard !isStopping else { return false }
        isStopping = true
        continuation.yield(.stop)
        return true
    }
}
