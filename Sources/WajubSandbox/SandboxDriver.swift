internal import CLinux
internal import Contract
internal import Glibc
internal import Platform
internal import Synchronization

/// The one lock around ``SandboxCore``, and the way from what it decides to whoever waits for it.
final class SandboxDriver: Sendable {
    /// Who gets a late answer.
    private enum Caller {
        case exchange(HTTPExchange)
        case task(CheckedContinuation<SandboxAnswer?, Never>)
    }

    /// What the realtime thread has to do.
    struct Work {
        var outputs: [PusherServer.Output] = []
        var isStopping = false
    }

    private struct State {
        var core: SandboxCore
        var callers: [SandboxCore.HoldID: Caller] = [:]
        var work = Work()
        /// When the realtime thread wakes by itself.
        var plannedWake: Instant?
    }

    let time: any TimeSource
    /// An eventfd that wakes the realtime thread.
    let wakeDescriptor: Int32
    private let state: Mutex<State>

    init(core: SandboxCore, time: any TimeSource) throws(SandboxStartError) {
        let descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SandboxStartError("eventfd: \(String(cString: strerror(errno)))") }
        wakeDescriptor = descriptor
        self.time = time
        state = Mutex(State(core: core))
    }

    deinit {
        close(wakeDescriptor)
    }

    /// Calls the core with the present moment and carries out what it decided.
    func perform<Result: Sendable>(_ body: (inout SandboxCore, Instant) -> sending Result) -> sending Result {
        let (result, wakes) = state.withLock { state in
            let result = body(&state.core, time.now)
            return (result, drain(&state))
        }
        if wakes { wake() }
        return result
    }

    /// Answers a request of the server's thread; `nil` when the exchange was suspended.
    func receive(_ exchange: HTTPExchange) -> SandboxCore.Delivery? {
        let request = exchange.request
        let (delivery, wakes): (SandboxCore.Delivery?, Bool) = state.withLock { state in
            let reception = state.core.receive(request, at: time.now)
            let delivery: SandboxCore.Delivery?
            switch reception {
            case .deliver(let now): delivery = now
            case .hold(let id):
                delivery = nil
                // Inside the lock: nobody can resume before it is suspended.
                exchange.suspend()
                state.callers[id] = .exchange(exchange)
            }
            return (delivery, drain(&state))
        }
        if wakes { wake() }
        return delivery
    }

    /// Answers a request of this process; `nil` when a fault drops it.
    func answer(_ request: SandboxRequest) async -> SandboxAnswer? {
        await withCheckedContinuation { continuation in
            let (answer, wakes): (SandboxAnswer??, Bool) = state.withLock { state in
                let reception = state.core.receive(request, at: time.now)
                let answer: SandboxAnswer??
                switch reception {
                case .deliver(.answer(let now)): answer = now
                case .deliver(.drop): answer = .some(nil)
                case .hold(let id):
                    answer = nil
                    state.callers[id] = .task(continuation)
                }
                return (answer, drain(&state))
            }
            if wakes { wake() }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    /// What there is to do for the realtime thread, everything due included.
    func takeWork() -> Work {
        state.withLock { state in
            state.core.advance(to: time.now)
            _ = drain(&state)
            defer { state.work = Work(isStopping: state.work.isStopping) }
            return state.work
        }
    }

    /// How many milliseconds the realtime thread may sleep; -1 for as long as nobody wakes it.
    func planSleep() -> Int32 {
        state.withLock { state in
            guard state.work.outputs.isEmpty else { return 0 }
            state.plannedWake = state.core.nextDeadline
            guard let deadline = state.core.nextDeadline else { return -1 }
            // Rounded up, so that it is due on waking; a minute at most, whatever the deadline says.
            let real = time.real(max(deadline - time.now, .zero)).inSeconds
            return Int32(min((real * 1_000).rounded(.up), 60_000))
        }
    }

    /// Drops everybody who waits.
    func stop() {
        state.withLock { state in
            state.core.stop()
            state.work.isStopping = true
            _ = drain(&state)
        }
        wake()
    }

    /// Delivers what is ready; true when the realtime thread has to wake.
    private func drain(_ state: inout sending State) -> Bool {
        for output in state.core.takeOutputs() {
            switch output {
            case .realtime(let realtime): state.work.outputs.append(realtime)
            case .deliver(let id, let delivery):
                switch state.callers.removeValue(forKey: id) {
                case .exchange(let exchange)?: exchange.resume(with: delivery)
                case .task(let continuation)?:
                    if case .answer(let answer) = delivery {
                        continuation.resume(returning: answer)
                    } else {
                        continuation.resume(returning: nil)
                    }
                case nil: preconditionFailure("nobody waits for hold \(id.number)")
                }
            }
        }
        if !state.work.outputs.isEmpty { return true }
        guard let deadline = state.core.nextDeadline else { return false }
        return state.plannedWake.map { deadline < $0 } ?? true
    }

    private func wake() {
        // Fails only when 2^64 wakes are pending.
        eventfd_write(wakeDescriptor, 1)
    }
}
