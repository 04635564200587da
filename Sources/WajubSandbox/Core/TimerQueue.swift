package import Contract

/// Timers as data, the earliest first; of equal deadlines the one scheduled first. A timer that lost its meaning is
/// ignored by its owner when it fires.
package struct TimerQueue<Purpose: Sendable>: Sendable {
    private struct Timer: Sendable {
        let deadline: Instant
        let order: UInt64
        let purpose: Purpose

        func isBefore(_ other: Timer) -> Bool {
            (deadline, order) < (other.deadline, other.order)
        }
    }

    /// A binary heap.
    private var timers: [Timer] = []
    private var scheduled: UInt64 = 0

    package init() {}

    package var nextDeadline: Instant? { timers.first?.deadline }

    package mutating func schedule(_ purpose: Purpose, at deadline: Instant) {
        scheduled += 1
        timers.append(Timer(deadline: deadline, order: scheduled, purpose: purpose))
        var child = timers.count - 1
        while child > 0, timers[child].isBefore(timers[(child - 1) / 2]) {
            timers.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the earliest timer that is due at `now`.
    package mutating func popDue(at now: Instant) -> Purpose? {
        guard let first = timers.first, first.deadline <= now else { return nil }
        let last = timers.removeLast()
        guard !timers.isEmpty else { return first.purpose }
        timers[0] = last
        var parent = 0
        while let child = earlierChild(of: parent), timers[child].isBefore(timers[parent]) {
            timers.swapAt(parent, child)
            parent = child
        }
        return first.purpose
    }

    private func earlierChild(of parent: Int) -> Int? {
        let (left, right) = (2 * parent + 1, 2 * parent + 2)
        guard left < timers.count else { return nil }
        return right < timers.count && timers[right].isBefore(timers[left]) ? right : left
    }
}
