/// How `wajubctl` ends: for scripts, and printed by `--help`. From 64 on the numbers are those of `sysexits.h`.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case success = 0
    case refused = 1
    case processing = 10
    case failed = 11
    case cancelled = 12
    case open = 13
    case usage = 64
    case noInput = 66
    case unreachable = 69
    case noOutput = 74
    case unsettled = 75
    case badAnswer = 76

    var meaning: String {
        switch self {
        case .success: "done; of wait and --wait: the payment is complete"
        case .refused: "the daemon answered with an error; of verify: a wrong answer; of check-number: not valid"
        case .processing: "of wait and --wait: the result is processing, money may still move"
        case .failed: "of wait and --wait: the result is failed"
        case .cancelled: "of wait and --wait: the result is cancelled"
        case .open: "of pay and verify: the attempt was refused; the payment is still open"
        case .usage: "a bad option or word"
        case .noInput: "a token, number or code could not be read"
        case .unreachable: "the daemon cannot be reached, or the connection ended before its answer"
        case .noOutput: "standard output cannot be written"
        case .unsettled: "of wait and --wait: no result yet when --timeout was over"
        case .badAnswer: "what answers at the socket does not speak the daemon's protocol"
        }
    }

    /// The status that a payment's `result` stands for.
    init(result: String?) {
        switch result {
        case "complete"?: self = .success
        case "processing"?: self = .processing
        case "failed"?: self = .failed
        case "cancelled"?: self = .cancelled
        case .some: self = .badAnswer
        case nil: self = .unsettled
        }
    }
}

/// An end that is not success, with one line for a person.
struct ControlFailure: Error, Hashable {
    let status: ExitCode
    let message: String
}
