/// When the next read of GET /pay/status is due (seed 000, "Following the payment").
///
/// | situation                                   | wait until the next read                        |
/// |---------------------------------------------|-------------------------------------------------|
/// | subscribed to realtime                      | 15 s                                            |
/// | less than 2 minutes since the last change   | 5 s                                             |
/// | later                                       | 1.5 × the last wait, at most 15 s: 7.5, 11.25, 15 |
/// | after 1, 2, 3, 4, 5 … reads without answer  | at least 5, 10, 20, 40, 60 … s                  |
/// | the server sent `Retry-After`               | at least that                                   |
///
/// A change starts over at 5 s. The watch's end and a realtime signal come before the schedule: see ``PaymentMachine``.
package struct ReadSchedule: Hashable, Codable, Sendable {
    package static let first: Duration = .seconds(5)
    package static let longest: Duration = .seconds(15)
    package static let growth = 1.5
    package static let quietAfter: Duration = .seconds(120)

    /// The last wait while unsubscribed; what the growth goes on from.
    private var lastWait = first
    /// Reads without an answer, in a row.
    private var failures = 0
    private var lastChange: Instant

    /// A schedule that starts now, as after a change.
    package init(now: Instant) {
        lastChange = now
    }

    /// Notes that the payment changed: the waits start over.
    package mutating func changed(at now: Instant) {
        lastChange = now
        lastWait = Self.first
    }

    /// Notes an answer and returns the wait until the next read.
    package mutating func answered(at now: Instant, subscribed: Bool) -> Duration {
        failures = 0
        return nextWait(at: now, subscribed: subscribed)
    }

    /// Notes a read without an answer and returns the wait until the next.
    package mutating func missed(at now: Instant, subscribed: Bool, retryAfter: Duration?) -> Duration {
        failures += 1
        return max(
            nextWait(at: now, subscribed: subscribed), Backoff.wait(afterFailures: failures), retryAfter ?? .zero)
    }

    /// Moves the schedule's own moments after a reboot.
    package mutating func shift(by offset: Duration) {
        lastChange = lastChange + offset
    }

    private mutating func nextWait(at now: Instant, subscribed: Bool) -> Duration {
        let wait = Self.wait(after: lastWait, sinceChange: now - lastChange, subscribed: subscribed)
        if !subscribed { lastWait = wait }
        return wait
    }

    /// The table's first three rows, as a pure function.
    package static func wait(after lastWait: Duration, sinceChange: Duration, subscribed: Bool) -> Duration {
        if subscribed { return longest }
        if sinceChange < quietAfter { return first }
        return min(lastWait * growth, longest)
    }
}

/// How long to leave a server alone after calls without an answer, in a row.
///
/// | failures | 1   | 2    | 3    | 4    | 5 and more |
/// |----------|-----|------|------|------|------------|
/// | wait     | 5 s | 10 s | 20 s | 40 s | 60 s       |
package enum Backoff {
    package static let longest: Duration = .seconds(60)

    package static func wait(afterFailures failures: Int) -> Duration {
        min(.seconds(5) * (1 << min(max(failures - 1, 0), 4)), longest)
    }
}

/// When reads go on after the watch has ended (design.md, "After the watch"): after 1, 2, 4, 8, 16, 32, then every 60 minutes.
package enum FollowUpSchedule {
    package static func wait(afterReads reads: Int) -> Duration {
        min(.seconds(60) * (1 << min(max(reads, 0), 6)), .seconds(3600))
    }
}
