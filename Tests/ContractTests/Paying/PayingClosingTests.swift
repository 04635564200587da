import Testing

@testable import Contract

/// Seed 000, "Cancelling and closing", where something was paid here before.
@Suite("Closing after an attempt")
struct PayingClosingTests {
    private static func refused(_ options: PaymentOptions = PaymentOptions(language: .en)) -> Sheet {
        var sheet = Sheet.paying(options)
        sheet.miss(Sheet.refusal(402, .insufficientFunds))
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "t1"))
        return sheet
    }

    @Test("After a definitive refusal, Cancel payment is offered again")
    func cancel() {
        var sheet = Self.refused()
        #expect(sheet.machine.refusalToCancel() == nil && sheet.machine.advice.canCancel)
        sheet.send(.cancelRequested)
        #expect(sheet.calls == [.cancel])
        sheet.send(.cancelAnswered)
        #expect(sheet.machine.result == .cancelled(.payerCancelled))
    }

    @Test("After a definitive refusal, closing cancels it as before any attempt")
    func dismiss() {
        var sheet = Self.refused()
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.calls == [.cancel])
        sheet.send(.cancelAnswered)
        #expect(sheet.machine.result == .cancelled(.dismissed))
    }

    @Test("host_gone after a definitive refusal never cancels, and resolves cancelled")
    func hostGone() {
        var sheet = Self.refused()
        sheet.send(.closeRequested(.hostGone))
        #expect(!sheet.calls.contains(.cancel))
        #expect(sheet.machine.result == .cancelled(.hostGone))
    }

    @Test("cancel_on_dismiss: false keeps the payment open, to be presented and paid again with a new key")
    func keptOpen() {
        var sheet = Self.refused(PaymentOptions(language: .en, cancelOnDismiss: false))
        sheet.send(.closeRequested(.dismissed))
        #expect(!sheet.calls.contains(.cancel))
        #expect(sheet.machine.result == .cancelled(.dismissed) && sheet.machine.canBePresentedAgain)
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        sheet.press(key: "key-2")
        while sheet.machine.isReadUnderWay {
            sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "t1"))
        }
        #expect(sheet.machine.attempt?.key == IdempotencyKey("key-2"))
        #expect(sheet.machine.attempt?.phase == .sent)
    }

    @Test(
        "Closing resolves processing once an attempt started, whatever the payer has to do",
        arguments: [
            nil, Demand.step(Step(.otp, id: "s")), .page(url: "https://p"), .clientSession(ClientSession(id: "cs")),
        ])
    func undecided(demand: Demand?) {
        for reason in CloseReason.allCases {
            var sheet = Sheet.paying()
            sheet.answer(.processing, demand.map { .demand($0) })
            sheet.send(.closeRequested(reason))
            #expect(sheet.machine.result == .processing && !sheet.calls.contains(.cancel))
            // The watch goes on to its limit and tells `status` events.
            sheet.untilRead()
            sheet.read(.succeeded)
            #expect(sheet.news == [.status(.succeeded)])
        }
    }

    @Test("Closing while a step is being checked resolves processing, and its answer is told as a status")
    func verifying() {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .demand(.step(Step(.otp, id: "s"))))
        sheet.send(.verifyRequested)
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.kinds == [.progress, .complete] && sheet.machine.result == .processing)
        sheet.send(.stepAnswered(PayAnswer(transaction: Sheet.transaction(.succeeded))))
        #expect(sheet.news == [.status(.succeeded)])
        #expect(sheet.machine.attempt?.phase == .succeeded)
    }

    @Test("A payment that ends while it is being paid is decided: safe to take another only if it ended without money")
    func ended() {
        for (status, isSafe) in [
            (PaymentStatus.failed, true), (.cancelled, true), (.expired, true), (.succeeded, false),
        ] {
            var sheet = Sheet.paying()
            sheet.answer(.processing)
            sheet.untilRead()
            sheet.read(status)
            #expect(sheet.machine.attempt?.isUndecided == false)
            #expect(sheet.machine.advice.safeToTakeOtherPayment == isSafe)
            #expect(sheet.kinds.last == .complete)
        }
    }
}
