import Testing

@testable import Contract

/// Seed 000, "Cards": provider pages and client sessions.
@Suite("Pages and client sessions")
struct PageTests {
    private static let session = ClientSession(id: "cs_1", provider: "paystack", hostedURL: "https://pay.example/1")

    private static func started() -> Sheet {
        var sheet = Sheet.ready()
        sheet.press(.clientSession)
        sheet.answer(.processing, .demand(.clientSession(session)))
        return sheet
    }

    @Test("A page is told with its URL, and the payment is watched")
    func redirect() {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .demand(.page(url: "https://pay.example/3ds")))
        #expect(sheet.kinds == [.progress, .state, .redirect])
        #expect(sheet.news.contains(.redirect("https://pay.example/3ds")))
        #expect(sheet.machine.screen == Screen(.redirect, actionURL: "https://pay.example/3ds"))
        sheet.untilRead()
        sheet.read(.processing)
        #expect(sheet.machine.screen?.kind == .redirect)
    }

    @Test("A page without an address that the payer may be sent to: redirect_unavailable, indefinite, watched on")
    func noAddress() {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .pageWithoutAddress)
        #expect(sheet.errors.map(\.code) == [.redirectUnavailable])
        #expect(sheet.errors.first?.certainty == .indefinite && sheet.machine.attempt?.isUndecided == true)
    }

    @Test("Coming back from a provider page reads the status at once")
    func returned() {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .demand(.page(url: "https://p")))
        sheet.send(.returned)
        #expect(sheet.calls == [.status])
        sheet.read(.succeeded)
        #expect(sheet.machine.result?.status == .complete)
    }

    @Test("A client session is posted once, and its page is told")
    func start() {
        let sheet = Self.started()
        #expect(sheet.machine.screen == Screen(.clientSession, actionURL: "https://pay.example/1"))
        #expect(sheet.machine.openClientSession?.id == "cs_1")
        var lost = Sheet.ready()
        lost.press(.clientSession)
        #expect(lost.calls == [.clientSession])
        lost.miss(Sheet.silence)
        #expect(lost.machine.attempt?.phase == .unanswered && lost.machine.attempt?.nextTry == nil)
    }

    @Test("Back from a client session it is completed at once: paid is a success")
    func paid() {
        var sheet = Self.started()
        sheet.send(.returned)
        #expect(sheet.calls == [.completion])
        sheet.send(.completionAnswered(PayAnswer(transaction: Sheet.transaction(.succeeded))))
        #expect(sheet.machine.result?.status == .complete)
    }

    @Test("One the provider has not settled yet stays PENDING and watched, and can be completed again")
    func unsettled() {
        for answer in [
            PaymentEvent.completionAnswered(PayAnswer(transaction: Sheet.transaction(.processing))),
            .completionMissed(Sheet.silence), .completionMissed(Sheet.server(500)),
            .completionMissed(Sheet.refusal(404)),
            .completionMissed(Sheet.refusal(422)),
        ] {
            var sheet = Self.started()
            sheet.send(.returned)
            sheet.send(answer)
            #expect(sheet.machine.state == .pending && sheet.machine.attempt?.isUndecided == true)
            #expect(sheet.errors.isEmpty)
            #expect(sheet.machine.openClientSession?.id == "cs_1")
        }
    }

    @Test("A declined one is a retryable failure; an expired one is client_session_expired, start again")
    func ended() {
        var sheet = Self.started()
        sheet.send(.returned)
        sheet.send(.completionMissed(Sheet.refusal(402, .insufficientFunds)))
        #expect(sheet.machine.state == .failed && sheet.errors.first?.code == .insufficientFunds)
        #expect(sheet.errors.first?.retryable == true && sheet.errors.first?.certainty == .definite)
        sheet = Self.started()
        sheet.send(.returned)
        sheet.send(.completionMissed(Sheet.refusal(410)))
        #expect(sheet.calls == [.status])
        sheet.read(.pending)
        #expect(sheet.errors.map(\.code) == [.clientSessionExpired])
        sheet.read(.pending)
        sheet.press(.clientSession, key: "key-2")
        #expect(sheet.calls == [.clientSession])
    }

    @Test("A client session that is open can be started again; Pay stays closed")
    func restart() {
        var sheet = Self.started()
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
        #expect(sheet.machine.refusalToPay(.clientSession, at: sheet.now, wallTime: 1_000_000) == nil)
        sheet.press(.clientSession, key: "key-2")
        #expect(sheet.calls == [.clientSession])
        #expect(sheet.machine.attempt?.number == 1)
        sheet.miss(Sheet.silence)
        #expect(sheet.machine.openClientSession?.id == "cs_1")
    }

    @Test("A provider that needs an email refuses the session, and nothing was charged")
    func missingEmail() {
        var sheet = Sheet.ready()
        sheet.press(.clientSession)
        sheet.miss(Sheet.refusal(402, ErrorCode(rawValue: "missing_fields"), details: ["email": "required"]))
        #expect(sheet.machine.attempt?.phase == .refused && sheet.errors.first?.param == "email")
    }
}
