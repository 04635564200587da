internal import Contract
internal import Platform

extension PusherConnection {
    /// Writes what the machine found worth a line: no token, signature, channel or address in it.
    func write(_ note: PusherMachine.Note) {
        switch note {
        case .established: log.info("Realtime connected")
        case .lost(let cause, let wait):
            log.notice(
                "Realtime not connected", ("cause", cause.text),
                ("next_attempt_seconds", "\(Int(wait.inSeconds.rounded()))"))
        case .serverError(let code):
            log.notice("Realtime server reported an error", ("code", code.map { "\($0)" } ?? "none"))
        case .subscriptionMissed(let cause): log.notice("Realtime channel not subscribed", ("cause", cause.text))
        case .clockJumped: log.info("The machine slept: asking the realtime server whether it is still there")
        }
    }
}

extension PusherMachine.Cause {
    fileprivate var text: String {
        switch self {
        case .openFailed: "not opened"
        case .closed(let code): "closed with \(code)"
        case .errorInBand(let code): "error \(code.map { "\($0)" } ?? "without code")"
        case .notEstablished: "no greeting"
        case .noPong: "no pong"
        case .protocolViolation: "two greetings"
        case .authorisationRefused: "authorisation refused"
        case .authorisationUnanswered: "authorisation not answered"
        case .subscriptionRefused: "subscription refused"
        case .subscriptionUnanswered: "subscription not answered"
        }
    }
}
