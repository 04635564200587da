import JSON
import JSONRPC
import Testing

@testable import ControlCore

@Suite("pay at a terminal", .timeLimit(.minutes(10)))
struct PayPromptTests {
    private func pay(
        _ words: String..., offers answer: JSONValue = offers, typist: Typist,
        check: @escaping @Sendable ([String: JSONValue]) -> JSONValue = { _ in checked() }
    ) async throws -> (run: Run, daemon: FakeDaemon) {
        var result: (Run, FakeDaemon)?
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", answer)
            daemon.on("mobile_money.check") { request, _ in .success(RPCResult(check(request.params))) }
            daemon.on("payment.pay", ["payment": paying])
            daemon.on("payment.start_client_session", ["payment": paying, "client_session": ["id": "cs_1"]])
            result = (await wajubctl(words: ["pay", "pay_1", "--socket", daemon.path] + words, typist: typist), daemon)
        }
        return try #require(result)
    }

    @Test("asks how, then for the number and, where that does not tell, for the operator")
    func mobileMoney() async throws {
        let typist = Typist("5", "1", "", "+237677123456", "orange", isTerminal: true)
        let (run, daemon) = try await pay(typist: typist)
        #expect(run.status == .success)
        let how = "  1  Mobile Money: Mobile Money, Wave\n  2  Card\n  3  Djamo\nHow to pay, 1-3"
        let whose = "  1  MTN Mobile Money\n  2  Orange Money\nOperator, 1-2"
        #expect(typist.prompts == [how, how, "Phone number", "Phone number", whose])
        let number: JSONValue = ["phone": "+237677123456", "channel": "cm.mobile", "operator": "orange"]
        #expect(daemon.params(of: "payment.pay") == [["payment": "pay_1", "mobile_money": number]])
        #expect(!(run.output + run.complaints.joined()).contains("677123456"))
    }

    @Test("asks for the country of a number that does not say it, and again for one that is not valid")
    func country() async throws {
        let typist = Typist("1", "01", "cm", "0102030405", "2", isTerminal: true)
        let (run, daemon) = try await pay(typist: typist) { params in
            let error: JSONValue = ["code": "invalid_phone", "message": "Not valid."]
            return params["country"] == "CI"
                ? checked(["country": "CI"]) : checked(["valid": false, "error": error])
        }
        #expect(run.status == .success)
        let country = "  1  CM\n  2  CI\nCountry, 1-2"
        #expect(typist.prompts.dropFirst() == ["Phone number", country, "Phone number", country])
        #expect(run.complaints == ["Not valid. [invalid_phone]"])
        // One channel is left in that country: nothing more is asked.
        let number: JSONValue = ["phone": "0102030405", "country": "CI"]
        #expect(daemon.params(of: "payment.pay") == [["payment": "pay_1", "mobile_money": number]])
    }

    @Test("asks for each field that a card's form needs and no option gave")
    func fields() async throws {
        let typist = Typist("Ada", isTerminal: true)
        let (run, daemon) = try await pay("--field", "email=a@b.test", "--card-holder", "Ada L", typist: typist)
        #expect(run.status == .success)
        #expect(typist.prompts == ["First name"])
        let card: JSONValue = [
            "channel": "card", "card_holder": "Ada L", "fields": ["first_name": "Ada", "email": "a@b.test"],
        ]
        #expect(daemon.params(of: "payment.pay") == [["payment": "pay_1", "card": card]])
    }

    @Test("asks for what Stripe's form makes, and pays a single method without asking how")
    func stripe() async throws {
        let typist = Typist("pm_1", isTerminal: true)
        let (_, daemon) = try await pay(offers: cardOffer(["sdk": "stripe_elements"]), typist: typist)
        #expect(typist.prompts == ["Payment method id, pm_…, of Stripe's form"])
        #expect(
            daemon.params(of: "payment.pay") == [
                ["payment": "pay_1", "card": ["channel": "card", "payment_method_id": "pm_1"]]
            ])
    }

    @Test("a card that is paid on its provider's page gets a client session")
    func clientSession() async throws {
        let offer = cardOffer(["sdk": "form", "client_session": true])
        let (run, daemon) = try await pay(offers: offer, typist: Typist(isTerminal: true))
        #expect(run.status == .success)
        #expect(daemon.params(of: "payment.start_client_session") == [["payment": "pay_1", "channel": "card"]])
    }

    @Test("a wallet wants nothing more")
    func wallet() async throws {
        let (_, daemon) = try await pay(typist: Typist("djamo", isTerminal: true))
        #expect(daemon.params(of: "payment.pay") == [["payment": "pay_1", "wallet": ["channel": "ci.djamo"]]])
    }

    @Test("who ends the input instead pays nothing")
    func ended() async throws {
        let (run, daemon) = try await pay(typist: Typist(endsAfter: "1"))
        #expect(run.status == .noInput)
        #expect(daemon.params(of: "payment.pay").isEmpty)
    }
}
