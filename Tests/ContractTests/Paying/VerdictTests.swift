import Testing

@testable import Contract

/// design.md, "Paying": what is retried, what is unknown, what is a decline.
@Suite("What a missed answer means")
struct VerdictTests {
    private static func verdict(_ failure: CallFailure, after prepare: (inout Sheet) -> Void = { _ in })
        -> AttemptVerdict?
    {
        var sheet = Sheet.paying()
        prepare(&sheet)
        return sheet.machine.attempt.map { AttemptVerdict(failure, of: $0, in: .en) }
    }

    private static func lostOnce(_ sheet: inout Sheet) {
        sheet.miss(Sheet.silence)
        sheet.untilPost()
    }

    /// Back to the form after silence, and pressed again with another body.
    private static func lostWithOtherBody(_ sheet: inout Sheet) {
        sheet = .unanswered()
        sheet.untilFormDue()
        sheet.read(.pending)
        sheet.press(digest: "d2")
    }

    @Test(
        "A network error, a timeout, HTML whatever its status, 502, 503 and 504 are tried again",
        arguments: [
            CallFailure.unanswered(Unanswered(.network, reason: "")), .unanswered(Unanswered(.timeout, reason: "")),
            .unanswered(Unanswered(.notJSON, reason: "", httpStatus: 200)),
            .unanswered(Unanswered(.notJSON, reason: "", httpStatus: 403)),
            .unanswered(Unanswered(.clockSuspect, reason: "")), Sheet.server(502), Sheet.server(503), Sheet.server(504),
        ])
    func tryAgain(failure: CallFailure) {
        #expect(Self.verdict(failure) == .tryAgain)
        #expect(Self.verdict(failure, after: Self.lostOnce) == .tryAgain)
    }

    @Test("A 500 and every other 5xx leave the outcome unknown", arguments: [500, 501, 505, 520, 599])
    func unknown(status: Int) {
        #expect(Self.verdict(Sheet.server(status)) == .unknown)
    }

    @Test(
        "A 409 or 422 that names the key, and payment_in_progress, say that an earlier request arrived",
        arguments: [
            Sheet.refusal(409, .paymentError, details: ["idempotency_key": "running"]),
            Sheet.refusal(422, .validationError, details: ["idempotency_key": "other body"]),
            Sheet.refusal(409, .paymentInProgress), Sheet.refusal(422, .paymentInProgress),
        ])
    func inProgress(failure: CallFailure) {
        #expect(Self.verdict(failure) == .inProgress)
        #expect(Self.verdict(failure, after: Self.lostWithOtherBody) == .inProgress)
    }

    @Test("A 400, 401, 404, 409 and 410 read the status first", arguments: [400, 401, 404, 409, 410])
    func readFirst(status: Int) {
        guard case .readFirst(let error) = Self.verdict(Sheet.refusal(status)) else {
            Issue.record("not read first")
            return
        }
        #expect(error.code == (status == 400 ? .notProcessable : ErrorCode(httpStatus: status)))
        #expect(error.httpStatus == status)
    }

    @Test("Other 4xx with a JSON body are definite", arguments: [402, 403, 405, 413, 418, 422, 451])
    func refused(status: Int) {
        guard case .refused(let error) = Self.verdict(Sheet.refusal(status)) else {
            Issue.record("not refused")
            return
        }
        #expect(error.httpStatus == status)
        #expect(error.declineCode == (status == 402 ? "insufficient_funds" : nil))
    }

    @Test("A 429 is a definite refusal that may be retried")
    func rateLimited() {
        let failure = CallFailure.unanswered(
            Unanswered(.rateLimited, reason: "", httpStatus: 429, retryAfter: .seconds(9)))
        guard case .refused(let error) = Self.verdict(failure) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .rateLimited && error.retryable && error.retryAfterSeconds == 9)
        #expect(Self.verdict(failure, after: Self.lostOnce) == .unknown)
    }

    @Test(
        "After a try without an answer, what may come from in front of the key decides nothing",
        arguments: [400, 401, 403, 404, 405, 409, 410, 413, 418])
    func afterSilence(status: Int) {
        #expect(Self.verdict(Sheet.refusal(status), after: Self.lostOnce) == .unknown)
    }

    @Test(
        "After a try without an answer, a decline, a block and a 422 to the same body still are this attempt's",
        arguments: [(402, ErrorCode.insufficientFunds), (403, .shieldBlocked), (422, .validationError)])
    func declinedAfterSilence(status: Int, code: ErrorCode) {
        guard case .refused = Self.verdict(Sheet.refusal(status, code), after: Self.lostOnce) else {
            Issue.record("not refused")
            return
        }
    }

    @Test("A 422 to another body than the one without an answer says nothing of that one")
    func otherBody() {
        #expect(Self.verdict(Sheet.refusal(422), after: Self.lostWithOtherBody) == .unknown)
        guard case .refused = Self.verdict(Sheet.refusal(402), after: Self.lostWithOtherBody) else {
            Issue.record("not refused")
            return
        }
    }
}
