internal import Contract

/// Why a connection was lost, and so how soon it is tried again (`pusher.md`, "Codes").
///
/// | loss                          | wait, before full jitter                          |
/// |-------------------------------|---------------------------------------------------|
/// | network, 1006, 4200 … 4299    | 1, 2, 4 … 60 s                                    |
/// | 4100 … 4199                   | the same, at least 1 s after the jitter           |
/// | no sign of life               | the same as network                               |
/// | 4000 … 4099 (as it is, never) | 60, 120, 240, 300 s; at least half after the jitter |
///
/// Full jitter, for 42xx as well: a restarted server is not met by all its clients in the same second.
enum PusherLoss: Equatable {
    case network
    case silent
    case soon
    case unchangedUseless

    /// The loss that a close code, or an in-band one, stands for.
    init(code: Int) {
        switch code {
        case 4000...4099: self = .unchangedUseless
        case 4100...4199: self = .soon
        default: self = .network
        }
    }

    func wait(afterFailures failures: Int, jitter: Double) -> Duration {
        let steps = min(failures, 6)
        let usual = min(Duration.seconds(1) * (1 << steps), .seconds(60))
        switch self {
        case .network, .silent: return usual * jitter
        case .soon: return .seconds(1) + usual * jitter
        case .unchangedUseless:
            let long = min(Duration.seconds(60) * (1 << min(failures, 3)), .seconds(300))
            return long / 2 + long / 2 * jitter
        }
    }
}
