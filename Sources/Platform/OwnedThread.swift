internal import Glibc

/// A thread of its own for one blocking loop. No signal is delivered to it.
package enum OwnedThread {
    /// Starts a thread that runs `body` and ends with it. What `body` alone holds is the thread's from here on.
    ///
    /// - throws: the error number of `pthread_create`, as an ``OwnedThread/StartError``.
    package static func start(_ body: sending @escaping () -> Void) throws(StartError) {
        // Signals are for the thread that waits for them: a new thread inherits the mask, so all are blocked meanwhile.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, main, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw StartError(code: code)
        }
        pthread_detach(thread)
    }

    /// Why no thread could be had.
    package struct StartError: Error, Hashable {
        package let code: Int32

        package init(code: Int32) {
            self.code = code
        }
    }

    private final class Box {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) {
            self.body = body
        }

        func run() { body() }
    }

    private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().run() }
        return nil
    }
}
