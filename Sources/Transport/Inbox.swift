internal import CCurl
internal import Synchronization

/// What others ask of the engine's thread.
enum Command: Sendable {
    case request(UInt64, HTTPRequest, ContinuousClock.Instant, HTTPTransfer.Reply)
    case open(UInt64, WebSocketRequest, ContinuousClock.Instant, WebSocketSession.Reply)
    case cancel(UInt64)
    /// A WebSocket's channel has orders or room.
    case serve(UInt64)
    case stop
}

/// The multi handle on its way to the engine's thread, and as other threads know it.
///
/// `@unchecked Sendable`: the engine's thread takes it over once. The one call that others make through it is `curl_multi_wakeup`, "the only thread-safe function in the multi
/// interface" made to be called from any thread; and only under ``Inbox``'s lock, which the engine takes to forget the handle
/// before it frees it.
struct WakeHandle: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
}

/// The way into the engine's thread: a list under a lock, and a wake-up for the first command on it.
///
/// The list has no bound of its own: each command belongs to a task that waits for its answer (counted by the engine, which
/// takes the list as a whole at once), or is the one `serve` that a channel has under way.
final class Inbox: Sendable {
    private struct State {
        var wake: WakeHandle?
        var commands: [Command] = []
        var waitingForEnd: [CheckedContinuation<Void, Never>] = []
        var ended = false
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    init(wake: WakeHandle) {
        state = Mutex(State(wake: wake))
    }

    func nextID() -> UInt64 {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// Hands a command over; one that comes after the end is answered here.
    func submit(_ command: Command) {
        let accepted = state.withLock { state in
            guard let wake = state.wake else { return false }
            state.commands.append(command)
            if state.commands.count == 1 {
                let code = curl_multi_wakeup(wake.multi)
                precondition(code == CURLM_OK, "curl_multi_wakeup: \(code.rawValue)")
            }
            return true
        }
        if !accepted { Self.refuse(command) }
    }

    /// Everything since the last call, in order.
    func takeAll() -> [Command] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    /// Nothing comes in any more; the multi handle may be freed after this.
    func close() {
        let left = state.withLock { state in
            state.wake = nil
            defer { state.commands = [] }
            return state.commands
        }
        left.forEach(Self.refuse)
    }

    /// The thread has nothing left to do.
    func end() {
        let waiting = state.withLock { state in
            state.ended = true
            defer { state.waitingForEnd = [] }
            return state.waitingForEnd
        }
        waiting.forEach { $0.resume() }
    }

    /// Returns after ``end()``.
    func ended() async {
        await withCheckedContinuation { continuation in
            let over = state.withLock { state in
                if !state.ended { state.waitingForEnd.append(continuation) }
                return state.ended
            }
            if over { continuation.resume() }
        }
    }

    private static func refuse(_ command: Command) {
        let closed = TransportFailure(.closed, mayHaveReachedServer: false)
        switch command {
        case .request(_, _, _, let reply): reply.resume(returning: .failure(closed))
        case .open(_, _, _, let reply): reply.resume(returning: .failure(closed))
        case .cancel, .serve, .stop: break
        }
    }
}
