internal import FoundationEssentials
internal import Platform
internal import Synchronization
internal import WajubWatch

/// Whether the wall clock is believable: told in `daemon.info`, and never deciding anything about a payment
/// (design.md, "Restart and reboot").
final class ClockWatch: Sendable {
    /// How far the clock may be from Wajub's and still count days.
    static let tolerance: Double = 3600

    private struct Evidence {
        var hasDateError = false
        var isConfirmed = false
    }

    private let time: any TimeSource
    private let evidence = Mutex(Evidence())

    init(time: any TimeSource) {
        self.time = time
    }

    /// Notes what a call said. A call that never got so far says nothing.
    func note(_ said: ClockEvidence) {
        let now = time.wallNow.timeIntervalSince1970
        evidence.withLock { evidence in
            switch said {
            case .certificateDatesWrong: evidence = Evidence(hasDateError: true, isConfirmed: false)
            case .served(let date):
                evidence.hasDateError = false
                // An answer without a date neither confirms nor denies.
                if let date { evidence.isConfirmed = abs(date - now) <= Self.tolerance }
            }
        }
    }

    /// Before this version was made, or at odds with a certificate's dates.
    var isSuspect: Bool { time.wallNow < Version.builtOn || evidence.withLock { $0.hasDateError } }

    /// Whether Wajub's own clock agrees: only then does it count the days after which outcomes are forgotten. A clock that
    /// jumped ahead would forget them early.
    var isConfirmed: Bool { !isSuspect && evidence.withLock { $0.isConfirmed } }
}
