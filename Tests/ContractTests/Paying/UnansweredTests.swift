import Testing

@testable import Contract

/// Seed 000, "A payment without an answer".
@Suite("A payment without an answer")
struct UnansweredTests {
    @Test(
        "60 s after the last try, still a plain pending: back to the form with a connection error the payer can retry")
    func backToTheForm() throws {
        var sheet = Sheet.unanswered()
        let lastTry = sheet.now
        sheet.untilFormDue()
        #expect(sheet.now - lastTry >= .seconds(60))
        #expect(sheet.machine.state == .pending)
        sheet.read(.pending)
        #expect(sheet.machine.state == .collectingDetails)
        let error = try #require(sheet.errors.first)
        #expect(error.code == .networkError && error.retryable && error.certainty == .indefinite)
        let advice = sheet.machine.advice
        #expect(advice.safeToRetry && !advice.safeToTakeOtherPayment && !advice.canCancel)
    }

    @Test("The next Pay sends the same Idempotency-Key, whatever its body; cancel and close stay undecided")
    func sameKey() {
        var sheet = Sheet.unanswered()
        sheet.untilFormDue()
        sheet.read(.pending)
        #expect(sheet.machine.refusalToCancel() == .attemptUndecided)
        sheet.press(key: "key-2", digest: "d2")
        #expect(sheet.posts == 1)
        #expect(sheet.machine.attempt?.key == IdempotencyKey("key-1"))
        #expect(sheet.machine.attempt?.number == 1)
        var closing = Sheet.unanswered()
        closing.untilFormDue()
        closing.read(.pending)
        closing.send(.closeRequested(.dismissed))
        #expect(closing.machine.result == .processing)
    }

    @Test("Without a read that says pending after the 60 s, nothing opens")
    func needsARead() {
        var sheet = Sheet.unanswered()
        sheet.send(.readMissed(Sheet.silence))
        for _ in 0..<30 {
            sheet.wake()
            if sheet.machine.isReadUnderWay { sheet.send(.readMissed(Sheet.silence)) }
        }
        #expect(sheet.machine.attempt?.isPayOpen == false && sheet.machine.state == .pending)
    }

    @Test("A read that ever said processing: never back to the form")
    func sawProcessing() {
        var sheet = Sheet.unanswered()
        sheet.read(.processing)
        for _ in 0..<60 where sheet.machine.result == nil {
            sheet.wake()
            if sheet.machine.isReadUnderWay { sheet.read(.pending) }
        }
        #expect(sheet.machine.attempt?.isPayOpen == false)
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    @Test("A request that arrives after the form is back closes Pay again")
    func arrivesLate() {
        var sheet = Sheet.unanswered()
        sheet.untilFormDue()
        sheet.read(.pending)
        sheet.untilRead()
        sheet.read(.processing)
        #expect(sheet.machine.attempt?.isPayOpen == false && sheet.machine.status == .processing)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
    }

    @Test("A newer refusal is this attempt's answer: a failure with its code, and the payment can be cancelled again")
    func newerRefusal() throws {
        let old = Refusal(code: .paymentDeclined, at: "t0")
        var sheet = Sheet.unanswered(refusal: old)
        sheet.read(.pending, refusal: old)
        #expect(sheet.machine.attempt?.isUndecided == true)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: ErrorCode(rawValue: "do_not_honour"), message: "m", at: "t1"))
        #expect(sheet.machine.state == .failed && sheet.machine.attempt?.phase == .refused)
        let error = try #require(sheet.errors.first)
        #expect(error.code.rawValue == "do_not_honour" && error.certainty == .definite && error.apiMessage == "m")
        #expect(sheet.machine.canCancel)
    }

    @Test("An attempt that was taken in is refused by a newer refusal as well; a plain pending decides nothing")
    func acceptedThenRefused() {
        var sheet = Sheet.paying()
        sheet.answer(.processing)
        sheet.untilRead()
        sheet.read(.pending)
        #expect(sheet.machine.state == .approvalRequired && sheet.machine.attempt?.isUndecided == true)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "t1"))
        #expect(sheet.machine.attempt?.phase == .refused)
    }

    @Test("A 400: an ended payment is shown as such")
    func endedAfter400() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.refusal(400))
        #expect(sheet.calls == [.status] && sheet.machine.state == .processing)
        sheet.read(.expired)
        #expect(sheet.machine.state == .expired)
        #expect(sheet.machine.result?.status == .failed)
    }

    @Test("A 400: a payment still processing is watched as PENDING")
    func processingAfter400() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.refusal(400))
        sheet.read(.processing)
        #expect(sheet.machine.state == .pending && sheet.machine.attempt?.isUndecided == true)
        #expect(sheet.errors.isEmpty)
    }

    @Test("A 400: a status that cannot be read is watched as PENDING")
    func unreadableAfter400() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.refusal(400))
        sheet.send(.readMissed(Sheet.silence))
        #expect(sheet.machine.state == .pending && sheet.machine.attempt?.phase == .unanswered)
    }

    @Test("A 400: a plain pending fails with not_processable")
    func notProcessable() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.refusal(400))
        sheet.read(.pending)
        #expect(sheet.machine.state == .failed && sheet.machine.attempt?.phase == .refused)
        #expect(sheet.errors.map(\.code) == [.notProcessable])
    }

    @Test("A read that was under way at the 400 is too old to judge it")
    func readTooOld() {
        var sheet = Sheet.paying()
        sheet.send(.refreshRequested)
        sheet.miss(Sheet.refusal(400))
        sheet.read(.pending)
        #expect(sheet.machine.attempt?.isUndecided == true && sheet.calls == [.status])
        sheet.read(.pending)
        #expect(sheet.machine.attempt?.phase == .refused)
    }

    @Test("Where Retry-After keeps the status from being read, a 400 is watched as PENDING")
    func keptBack() {
        var sheet = Sheet.paying()
        sheet.send(.refreshRequested)
        sheet.send(.readMissed(.unanswered(Unanswered(.server, reason: "", httpStatus: 503, retryAfter: .seconds(40)))))
        sheet.miss(Sheet.refusal(400))
        #expect(sheet.machine.attempt?.phase == .unanswered && sheet.machine.state == .pending)
    }

    @Test("A key older than 24 hours is never posted again: its attempt is only read")
    func oldKey() {
        var sheet = Sheet.unanswered()
        sheet.untilFormDue()
        sheet.read(.pending)
        let day = PaymentMachine.keyLifetime
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_060) == nil)
        #expect(sheet.machine.refusalToPay(at: sheet.now + day, wallTime: 1_000_060) == .attemptUndecided)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000 + 86_400) == .attemptUndecided)
        // Within one boot a wall clock that was set back hides nothing: the monotonic one counts.
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 0) == nil)
        sheet.machine.rebase(from: sheet.now, to: sheet.now)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_060) == nil)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 0) == .attemptUndecided)
        #expect(sheet.machine.advice(at: sheet.now, wallTime: 1_000_060).safeToRetry)
        let advice = sheet.machine.advice(at: sheet.now, wallTime: 0)
        #expect(!advice.safeToRetry && advice.reason == "Money may be moving. Wait for the outcome.")
        sheet.press(wallTime: 0)
        #expect(sheet.posts == 0)
    }
}
