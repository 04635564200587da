internal import CLinux
internal import Glibc
internal import Synchronization

/// A thread of our own for calls that block, so that none of them holds a thread of the shared pool.
package final class OwnedThread<Value: Sendable>: Sendable {
    private enum State {
        case running([CheckedContinuation<Value, Never>])
        case ended(Value)
    }

    private let state = Mutex(State.running([]))

    private init() {}

    /// Starts `body` on a new thread called `name` (15 bytes at most, pthread_setname_np(3)).
    ///
    /// - throws: `pthread_create`'s error: no memory, or the limit of threads.
    package static func start(
        name: String, _ body: @escaping @Sendable () -> Value
    ) throws(SystemError) -> OwnedThread {
        let thread = OwnedThread()
        try startThread(name: name) { thread.end(with: body()) }
        return thread
    }

    /// What the thread's body returned, once it has. Does not end early when the task is cancelled.
    package var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let ended = state.withLock { state -> Value? in
                    switch state {
                    case .running(let waiting):
                        state = .running(waiting + [continuation])
                        return nil
                    case .ended(let value): return value
                    }
                }
                if let ended { continuation.resume(returning: ended) }
            }
        }
    }

    private func end(with value: Value) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            defer { state = .ended(value) }
            if case .running(let waiting) = state { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}

/// Carries a closure through `pthread_create`'s pointer.
private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

private func startThread(name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
    let body = Unmanaged.passRetained(ThreadBody(run))
    var thread = pthread_t()
    let code = pthread_create(
        &thread, nil,
        { context in
            guard let context else { return nil }
            Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }, body.toOpaque())
    guard code == 0 else {
        body.release()
        throw SystemError(call: "pthread_create", code: code)
    }
    // A name too long is refused and costs nothing but the name. The detached thread frees itself.
    _ = CLinux_name_thread(thread, name)
    _ = pthread_detach(thread)
}
