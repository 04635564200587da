@testable import Contract

extension Sheet {
    /// A payment that is ready, with its first read answered: nothing keeps a request back.
    static func ready(_ options: PaymentOptions = PaymentOptions(language: .en), refusal: Refusal? = nil) -> Sheet {
        var sheet = Sheet(options, loaded: .pending)
        sheet.send(.realtimeChanged(.connected))
        sheet.read(.pending, refusal: refusal)
        return sheet
    }

    /// One whose first request is on its way.
    static func paying(_ options: PaymentOptions = PaymentOptions(language: .en), refusal: Refusal? = nil) -> Sheet {
        var sheet = ready(options, refusal: refusal)
        sheet.press()
        return sheet
    }

    /// One whose attempt got no answer at all, through all of its tries.
    static func unanswered(refusal: Refusal? = nil) -> Sheet {
        var sheet = paying(refusal: refusal)
        for _ in 0..<3 {
            sheet.miss(silence)
            sheet.untilPost()
        }
        return sheet
    }

    mutating func press(
        _ request: Press.Request = .process, key: String = "key-1", digest: String = "d1", wallTime: Double = 1_000_000
    ) {
        send(
            .payRequested(
                Press(
                    request: request, method: .mobileMoney, channel: "cm.mobile", newKey: IdempotencyKey(key),
                    bodyDigest: digest, phoneMasked: "+237 ••• 56", wallTime: wallTime)))
    }

    mutating func miss(_ failure: CallFailure) {
        send(.payMissed(attempt: machine.attempt?.number ?? 0, failure))
    }

    mutating func answer(_ status: PaymentStatus?, _ action: PayAnswer.Action? = nil, context: ProcessingContext? = nil)
    {
        let transaction = status.map { Sheet.transaction($0, context: context) }
        send(.payAnswered(attempt: machine.attempt?.number ?? 0, PayAnswer(transaction: transaction, action: action)))
    }

    /// Fires the attempt's own timer, if it has one soon, answering reads that fall due with plain pending.
    mutating func untilPost() {
        guard let moment = machine.attempt?.nextTry else { return }
        now = moment
        send(.timerFired)
    }

    /// Lets 60 s pass after the last try, and returns with the read under way that may open Pay again.
    mutating func untilFormDue() {
        if machine.isReadUnderWay { read(.pending) }
        for _ in 0..<50 where machine.attempt?.isReadDue == false {
            wake()
            if calls.contains(.status), machine.attempt?.isReadDue == false { read(.pending) }
        }
    }

    static func server(_ status: Int) -> CallFailure {
        .unanswered(Unanswered(.server, reason: "server", httpStatus: status))
    }

    static func refusal(_ status: Int, _ code: ErrorCode, details: [String: String] = [:], attemptsLeft: Int? = nil)
        -> CallFailure
    {
        .refused(APIRefusal(httpStatus: status, code: code, details: details, attemptsLeft: attemptsLeft))
    }

    var errors: [WajubError] { news.compactMap { if case .error(let error) = $0 { error } else { nil } } }
    var posts: Int { calls.filter { $0 == .process || $0 == .clientSession }.count }
}
