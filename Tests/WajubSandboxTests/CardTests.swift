import Contract
import JSON
import Testing
import WajubSandbox

struct CardTests {
    private static func card(_ number: String) -> JSONValue {
        ["channel": "card", "data": ["number": .string(number)]]
    }

    @Test func `a good test card is paid at once`() {
        var bench = Bench()
        let payment = bench.create()
        let answer = bench.ask(
            "POST", "/pay/process", token: payment.token, key: "k", Self.card("4242 4242 4242 4242"))
        #expect(answer.status == 200)
        #expect(answer.json?["transaction"]?["status"] == "succeeded")
        #expect(bench.merchantView(payment.id)["charges"] == 1)
    }

    @Test func `a declined card is a 402 and the payment is pending again`() {
        var bench = Bench()
        let payment = bench.create()
        let answer = bench.ask("POST", "/pay/process", token: payment.token, key: "k", Self.card("4000000000000002"))
        #expect(answer.status == 402)
        #expect(answer.json?["error_code"] == "card_declined")
        #expect(bench.status(payment.token)["transaction"]?["status"] == "pending")
        #expect(bench.status(payment.token)["last_failure"]?["code"] == "card_declined")
    }

    @Test func `the 3-D Secure card asks for a code, and the right one pays`() {
        var bench = Bench()
        let payment = bench.create()
        let answer = bench.ask("POST", "/pay/process", token: payment.token, key: "k", Self.card("4000056655665556"))
        #expect(answer.json?["action"] == "confirm_3ds")
        #expect(answer.json?["confirm_url"] == nil)
        let step = answer.json?["step"]?["id"] ?? .null
        let wrong = bench.ask(
            "POST", "/pay/verify/3ds", token: payment.token, ["step_id": step, "code": "000000"])
        #expect(wrong.status == 422)
        #expect(wrong.json?["error_code"] == "invalid_code")
        #expect(wrong.json?["attempts_left"] == 2)
        let right = bench.ask("POST", "/pay/verify/3ds", token: payment.token, ["step_id": step, "code": "123456"])
        #expect(right.status == 200)
        #expect(bench.merchantView(payment.id)["charges"] == 1)
    }

    @Test func `three wrong answers are too many and a step expires after ten minutes`() {
        var bench = Bench()
        let payment = bench.create(["card_step": "otp"])
        var step =
            bench.ask("POST", "/pay/process", token: payment.token, key: "a", Self.card("4242424242424242"))
            .json?["step"]?["id"] ?? .null
        let answers = (0..<3).map { _ in
            bench.ask("POST", "/pay/verify/otp", token: payment.token, ["step_id": step, "code": "1"]).status
        }
        #expect(answers == [422, 422, 402])
        #expect(bench.status(payment.token)["transaction"]?["status"] == "pending")
        step =
            bench.ask("POST", "/pay/process", token: payment.token, key: "b", Self.card("4242424242424242"))
            .json?["step"]?["id"] ?? .null
        bench.advance(600)
        let late = bench.ask("POST", "/pay/verify/otp", token: payment.token, ["step_id": step, "code": "123456"])
        #expect(late.status == 410)
        #expect(late.json?["error_code"] == "step_expired")
        #expect(bench.merchantView(payment.id)["charges"] == 0)
    }

    @Test(
        arguments: [
            ("otp", ["code": "123456"]), ("pin", ["pin": "1234"]), ("phone", ["phone": "+237670000000"]),
            ("birthday", ["birthday": "1990-02-03"]),
            ("address", ["address": "1 rue", "city": "Douala", "state": "LT", "zip_code": "237"]),
        ] as [(String, JSONValue)])
    func `each step has its own endpoint and fields`(step: String, fields: JSONValue) {
        var bench = Bench()
        let payment = bench.create(["card_step": .string(step), "settle_after_seconds": 5])
        let answer = bench.ask("POST", "/pay/process", token: payment.token, key: "a", Self.card("4242424242424242"))
        #expect(answer.json?["action"]?.string == "confirm_\(step)")
        let body = fields.merging(["step_id": answer.json?["step"]?["id"] ?? .null])
        #expect(bench.ask("POST", "/pay/verify/\(step)", token: payment.token, body).status == 202)
        bench.advance(5)
        #expect(bench.status(payment.token)["transaction"]?["status"] == "succeeded")
    }

    @Test func `a code is sent again from a minute on`() {
        var bench = Bench()
        let payment = bench.create(["card_step": "otp"])
        let step =
            bench.ask("POST", "/pay/process", token: payment.token, key: "a", Self.card("4242424242424242"))
            .json?["step"]?["id"] ?? .null
        bench.advance(30)
        let early = bench.ask("POST", "/pay/verify/resend", token: payment.token, ["step_id": step])
        #expect(early.status == 429)
        #expect(early.headers["Retry-After"] == "30")
        bench.advance(30)
        #expect(bench.ask("POST", "/pay/verify/resend", token: payment.token, ["step_id": step]).status == 200)
    }

    @Test func `a client session needs an email, waits for the provider, and can be declined`() {
        var bench = Bench()
        let payment = bench.create(["card_sdk": "client_session"])
        let open: JSONValue = ["channel": "card"]
        let missing = bench.ask("POST", "/pay/client-session", token: payment.token, open)
        #expect(missing.status == 402)
        #expect(missing.json?["missing_fields"] == ["email"])
        let opened = bench.ask(
            "POST", "/pay/client-session", token: payment.token, open.merging(["email": "a@b.cm"]))
        #expect(opened.json?["action"] == "client_session")
        let body: JSONValue = ["client_session_id": opened.json?["client_session"]?["id"] ?? .null]
        #expect(bench.ask("POST", "/pay/client-session/complete", token: payment.token, body).status == 202)
        _ = bench.ask(
            "POST", "/sandbox/payments/\(payment.id)/status", ["status": "pending", "code": "card_declined"])
        #expect(bench.ask("POST", "/pay/client-session/complete", token: payment.token, body).status == 402)
    }
}
