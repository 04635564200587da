import Testing

@testable import Contract

/// design.md, "Paying"; promise 1.
@Suite("Attempts")
struct AttemptTests {
    @Test("Pay is durable before anything leaves, and tells payment_started, PROCESSING and progress")
    func press() throws {
        let sheet = Sheet.paying()
        #expect(sheet.actions.first == .persist)
        #expect(sheet.calls == [.process])
        #expect(sheet.kinds == [.paymentStarted, .state, .progress])
        #expect(sheet.machine.state == .processing)
        let attempt = try #require(sheet.machine.attempt)
        #expect((attempt.number, attempt.tries, attempt.phase) == (1, 1, .sent))
        #expect(attempt.isUndecided)
    }

    @Test("A press before any read waits for one: its refusal is no answer to the attempt")
    func baseline() {
        var sheet = Sheet(loaded: .pending)
        sheet.press()
        #expect(sheet.calls == [.status])
        #expect(sheet.machine.attempt?.phase == .recorded)
        let old = Refusal(code: .paymentDeclined, at: "t0")
        sheet.read(.pending, refusal: old)
        #expect(sheet.calls == [.process])
        sheet.answer(.processing)
        sheet.read(.pending, refusal: old)
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    @Test("A press does not wait for a read that misses, or for longer than 3 s")
    func noBaseline() {
        var sheet = Sheet(loaded: .pending)
        sheet.press()
        sheet.send(.readMissed(Sheet.silence))
        #expect(sheet.calls == [.process])

        sheet = Sheet(loaded: .pending)
        sheet.press()
        sheet.wake()
        #expect(sheet.calls == [.process])
        #expect(sheet.now == Instant(nanoseconds: 1_003_000_000_000))
        // What it carried before is not known: no refusal can be told from an older one.
        sheet.miss(Sheet.server(500))
        sheet.read(.pending, refusal: Refusal(code: .paymentDeclined, at: "t0"))
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    @Test("Where the read before the first try says processing, nothing leaves")
    func somebodyElsePays() {
        var sheet = Sheet(loaded: .pending)
        sheet.press()
        sheet.read(.processing)
        #expect(sheet.posts == 0)
        #expect(sheet.machine.attempt?.phase == .refused)
        #expect(sheet.errors.map(\.code) == [.paymentInProgress])
    }

    @Test("Retries after 1 and 3 s, with the same key and body; then the outcome is unknown: PENDING, watched")
    func retries() throws {
        var sheet = Sheet.paying()
        let start = sheet.now
        let key = sheet.machine.attempt?.key
        sheet.miss(Sheet.silence)
        #expect(sheet.posts == 0)
        sheet.wake()
        #expect(sheet.posts == 1 && sheet.now - start == .seconds(1))
        sheet.miss(Sheet.server(503))
        sheet.wake()
        #expect(sheet.posts == 1 && sheet.now - start == .seconds(4))
        #expect(sheet.machine.attempt?.key == key)
        sheet.miss(Sheet.server(504))
        let attempt = try #require(sheet.machine.attempt)
        #expect((attempt.phase, attempt.tries) == (.unanswered, 3))
        #expect(sheet.machine.state == .pending)
        #expect(sheet.calls == [.status])
        #expect(sheet.errors.isEmpty)
        #expect(sheet.kinds == [.progress, .state])
    }

    @Test("A server's Retry-After holds the retry back, and one of more than a minute ends the retries")
    func retryAfter() {
        var sheet = Sheet.paying()
        let start = sheet.now
        sheet.miss(.unanswered(Unanswered(.server, reason: "", httpStatus: 503, retryAfter: .seconds(4))))
        sheet.untilPost()
        #expect(sheet.posts == 1 && sheet.now - start == .seconds(4))
        sheet.miss(.unanswered(Unanswered(.server, reason: "", httpStatus: 503, retryAfter: .seconds(61))))
        #expect(sheet.machine.attempt?.phase == .unanswered)
    }

    @Test("On a 500 the outcome is unknown at once")
    func serverError() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.server(500))
        #expect(sheet.machine.state == .pending && sheet.machine.attempt?.phase == .unanswered)
        #expect(sheet.calls == [.status])
    }

