package import Contract
package import FoundationEssentials
internal import Platform
internal import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualTime: TimeSource {
    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Instant
        var nextID: UInt64 = 0
        var sleepers: [Sleeper] = []
        var cancelled: Set<UInt64> = []
        var watchers: [(latest: Instant, CheckedContinuation<Void, Never>)] = []
    }

    private let state: Mutex<State>
    private let start: Instant
    private let wallStart: Date

    package let speed: Double = 1

    package init(
        start: Instant = Instant(nanoseconds: 1_000_000_000_000),
        wall: Date = Date(timeIntervalSince1970: 1_800_000_000)
    ) {
        self.start = start
        wallStart = wall
        state = Mutex(State(now: start))
    }

    package var now: Instant { state.withLock { $0.now } }
    package var wallNow: Date { wallStart.addingTimeInterval((now - start).inSeconds) }

    package func sleep(until deadline: Instant) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (result, watchers): (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) = state.withLock
                { state in
                    if state.cancelled.remove(id) != nil { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    let content = state.watchers.filter { deadline <= $0.latest }.map(\.1)
                    state.watchers.removeAll { deadline <= $0.latest }
                    return (nil, content)
                }
                watchers.forEach { $0.resume() }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// The earliest deadline anybody waits for.
    package var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Returns once somebody sleeps that will wake at `latest` or earlier (at once, if somebody does).
    package func sleeperArrived(before latest: Instant = Instant(nanoseconds: .max)) async {
        await withCheckedContinuation { continuation in
            let resume = state.withLock { state in
                if state.sleepers.contains(where: { $0.deadline <= latest }) { return true }
                state.watchers.append((latest, continuation))
                return false
            }
            if resume { continuation.resume() }
        }
    }

    /// Moves the clock and wakes whoever is due, the earliest first.
    package func advance(by duration: Duration) {
        advance(to: now + duration)
    }

    /// Moves the clock to `instant` (never back) and wakes whoever is due, the earliest first.
    package func advance(to instant: Instant) {
        let due: [Sleeper] = state.withLock { state in
            state.now = max(state.now, instant)
            let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        due.forEach { $0.continuation.resume() }
    }
}
