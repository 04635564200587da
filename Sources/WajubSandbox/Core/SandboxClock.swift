package import Contract
package import FoundationEssentials

/// What the sandbox's wall clock shows at an instant of its own, maybe faster, time. `Date` headers and `expires_at`
/// come from here alone, so that they agree at any `--speed`.
package struct SandboxClock: Hashable, Sendable {
    private let start: Instant
    private let wall: Date

    /// - parameter wall: the wall clock's time at `start`.
    package init(start: Instant, wall: Date) {
        self.start = start
        self.wall = wall
    }

    package func date(at instant: Instant) -> Date {
        wall.addingTimeInterval((instant - start).inSeconds)
    }

    /// RFC 3339, UTC, with milliseconds.
    package func timestamp(at instant: Instant) -> String {
        date(at: instant).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// The value of a `Date` header (RFC 9110, 5.6.7).
    package func httpDate(at instant: Instant) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents(
            [.weekday, .day, .month, .year, .hour, .minute, .second], from: date(at: instant))
        let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][(parts.weekday ?? 1) - 1]
        let month = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][(parts.month ?? 1) - 1]
        let time = [parts.hour, parts.minute, parts.second].map(Self.twoDigits).joined(separator: ":")
        return "\(weekday), \(Self.twoDigits(parts.day)) \(month) \(parts.year ?? 1970) \(time) GMT"
    }

    private static func twoDigits(_ number: Int?) -> String {
        let digits = "\(number ?? 0)"
        return digits.utf8.count < 2 ? "0" + digits : digits
    }
}
