internal import Synchronization

/// A value that comes once, from a thread, and is waited for in tasks.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case awaited([CheckedContinuation<Value, Never>])
        case resolved(Value)
    }

    private let state = Mutex(State.awaited([]))

    /// Waits for the value, also when the task is cancelled meanwhile: whoever promised it delivers it.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value = state.withLock { state -> Value? in
                    switch state {
                    case .awaited(let waiting):
                        state = .awaited(waiting + [continuation])
                        return nil
                    case .resolved(let value): return value
                    }
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }

    /// Delivers the value; the first one counts.
    func resolve(_ value: Value) {
        let waiting = state.withLock { state -> [CheckedContinuation<Value, Never>] in
            guard case .awaited(let waiting) = state else { return [] }
            state = .resolved(value)
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
