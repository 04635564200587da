package import Contract
package import FoundationEssentials

/// Where time comes from: one monotonic clock that decides, one wall clock that only informs.
///
/// Everything that waits takes a `TimeSource`, so that a test passes hours without sleeping.
package protocol TimeSource: Sendable {
    /// The present moment on the clock that decides (``SystemTime``: `CLOCK_BOOTTIME` × speed).
    var now: Instant { get }
    /// The wall clock, for people to read; nothing is ever decided by it.
    var wallNow: Date { get }
    /// How many seconds of this clock pass in one real second (`--speed`); 1 outside a sandbox.
    var speed: Double { get }
    /// Returns at `deadline` or later.
    ///
    /// - throws: `CancellationError` when the task is cancelled first.
    func sleep(until deadline: Instant) async throws
}

extension TimeSource {
    /// A wait on this clock as real time, for what the kernel or a C library times itself.
    package func real(_ duration: Duration) -> Duration {
        .nanoseconds(Int64(Double(duration.nanoseconds) / speed))
    }
}

/// The machine's own time: `CLOCK_BOOTTIME`, run `speed` times faster for sandboxes.
package struct SystemTime: TimeSource {
    package let speed: Double

    package init(speed: Double = 1) {
        self.speed = speed
    }

    package var now: Instant {
        let nanoseconds = BootTime.nanoseconds
        return Instant(nanoseconds: speed == 1 ? nanoseconds : Int64(Double(nanoseconds) * speed))
    }

    package var wallNow: Date { Date() }

    package func sleep(until deadline: Instant) async throws {
        // The loop covers a wait that ends early by rounding.
        while true {
            let left = deadline - now
            guard left > .zero else { return try Task.checkCancellation() }
            try await Timers.shared.sleep(until: BootTime.nanoseconds + real(left).nanoseconds + 1_000)
        }
    }
}
