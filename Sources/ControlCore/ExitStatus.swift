/// How `wajubctl` ends: for scripts, and printed by `--help`.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case refused = 1
    case processing = 10
    case failed = 11
    case cancelled = 12
    case unsettled = 20
    case usage = 64
    case unreachable = 69

    var meaning: String {
        switch self {
        case .success: "done; of watch --wait and wait: the payment is complete"
        case .refused: "the daemon answered with an error"
        case .processing: "the result is processing: money may still move"
        case .failed: "the result is failed"
        case .cancelled: "the result is cancelled"
        case .unsettled: "no result yet when --timeout was over"
        case .usage: "a bad option or word"
        case .unreachable: "the daemon cannot be reached"
        }
    }

    /// The status that a result's name stands for.
    init(result: String?) {
        switch result {
        case "complete"?: self = .success
        case "processing"?: self = .processing
        case "failed"?: self = .failed
        case "cancelled"?: self = .cancelled
        case .some, nil: self = .unsettled
        }
    }
}
