internal import FoundationEssentials
internal import Platform
internal import Synchronization

/// Whether the wall clock is believable: told in `daemon.info`, and never deciding anything about a payment
/// (design.md, "Restart and reboot").
final class ClockWatch: Sendable {
    private let time: any TimeSource
    private let hasDateError = Mutex(false)

    init(time: any TimeSource) {
        self.time = time
    }

    /// Notes what the last TLS handshake said of the certificates' dates.
    func noteTLS(dateError: Bool) { hasDateError.withLock { $0 = dateError } }

    /// Before this version was made, or at odds with a certificate's dates.
    var isSuspect: Bool { time.wallNow < Version.builtOn || hasDateError.withLock { $0 } }
}
