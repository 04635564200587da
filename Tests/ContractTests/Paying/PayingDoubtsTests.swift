import Testing

@testable import Contract

/// Doubts that were once decided: each could have charged twice, or called something certain that was not.
@Suite("Doubts while paying") struct PayingDoubtsTests {
    private static func step(_ id: String) -> PayAnswer.Action { .demand(.step(Step(.otp, id: id))) }
    private static let session = PayAnswer.Action.demand(.clientSession(ClientSession(id: "cs_1")))
    private static let declined = Refusal(code: .paymentDeclined, at: "t1")

    /// One whose unanswered request may be sent again: Pay is open, with the same key.
    private static func reopened() -> Sheet {
        var sheet = Sheet.unanswered()
        sheet.untilFormDue()
        sheet.read(.pending)
        return sheet
    }

    @Test("A request that went unanswered is followed by its key alone: a client session has none")
    func noSessionBesideAKey() {
        var sheet = Self.reopened()
        #expect(sheet.machine.refusalToPay(.process, at: sheet.now, wallTime: 1_000_000) == nil)
        #expect(sheet.machine.refusalToPay(.clientSession, at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
        sheet.press(.clientSession)
        #expect(sheet.posts == 0)
        #expect(sheet.machine.attempt?.isPayOpen == true)
    }

    @Test("A client session that went unanswered was seen by nobody: it can be started again, or another method paid")
    func sessionAgain() {
        for request in [Press.Request.process, .clientSession] {
            var sheet = Sheet.ready()
            sheet.press(.clientSession)
            sheet.miss(Sheet.silence)
            sheet.untilFormDue()
            sheet.read(.pending)
            sheet.press(request)
            #expect(sheet.posts == 1)
        }
    }

    @Test("A read's refusal does not end an attempt while an answer about it is on its way")
    func confirming() {
        var sheet = Sheet.paying()
        sheet.answer(.processing, Self.step("step_1"))
        sheet.send(.verifyRequested)
        sheet.untilRead()
        sheet.read(.pending, refusal: Self.declined)
        #expect(sheet.machine.attempt?.isUndecided == true)
        sheet.send(.stepMissed(Sheet.refusal(402, .tooManyAttempts)))
        #expect(sheet.machine.attempt?.phase == .refused)

        sheet = Sheet.paying()
        sheet.answer(.pending, Self.session)
        sheet.send(.returned)
        sheet.untilRead()
        sheet.read(.pending, refusal: Self.declined)
        #expect(sheet.machine.attempt?.isUndecided == true)
        sheet.send(.completionMissed(Sheet.silence))
        sheet.read(.pending, refusal: Self.declined)
        #expect(sheet.machine.attempt?.phase == .refused, "the read after it decides")
    }

    @Test("A client session that has expired is not completed again while the read decides what that is worth")
    func expiring() {
        var sheet = Sheet.paying()
        sheet.answer(.pending, Self.session)
        sheet.send(.returned)
        sheet.send(.completionMissed(Sheet.refusal(410, .clientSessionExpired)))
        sheet.send(.returned)
        #expect(!sheet.calls.contains(.completion))
        sheet.read(.pending)
        sheet.read(.pending)
        #expect(sheet.machine.attempt?.phase == .refused)
    }

    @Test("Where somebody else is paying, the payment is processing still: nothing cancels it")
    func somebodyElse() {
        var sheet = Sheet(loaded: .pending)
        sheet.press()
        sheet.read(.processing)
        #expect(sheet.machine.attempt?.phase == .refused)
        #expect(sheet.machine.status == .processing)
        #expect(!sheet.machine.canCancel)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.machine.result == .processing)
        #expect(!sheet.calls.contains(.cancel))
    }

    @Test("A 403 without a code of Wajub's may be a firewall's: it ends no step")
    func blockedStep() {
        var sheet = Sheet.paying()
        sheet.answer(.processing, Self.step("step_1"))
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.refusal(403, .blocked)))
        #expect(sheet.machine.attempt?.isUndecided == true)
        #expect(sheet.calls == [.status])

        sheet = Sheet.paying()
        sheet.answer(.processing, Self.step("step_1"))
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.refusal(403, .shieldBlocked)))
        #expect(sheet.machine.attempt?.phase == .refused)
    }

    @Test("A pending payment past its expiry is no end of an attempt that is undecided: its request may have arrived")
    func pastExpiry() {
        var sheet = Sheet.unanswered()
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.machine.result == .processing)
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.pending, isPastExpiry: true)))
        #expect(sheet.machine.result == nil)
        #expect(sheet.machine.attempt?.isUndecided == true)
        #expect(!sheet.machine.advice.safeToTakeOtherPayment)
        #expect(!sheet.machine.isTokenErased)
    }
}
