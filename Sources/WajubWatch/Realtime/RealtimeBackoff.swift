/// How long realtime leaves the server alone after a failure. Jitter is a fraction in `0 ..< 1`.
enum RealtimeBackoff {
    /// How a lost connection is opened again (`pusher.md`, "Codes").
    enum Reopening: Hashable {
        /// We closed it ourselves, for want of channels.
        case atOnce
        /// The network, a restarted server, 42xx: full jitter, so that a fleet does not come back in the same second.
        case soon
        /// 41xx: the same, and at least a second.
        case afterOneSecond
        /// 40xx, not to be retried unchanged: long, then again.
        case long
    }

    /// | failures in a row | 1      | 2      | 3       | 4       | 5 and more |
    /// |-------------------|--------|--------|---------|---------|------------|
    /// | `soon`            | 0–4 s  | 0–8 s  | 0–16 s  | 0–32 s  | 0–60 s     |
    /// | `afterOneSecond`  | 1–5 s  | 1–9 s  | 1–17 s  | 1–33 s  | 1–61 s     |
    ///
    /// `long` is 150–300 s, always.
    static func wait(_ reopening: Reopening, failures: Int, jitter: Double) -> Duration {
        switch reopening {
        case .atOnce: .zero
        case .soon: ceiling(.seconds(4), failures, .seconds(60)) * jitter
        case .afterOneSecond: .seconds(1) + ceiling(.seconds(4), failures, .seconds(60)) * jitter
        case .long: .seconds(150) + .seconds(150) * jitter
        }
    }

    /// Why a channel is not subscribed.
    enum Miss: Hashable {
        /// Somebody said no.
        case refused
        /// Nobody answered.
        case unanswered
    }

    /// | failures in a row | 1        | 2       | 3       | 4        | 5         | 6 and more |
    /// |-------------------|----------|---------|---------|----------|-----------|------------|
    /// | refused           | 7.5–15 s | 15–30 s | 30–60 s | 60–120 s | 120–240 s | 150–300 s  |
    /// | unanswered        | 2.5–5 s  | 5–10 s  | 10–20 s | 20–40 s  | 30–60 s   | 30–60 s    |
    static func wait(_ miss: Miss, failures: Int, jitter: Double) -> Duration {
        switch miss {
        case .refused: ceiling(.seconds(15), failures, .seconds(300)) * (0.5 + jitter / 2)
        case .unanswered: ceiling(.seconds(5), failures, .seconds(60)) * (0.5 + jitter / 2)
        }
    }

    private static func ceiling(_ first: Duration, _ failures: Int, _ longest: Duration) -> Duration {
        min(first * (1 << min(max(failures - 1, 0), 6)), longest)
    }
}
