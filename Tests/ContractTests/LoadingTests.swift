import Testing

@testable import Contract

@Suite("Loading")
struct LoadingTests {
    @Test("A hand-off is accepted durably first; session and SDK configuration are fetched in parallel")
    func parallel() {
        let sheet = Sheet()
        #expect(sheet.actions.first == .persist)
        #expect(sheet.kinds == [.accepted])
        #expect(sheet.calls == [.session, .configuration])
        #expect(sheet.machine.state == .initiated)
    }

    @Test("A payment already paid is a success with the method unknown, without waiting for the configuration")
    func paid() {
        var sheet = Sheet()
        sheet.send(.sessionAnswered(Sheet.session(.succeeded)))
        #expect(sheet.kinds == [.state, .success, .complete])
        guard case .complete(let success)? = sheet.machine.result else {
            Issue.record("not complete")
            return
        }
        #expect(success.method == .unknown)
        #expect(success.amount == "15000")
        #expect(sheet.actions.last == .eraseToken)
        #expect(!sheet.machine.isLive)
    }

    @Test(
        "Failed, cancelled, expired: load_error with session_terminal_*, result failed, state of the same name",
        arguments: [
            (PaymentStatus.failed, ErrorCode.sessionTerminalFailed, CheckoutState.failed),
            (.cancelled, .sessionTerminalCancelled, .cancelled), (.expired, .sessionTerminalExpired, .expired),
        ])
    func ended(status: PaymentStatus, code: ErrorCode, state: CheckoutState) {
        var sheet = Sheet()
        sheet.send(.sessionAnswered(Sheet.session(status)))
        #expect(sheet.kinds == [.loadError, .state, .complete])
        #expect(sheet.machine.state == state)
        #expect(sheet.machine.status == status)
        guard case .failed(let failure)? = sheet.machine.result else {
            Issue.record("not failed")
            return
        }
        #expect(failure.error.code == code)
        #expect(failure.error.certainty == .definite)
        #expect(sheet.machine.advice.safeToTakeOtherPayment)
    }

    @Test("A pending payment past its expiry is session_terminal_expired")
    func pastExpiry() {
        var sheet = Sheet()
        sheet.send(.sessionAnswered(Sheet.session(.pending, isPastExpiry: true)))
        #expect(sheet.machine.status == .expired)
        #expect(sheet.machine.error?.code == .sessionTerminalExpired)
        #expect(sheet.machine.result?.status == .failed)
    }

    @Test(
        "A processing payment opens on the screen it was on, and is watched",
        arguments: [
            (
                ProcessingContext(
                    channelSlug: "cm.mobile", isMobileMoney: true, payerInstruction: "Approve on your phone"),
                CheckoutState.approvalRequired, Screen.Kind.approval, MethodFamily.mobileMoney
            ),
            (
                ProcessingContext(
                    channelSlug: "cm.mobile", isMobileMoney: true, payerInstruction: "Dial *126# to approve"),
                .ussdRequired, .ussd, .mobileMoney
            ),
            (ProcessingContext(actionURL: "https://bank.example/3ds"), .pending, .redirect, .unknown),
            (ProcessingContext(), .pending, .waiting, .unknown),
        ])
    func processing(context: ProcessingContext, state: CheckoutState, screen: Screen.Kind, method: MethodFamily) {
        let sheet = Sheet(loaded: .processing, context: context)
        #expect(sheet.kinds == [.ready, .state])
        #expect(sheet.machine.state == state)
        #expect(sheet.machine.screen?.kind == screen)
        #expect(sheet.machine.method == method)
        #expect(sheet.actions.contains(.connect(Sheet.channel)))
        #expect(sheet.nextRead == .seconds(5))
    }

    @Test("A pending payment is ready with its methods once both have answered")
    func pending() {
        var sheet = Sheet()
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        #expect(sheet.kinds == [])
        sheet.send(.configurationAnswered([:]))
        #expect(sheet.kinds == [.ready, .state])
        #expect(sheet.news.first == .ready(.sandbox, sheet.machine.offers))
        #expect(sheet.machine.offers.map(\.channel) == ["cm.mobile"])
    }

    @Test("Without a configuration Mobile Money still works")
    func withoutConfiguration() {
        var sheet = Sheet()
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        sheet.send(.configurationMissed(Sheet.silence))
        #expect(sheet.kinds == [.ready, .state])
    }