    @Test("409 in progress asks again after 2, 4, then 8 s, counted apart from the retries, then PENDING")
    func inProgress() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.silence)
        sheet.untilPost()
        let running = Sheet.refusal(409, .paymentError, details: ["idempotency_key": "running"])
        for wait in [2, 4, 8] {
            let before = sheet.now
            sheet.miss(running)
            sheet.untilPost()
            #expect(sheet.posts == 1 && sheet.now - before == .seconds(wait))
        }
        sheet.miss(running)
        #expect(sheet.machine.attempt?.phase == .unanswered && sheet.machine.state == .pending)
    }

    @Test(
        "A decline is definite and settles nothing: the payment is pending again, may be paid or cancelled, with a new key"
    )
    func decline() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.refusal(402, .insufficientFunds))
        #expect(sheet.machine.state == .failed && sheet.machine.result == nil)
        #expect(sheet.kinds == [.progress, .state, .error])
        #expect(sheet.errors.first?.certainty == .definite && sheet.errors.first?.declineCode == "insufficient_funds")
        #expect(sheet.machine.advice.safeToRetry && sheet.machine.advice.canCancel)
        #expect(!sheet.machine.advice.safeToTakeOtherPayment)
        sheet.read(.pending)
        sheet.press(key: "key-2")
        #expect(sheet.machine.attempt?.number == 2)
        #expect(sheet.machine.attempt?.key == IdempotencyKey("key-2"))
        #expect(sheet.posts == 1)
    }

    @Test("The refusal of one attempt is no answer to the next, however late a read shows it")
    func owedRefusal() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.refusal(402, .insufficientFunds))
        // Before any read: the next press waits for one that was asked after the refusal.
        sheet.press(key: "key-2")
        #expect(sheet.posts == 0)
        sheet.read(.pending)
        #expect(sheet.posts == 1)
        sheet.miss(Sheet.server(500))
        let late = Refusal(code: .insufficientFunds, at: "t1")
        sheet.read(.pending, refusal: late)
        #expect(sheet.machine.attempt?.isUndecided == true)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "t2"))
        #expect(sheet.machine.attempt?.phase == .refused)
    }

    @Test("What a read carries of a refusal that was told is not told again")
    func toldOnce() {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.refusal(402, .insufficientFunds))
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "t1"))
        #expect(sheet.errors.isEmpty)
    }

    @Test("Paid in the answer itself: success, with the method that paid")
    func paid() {
        var sheet = Sheet.paying()
        sheet.answer(.succeeded)
        #expect(sheet.kinds == [.progress, .state, .success, .complete])
        #expect(sheet.machine.attempt?.phase == .succeeded)
        guard case .complete(let success) = sheet.machine.result else {
            Issue.record("not complete")
            return
        }
        #expect(success.method == .mobileMoney)
    }

    @Test("Accepted on Mobile Money: an approval, with the masked number and the provider's instruction")
    func approval() {
        var sheet = Sheet.paying()
        let context = ProcessingContext(channelSlug: "cm.mobile", isMobileMoney: true, payerInstruction: "Approve it")
        sheet.answer(.processing, context: context)
        #expect(sheet.machine.state == .approvalRequired)
        #expect(sheet.machine.screen == Screen(.approval, instruction: "Approve it", phoneMasked: "+237 ••• 56"))
        sheet = .paying()
        sheet.answer(.processing)
        #expect(sheet.machine.state == .approvalRequired)
    }

    @Test("An action that this version does not know: unsupported_action, indefinite, watched on")
    func unsupported() {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .unknown("confirm_retina"))
        #expect(sheet.machine.state == .pending && sheet.machine.attempt?.isUndecided == true)
        #expect(sheet.errors.map(\.code) == [.unsupportedAction])
        #expect(sheet.errors.first?.certainty == .indefinite)
        #expect(sheet.calls == [.status])
    }

    @Test("While undecided: no second Pay, no cancel, and closing resolves processing", arguments: [false, true])
    func undecided(isAnswered: Bool) {
        var sheet = Sheet.paying()
        if isAnswered { sheet.answer(.processing) }
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
        #expect(sheet.machine.refusalToCancel() == .attemptUndecided)
        sheet.press(key: "key-2")
        #expect(sheet.actions.isEmpty)
        sheet.send(.cancelRequested)
        #expect(!sheet.calls.contains(.cancel))
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.machine.result == .processing)
        #expect(sheet.calls.isEmpty)
    }

    @Test("Nothing is sent once the result is told, and a late answer still moves status")
    func closedWhilePaying() {
        var sheet = Sheet.paying()
        sheet.send(.closeRequested(.hostGone))
        sheet.miss(Sheet.silence)
        #expect(sheet.machine.attempt?.phase == .unanswered)
        for _ in 0..<5 where sheet.machine.nextWake != nil {
            sheet.wake()
            #expect(sheet.posts == 0)
            if sheet.machine.isReadUnderWay { sheet.read(.pending) }
        }
        sheet = .paying()
        sheet.send(.closeRequested(.dismissed))
        sheet.answer(.succeeded)
        #expect(sheet.news == [.status(.succeeded)])
        #expect(sheet.machine.attempt?.phase == .succeeded && sheet.machine.result == .processing)
    }

    @Test("The watch starts anew with each press of Pay: 15 minutes, then one read, then processing")
    func watchAnew() {
        var sheet = Sheet.ready()
        sheet.wait(.seconds(600))
        sheet.press()
        #expect(sheet.machine.watch == .active(until: sheet.now + PaymentMachine.watchLimit))
        sheet.answer(.processing)
        sheet.wait(PaymentMachine.watchLimit)
        sheet.send(.timerFired)
        #expect(sheet.machine.watch == .finishing)
        for _ in 0..<2 where sheet.machine.isReadUnderWay { sheet.read(.processing) }
        #expect(sheet.machine.result == .processing)
    }

    @Test("Pay while it cancels is refused, and so is cancel while it pays")
    func crossing() {
        var sheet = Sheet.ready()
        sheet.send(.cancelRequested)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 0) == .attemptUndecided)
        sheet.press()
        #expect(sheet.posts == 0)
        #expect(Sheet.paying().machine.refusalToCancel() == .attemptUndecided)
    }

    @Test("Refusals come in the protocol's order: payment_ended, not_ready, attempt_undecided")
    func order() {
        var sheet = Sheet()
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 0) == .notReady)
        sheet = Sheet(loaded: .processing)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 0) == .attemptUndecided)
        sheet.send(.closeRequested(.hostGone))
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 0) == .paymentEnded)
    }

    @Test("Wajub's amount that changes between reads is taken over and explained")
    func amountChanges() {
        var sheet = Sheet.ready()
        sheet.untilRead()
        var transaction = Sheet.transaction(.pending)
        transaction.amount = "15100"
        sheet.send(.readAnswered(StatusReading(transaction: transaction)))
        #expect(sheet.machine.session?.transaction.amount == "15100")
        #expect(sheet.actions.contains(.note(PaymentNote("amount changed", ["from": "15000 XAF", "to": "15100 XAF"]))))
    }
}
