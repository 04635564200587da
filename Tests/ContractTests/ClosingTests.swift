import Testing

@testable import Contract

@Suite("Cancelling and closing")
struct ClosingTests {
    @Test("Closing while it loads sends nothing", arguments: CloseReason.allCases)
    func whileLoading(reason: CloseReason) {
        var sheet = Sheet()
        sheet.send(.closeRequested(reason))
        #expect(sheet.calls == [])
        #expect(sheet.kinds == [.cancel, .complete])
        #expect(sheet.machine.result == .cancelled(reason.cancelReason))
        #expect(!sheet.machine.advice.safeToTakeOtherPayment, "nothing is known of its money")
    }

    @Test("Closing a processing payment is processing; the watch goes on to its limit and tells status")
    func processing() {
        var sheet = Sheet(loaded: .processing)
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.calls == [])
        #expect(sheet.kinds == [.complete])
        #expect(sheet.machine.result == .processing)
        sheet.untilRead()
        sheet.read(.succeeded)
        #expect(sheet.kinds == [.status])
        #expect(sheet.machine.result == .processing)
    }

    @Test("Dismissing a pending payment cancels it for good")
    func dismiss() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.calls == [.cancel])
        #expect(sheet.actions.first == .persist, "durable before it goes out")
        #expect(!sheet.machine.canCancel)
        sheet.send(.cancelAnswered)
        #expect(sheet.kinds == [.state, .cancel, .complete])
        #expect(sheet.machine.result == .cancelled(.dismissed))
        #expect(sheet.machine.status == .cancelled)
        #expect(sheet.machine.advice.safeToTakeOtherPayment)
        #expect(sheet.actions.contains(.eraseToken))
    }

    @Test("host_gone never cancels the payment, and stops watching")
    func hostGone() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.closeRequested(.hostGone))
        #expect(sheet.calls == [])
        #expect(sheet.machine.result == .cancelled(.hostGone))
        #expect(sheet.actions.contains(.disconnect))
        #expect(!sheet.machine.isLive)
    }

    @Test("cancel_on_dismiss: false keeps the payment open, so that it can be presented again")
    func keptOpen() {
        var sheet = Sheet(PaymentOptions(cancelOnDismiss: false), loaded: .pending)
        sheet.send(.closeRequested(.dismissed))
        #expect(sheet.calls == [])
        #expect(sheet.machine.result == .cancelled(.dismissed))
        #expect(sheet.machine.canBePresentedAgain)
        sheet.send(.presentedAgain(PaymentOptions()))
        #expect(sheet.kinds == [.accepted])
        #expect(sheet.machine.presentation == 2)
        #expect(sheet.machine.result == nil)
        sheet.send(.sessionAnswered(Sheet.session(.succeeded)))
        #expect(sheet.kinds == [.state, .success, .complete])
    }

    @Test("A cancel call that fails changes nothing for the payer; whether it arrived, the watch finds out")
    func cancelUnanswered() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.cancelRequested)
        sheet.send(.cancelMissed(Sheet.silence))
        #expect(sheet.machine.result == .cancelled(.payerCancelled))
        #expect(!sheet.machine.advice.safeToTakeOtherPayment)
        #expect(sheet.calls == [.status])
        sheet.read(.cancelled)
        #expect(sheet.kinds == [.status])
        #expect(sheet.machine.advice.safeToTakeOtherPayment)
    }

    @Test(
        "A cancel the API refuses reads the status and resolves with what it says",
        arguments: [
            (PaymentStatus.succeeded, ResultStatus.complete), (.failed, .failed), (.expired, .failed),
            (.processing, .processing), (.pending, .cancelled), (.cancelled, .cancelled),
        ])
    func cancelRefused(status: PaymentStatus, result: ResultStatus) {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.cancelRequested)
        sheet.send(.cancelMissed(Sheet.refusal(409)))
        #expect(sheet.calls == [.status])
        #expect(sheet.machine.result == nil)
        sheet.read(status)
        #expect(sheet.machine.result?.status == result)
    }

    @Test("A cancel that was refused, and a status that cannot be read: money may move")
    func cancelRefusedUnreadable() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.cancelRequested)
        sheet.send(.cancelMissed(Sheet.refusal(409)))
        sheet.send(.readMissed(Sheet.silence))
        #expect(sheet.machine.result == .processing)
        #expect(sheet.machine.isLive)
    }

    @Test("Only a loaded payment whose last known status is pending can be cancelled")
    func whenCancellable() {
        #expect(Sheet().machine.refusalToCancel() == .notReady)
        #expect(Sheet(loaded: .processing).machine.refusalToCancel() == .attemptUndecided)
        #expect(Sheet(loaded: .pending).machine.refusalToCancel() == nil)
        #expect(Sheet(loaded: .succeeded).machine.refusalToCancel() == .paymentEnded)
    }

    @Test("An outcome that a read finds while the cancel is under way wins; the cancel's answer changes nothing")
    func outcomeWhileCancelling() {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.send(.cancelRequested)
        sheet.read(.succeeded)
        #expect(sheet.machine.result?.status == .complete)
        sheet.send(.cancelMissed(Sheet.refusal(409)))
        #expect(sheet.actions.isEmpty)
        #expect(sheet.machine.status == .succeeded)
    }

    @Test("What the API says to a refused cancel is the payment's error")
    func cancelRefusedError() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.cancelRequested)
        sheet.send(.cancelMissed(Sheet.refusal(422)))
        #expect(sheet.machine.error?.code == .validationError)
        #expect(sheet.machine.error?.httpStatus == 422)
    }
}
