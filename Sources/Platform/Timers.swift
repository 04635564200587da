internal import CLinux
internal import Glibc
internal import Synchronization

/// Wakes tasks at moments of `CLOCK_BOOTTIME`: one thread of its own, asleep until the first of them.
///
/// In place of `Task.sleep`, which is libdispatch's: once it has kept a timer, its monitor of its thread pool wakes the process each
/// second for as long as it lives.
final class Timers: Sendable {
    /// The process's own.
    static let shared = Timers()

    private struct Timer {
        let moment: Int64
        let id: UInt64
        let task: CheckedContinuation<Void, any Error>

        func isBefore(moment: Int64, id: UInt64) -> Bool { (self.moment, self.id) < (moment, id) }
    }

    private struct State {
        /// The last to ring first, so that taking the next away moves none.
        var timers: [Timer] = []
        var lastID: UInt64 = 0

        /// Where a timer stands, or would.
        func index(moment: Int64, id: UInt64) -> Int {
            var (low, high) = (0, timers.count)
            while low < high {
                let middle = (low + high) / 2
                if timers[middle].isBefore(moment: moment, id: id) { high = middle } else { low = middle + 1 }
            }
            // The first that is not after it; itself, where it is there.
            return low > 0 && timers[low - 1].id == id ? low - 1 : low
        }
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    private init() {
        descriptor = CLinux_boottime_timer()
        precondition(descriptor >= 0, "timerfd_create: \(String(cString: strerror(errno)))")
        do throws(OwnedThread.StartError) {
            try OwnedThread.start { [unowned self] in
                // The process's own is never let go of.
                while true { ring() }
            }
        } catch {
            preconditionFailure("no thread for the timers: \(String(cString: strerror(error.code)))")
        }
    }

    /// Returns at `moment`, in nanoseconds of `CLOCK_BOOTTIME`, or later.
    ///
    /// - throws: `CancellationError` when the task is cancelled first.
    func sleep(until moment: Int64) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { task in
                let isAdded = state.withLock { state in
                    // A cancel that came before this found nothing to end; one that comes later waits for the lock.
                    if Task.isCancelled { return false }
                    let index = state.index(moment: moment, id: id)
                    state.timers.insert(Timer(moment: moment, id: id, task: task), at: index)
                    if index == state.timers.count - 1 { setAlarm(state) }
                    return true
                }
                if !isAdded { task.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            cancel(moment: moment, id: id)?.resume(throwing: CancellationError())
        }
    }

    private func cancel(moment: Int64, id: UInt64) -> CheckedContinuation<Void, any Error>? {
        state.withLock { state in
            let index = state.index(moment: moment, id: id)
            guard index < state.timers.count, state.timers[index].id == id else { return nil }
            let task = state.timers.remove(at: index).task
            if index == state.timers.count { setAlarm(state) }
            return task
        }
    }

    /// Waits for the alarm, and wakes all whose moment has come, in order.
    private func ring() {
        var rings: UInt64 = 0
        // Its one error is a signal, and the thread takes none.
        _ = read(descriptor, &rings, 8)
        let due = state.withLock { state in
            let now = BootTime.nanoseconds
            var due: [CheckedContinuation<Void, any Error>] = []
            while let next = state.timers.last, next.moment <= now {
                due.append(next.task)
                state.timers.removeLast()
            }
            setAlarm(state)
            return due
        }
        for task in due { task.resume() }
    }

    /// At the first moment; never, where there is none.
    private func setAlarm(_ state: borrowing State) {
        // Zero would mean never, and a moment that has passed has to ring.
        let code = CLinux_set_timer(descriptor, state.timers.last.map { max($0.moment, 1) } ?? 0)
        precondition(code == 0, "timerfd_settime: \(String(cString: strerror(errno)))")
    }
}

/// `CLOCK_BOOTTIME`: it counts suspend, and no change of the clock touches it.
enum BootTime {
    static var nanoseconds: Int64 {
        var time = timespec()
        // Cannot fail: the clock exists since Linux 2.6.39 and the pointer is valid.
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
