internal import Glibc

/// Starts the thread that owns an ``Engine``.
enum EngineThread {
    /// The thread takes the engine over; the caller must not touch it again.
    ///
    /// All signals are blocked on the thread, and on libcurl's look-up threads after it: OpenSSL writes without `MSG_NOSIGNAL`,
    /// and SIGPIPE goes to the thread that wrote.
    static func start(_ engine: Engine) throws(TransportError) {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        let masked = pthread_sigmask(SIG_SETMASK, &all, &before)
        precondition(masked == 0, "pthread_sigmask: \(masked)")
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let context = Unmanaged.passRetained(engine)
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, body, context.toOpaque())
        guard code == 0 else {
            context.release()
            throw .threadUnavailable(errno: code)
        }
        pthread_detach(thread)
    }

    private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context { Unmanaged<Engine>.fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
}