    @Test("If nothing else is offered: a retryable load_error, not no_payment_method; retried until it is ready")
    func onlyCards() {
        var sheet = Sheet()
        let cards = [Channel(slug: "card", name: "Card", family: .card)]
        sheet.send(.configurationMissed(Sheet.silence))
        sheet.send(.sessionAnswered(Sheet.session(.pending, channels: cards)))
        #expect(sheet.kinds == [.loadError])
        #expect(sheet.machine.error?.code == .loadError)
        #expect(sheet.machine.error?.retryable == true)
        #expect(sheet.machine.result == nil)
        sheet.wake()
        #expect(sheet.calls.contains(.configuration))
        sheet.send(.configurationMissed(Sheet.silence))
        #expect(sheet.kinds == [], "told once")
        while !sheet.calls.contains(.configuration) {
            if sheet.calls.contains(.status) { sheet.read(.pending) }
            sheet.wake()
        }
        sheet.send(.configurationAnswered(["card": ChannelConfiguration(available: true, sdk: "stripe_elements")]))
        #expect(sheet.kinds == [.ready, .state])
        #expect(sheet.machine.error == nil)
    }

    @Test("A configuration that answers and offers nothing is no_payment_method, and the payment is watched on")
    func nothingOffered() {
        var sheet = Sheet()
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.pending, channels: [])))
        #expect(sheet.machine.error?.code == .noPaymentMethod)
        #expect(sheet.machine.error?.retryable == false)
        #expect(sheet.machine.isLive)
    }

    @Test(
        "401, 403, 404, 410 before the first load: load_error, failed, status unknown, not safe to take another",
        arguments: [
            401, 403, 404, 410,
        ])
    func tokenRefused(status: Int) {
        var sheet = Sheet()
        sheet.send(.sessionMissed(Sheet.refusal(status)))
        #expect(sheet.kinds.first == .loadError)
        #expect(sheet.kinds.last == .complete)
        #expect(sheet.machine.result?.status == .failed)
        #expect(sheet.machine.status == .unknown)
        #expect(!sheet.machine.advice.safeToTakeOtherPayment)
        #expect(sheet.machine.error?.certainty == nil)
        #expect(!sheet.machine.isLive)
    }

    @Test(
        "A load that gets no answer keeps trying, backing off to a minute, and is never a failure",
        arguments: [
            Sheet.silence, .unanswered(Unanswered(.server, reason: "", httpStatus: 500)),
            .unanswered(Unanswered(.notJSON, reason: "", httpStatus: 403)), Sheet.refusal(422), Sheet.refusal(400),
        ])
    func keepsTrying(failure: CallFailure) {
        var sheet = Sheet()
        sheet.send(.configurationAnswered([:]))
        for wait in [5, 10, 20, 40, 60, 60] {
            sheet.send(.sessionMissed(failure))
            #expect(sheet.kinds == [])
            #expect(sheet.machine.lastReadError != nil)
            let missed = sheet.now
            while !sheet.calls.contains(.session) { sheet.wake() }
            #expect(sheet.now - missed == .seconds(wait))
        }
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        #expect(sheet.kinds == [.ready, .state])
        #expect(sheet.machine.lastReadError == nil)
    }

    @Test(
        "A token refused when a payment that had loaded is presented again is processing, not failed: it may have been paid since"
    )
    func refusedLater() {
        var sheet = Sheet(loaded: .processing)
        sheet.send(.closeRequested(.dismissed))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.sessionMissed(Sheet.refusal(401)))
        #expect(sheet.kinds == [.loadError, .complete])
        #expect(sheet.machine.result == .processing)
    }

    @Test("Messages are in the payment's language: the till's, else the session's, else English")
    func languages() {
        var sheet = Sheet(PaymentOptions())
        var session = Sheet.session(.failed)
        session.language = .fr
        sheet.send(.sessionAnswered(session))
        #expect(sheet.machine.error?.message == "Ce paiement a échoué.")
        #expect(Language(locale: "fr-CM") == .fr)
        #expect(Language(locale: "en_GB.UTF-8") == .en)
        #expect(Language(locale: "") == nil)
    }

    @Test("Without its token nothing is asked of Wajub any more, until it is handed off again")
    func refreshWithoutToken() {
        var sheet = Sheet()
        sheet.send(.sessionMissed(Sheet.refusal(404)))
        #expect(sheet.machine.isTokenErased)
        sheet.send(.refreshRequested)
        #expect(sheet.calls == [])
        #expect(!sheet.machine.isReadUnderWay)
        sheet.send(.presentedAgain(PaymentOptions()))
        #expect(sheet.calls == [.session, .configuration])
    }
}
