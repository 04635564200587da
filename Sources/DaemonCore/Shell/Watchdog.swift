internal import Contract
internal import Platform

/// Proves to systemd that the daemon lives: tells it so only after the daemon has answered.
struct Watchdog: Sendable {
    /// How long from one proof to the next: ``ServiceManager/watchdogInterval``.
    let interval: Duration
    /// Real time: what systemd times knows nothing of `--speed`.
    let time: any TimeSource
    /// Whether the daemon's parts answer. One that never returns is as good as `false`.
    let isAlive: @Sendable () async -> Bool
    /// Tells systemd.
    let ping: @Sendable () -> Void

    /// Asks and tells, at once and then at each interval, until cancelled. Without an answer nothing is told, and
    /// systemd ends the process and starts it again.
    func run() async {
        while !Task.isCancelled {
            if await isAlive() { ping() }
            do {
                try await time.sleep(until: time.now + interval)
            } catch {
                // Cancelled: the daemon stops.
                return
            }
        }
    }
}
