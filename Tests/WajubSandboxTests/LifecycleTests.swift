import Contract
import JSON
import Testing
import WajubSandbox

struct LifecycleTests {
    @Test func `a cancelled payment is cancelled for good and its token stops a minute later`() {
        var bench = Bench()
        let payment = bench.create(["callback": "https://shop.example/back"])
        let answer = bench.ask("POST", "/pay/cancel", token: payment.token, [:])
        #expect(answer.status == 200)
        #expect(answer.json?["redirect_url"] == "https://shop.example/back")
        bench.advance(59)
        #expect(bench.status(payment.token)["transaction"]?["status"] == "cancelled")
        #expect(bench.pay(payment.token).status == 409)
        bench.advance(1)
        #expect(bench.ask("GET", "/pay/status", token: payment.token).status == 401)
    }

    @Test(arguments: [("succeeded", 409), ("failed", 409), ("cancelled", 409), ("expired", 410)])
    func `an ended payment can be neither cancelled nor paid`(status: String, code: Int) {
        var bench = Bench()
        let payment = bench.create(["status": .string(status)])
        #expect(bench.ask("POST", "/pay/cancel", token: payment.token, [:]).status == code)
        #expect(bench.pay(payment.token).status == code)
        #expect(bench.status(payment.token)["transaction"]?["status"]?.string == status)
    }

    @Test func `a cancel during an approval does not stop the money`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.pay(payment.token)
        #expect(bench.ask("POST", "/pay/cancel", token: payment.token, [:]).status == 200)
        bench.advance(10)
        #expect(bench.merchantView(payment.id)["status"] == "cancelled")
        #expect(bench.merchantView(payment.id)["charges"] == 1)
    }

    @Test func `a pending payment expires at its time, and a processing one does not`() {
        var bench = Bench()
        let pending = bench.create(["expires_in_seconds": 60])
        let processing = bench.create(["expires_in_seconds": 60, "settle_after_seconds": 120])
        _ = bench.pay(processing.token)
        bench.advance(59)
        #expect(bench.status(pending.token)["transaction"]?["status"] == "pending")
        bench.advance(1)
        #expect(bench.status(pending.token)["transaction"]?["status"] == "expired")
        #expect(bench.status(processing.token)["transaction"]?["status"] == "processing")
        bench.advance(60)
        #expect(bench.status(processing.token)["transaction"]?["status"] == "succeeded")
    }

    @Test func `the expiry agrees with the Date header of the same answer`() {
        var bench = Bench()
        let payment = bench.create(["expires_in_seconds": 3600])
        let answer = bench.ask("GET", "/pay/session", token: payment.token)
        #expect(answer.headers["Date"] == "Fri, 15 Jan 2027 08:00:00 GMT")
        #expect(answer.json?["transaction"]?["expires_at"] == "2027-01-15T09:00:00.000Z")
    }

    @Test func `a payment past its expiry at birth stays pending until somebody looks at the clock`() {
        var bench = Bench()
        let payment = bench.create(["expires_in_seconds": -60])
        bench.advance(100)
        #expect(bench.status(payment.token)["transaction"]?["status"] == "pending")
    }

    @Test func `an amount leaves to the last digit as it came`() throws {
        var bench = Bench()
        let amount = try JSONValue(parsing: Array("1234567890123456.78".utf8)[...])
        let payment = bench.create(["amount": amount])
        let body = bench.ask("GET", "/pay/session", token: payment.token).body
        #expect(String(decoding: body, as: UTF8.self).contains(#""amount":1234567890123456.78,"#))
    }

    @Test func `the word Bearer is required and every answer has a request id`() {
        var bench = Bench()
        let payment = bench.create()
        let request = SandboxRequest(
            method: "GET", path: "/pay/status", headers: ["authorization": payment.token])
        guard case .deliver(.answer(let answer)) = bench.core.receive(request, at: bench.now) else {
            Issue.record("no answer")
            return
        }
        #expect(answer.status == 401)
        #expect(answer.json?["error_code"] == nil)
        #expect(answer.headers["X-Request-Id"] != nil)
        #expect(bench.ask("GET", "/pay/status", token: "tok_wrong").json?["error_code"] == "session_not_found")
        #expect(bench.ask("POST", "/payments", token: "sk_live_x", ["amount": 1, "currency": "XAF"]).status == 401)
    }

    @Test func `a test drives a payment from outside as a provider would`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask("POST", "/sandbox/payments/\(payment.id)/status", ["status": "processing"])
        #expect(bench.status(payment.token)["transaction"]?["processing_context"] != nil)
        _ = bench.ask(
            "POST", "/sandbox/payments/\(payment.reference)/status", ["status": "pending", "code": "blocked"])
        #expect(bench.status(payment.token)["last_failure"]?["code"] == "blocked")
        _ = bench.ask("POST", "/sandbox/payments/\(payment.id)/status", ["status": "PAID"])
        _ = bench.ask("POST", "/sandbox/payments/\(payment.id)/status", ["status": "success"])
        #expect(bench.merchantView(payment.id)["charges"] == 1)
        #expect(bench.merchantView(payment.id)["receipt_url"] != nil)
    }

    @Test func `two refusals in the same instant carry different times`() {
        var bench = Bench()
        let payment = bench.create()
        let times = (0..<2).map { _ in
            bench.ask("POST", "/sandbox/payments/\(payment.id)/status", ["status": "pending", "code": "blocked"])
                .json?["last_failure"]?["at"]
        }
        #expect(times[0] != nil)
        #expect(times[0] != times[1])
    }

    @Test func `the payer's page shows the payment and takes a decision`() {
        var bench = Bench()
        let payment = bench.create()
        let page = bench.ask("GET", "/pages/\(payment.id)")
        #expect(String(decoding: page.body, as: UTF8.self).contains("1500 XAF"))
        #expect(bench.ask("POST", "/pages/\(payment.id)/decline").headers["Location"] == "/pages/\(payment.id)")
        #expect(bench.status(payment.token)["last_failure"]?["code"] == "payment_declined")
        #expect(bench.ask("GET", "/pages/pay_nobody").status == 404)
        #expect(bench.ask("GET", "/").status == 200)
    }

    @Test(
        arguments: [
            ["currency": "XAF"], ["amount": -1, "currency": "XAF"], ["amount": "5", "currency": "XAF"], ["amount": 5],
            ["amount": 5, "currency": "XAF", "channels": ["nothing"]],
            ["amount": 5, "currency": "XAF", "reference": "no spaces"],
            ["amount": 5, "currency": "XAF", "expires_in_seconds": "soon"],
            ["amount": 5, "currency": "XAF", "card_step": "dance"],
        ] as [JSONValue])
    func `a payment that makes no sense is refused with the field's name`(body: JSONValue) {
        var bench = Bench()
        let answer = bench.ask("POST", "/payments", token: "sk_test_x", body)
        #expect(answer.status == 422)
        #expect(answer.json?["errors"]?.object?.count == 1)
    }
}
