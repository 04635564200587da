/// A moment on the daemon's own clock: nanoseconds on `CLOCK_BOOTTIME`, times `--speed`.
///
/// It counts suspend and no change of the wall clock touches it (seed 000, "Following the payment": the watch is timed on the
/// monotonic clock). It means nothing across a reboot: see ``PaymentMachine/rebase(from:to:)``.
package struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the boot, times the speed.
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Saturates: a wait that a server or a till names may be longer than the clock runs.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Instant(nanoseconds: overflow ? (duration < .zero ? .min : .max) : sum)
    }

    /// Saturates.
    package static func - (later: Instant, earlier: Instant) -> Duration {
        let (difference, overflow) = later.nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
        return .nanoseconds(overflow ? (later < earlier ? .min : .max) : difference)
    }
}

extension Instant: Codable {
    package init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

extension Duration {
    /// The whole duration in nanoseconds; saturates at the ends of `Int64` (292 years).
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, sumOverflow) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return sumOverflow ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds, as the protocol's `_seconds` fields carry it.
    package var inSeconds: Double {
        Double(nanoseconds) / 1e9
    }
}
