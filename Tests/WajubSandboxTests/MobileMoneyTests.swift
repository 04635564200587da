import Contract
import JSON
import Testing
import WajubSandbox

struct MobileMoneyTests {
    @Test(
        arguments: [
            ("+237670000000", "succeeded", nil, 1), ("+237690000001", "pending", "insufficient_funds", 0),
            ("+237670000002", "failed", "payment_failed", 0), ("+237670000003", "pending", "approval_timeout", 0),
            ("+237670000004", "cancelled", "payment_cancelled", 0),
        ] as [(String, String, String?, Int)])
    func `a test number's last six digits choose the outcome`(
        phone: String, status: String, failure: String?, charges: Int
    ) {
        var bench = Bench()
        let payment = bench.create()
        let answer = bench.pay(payment.token, phone)
        #expect(answer.status == 202)
        #expect(answer.json?["status"] == "processing")
        #expect(answer.json?["transaction"]?["processing_context"]?["payer_instruction"] != nil)
        bench.advance(121)
        let seen = bench.status(payment.token)
        #expect(seen["transaction"]?["status"]?.string == status)
        #expect(seen["last_failure"]?["code"]?.string == failure)
        #expect(bench.merchantView(payment.id)["charges"]?.int == charges)
    }

    @Test func `an outcome comes after the provider's delay and not before`() {
        var bench = Bench()
        let payment = bench.create(["settle_after_seconds": 30])
        _ = bench.pay(payment.token)
        bench.advance(29.5)
        #expect(bench.status(payment.token)["transaction"]?["status"] == "processing")
        bench.advance(0.5)
        #expect(bench.status(payment.token)["transaction"]?["status"] == "succeeded")
    }

    @Test(arguments: ["+237670000009", "+237677123456", "+33612345678", "+2376700000", "670000000"])
    func `any other number is refused with the list of valid ones`(phone: String) {
        var bench = Bench()
        let payment = bench.create()
        let answer = bench.pay(payment.token, phone)
        #expect(answer.status == 422)
        #expect(answer.json?["errors"]?["phone"] != nil)
        #expect(answer.json?["valid_numbers"]?.array?.contains("+237670000000") == true)
        #expect(bench.status(payment.token)["transaction"]?["status"] == "pending")
    }

    @Test func `Côte d'Ivoire keeps its leading zero`() {
        var bench = Bench()
        let payment = bench.create()
        let body: JSONValue = ["channel": "ci.orange", "data": ["phone": "+2250700000000", "country": "CI"]]
        #expect(bench.ask("POST", "/pay/process", token: payment.token, key: "k", body).status == 202)
    }

    @Test func `a number of another operator is no obstacle, an operator nobody offers is`() {
        var bench = Bench()
        let payment = bench.create()
        func body(_ member: String) -> JSONValue {
            ["channel": "cm.mobile", "data": ["phone": "+237670000000", "operator": .string(member)]]
        }
        #expect(bench.ask("POST", "/pay/process", token: payment.token, key: "a", body("wave")).status == 422)
        #expect(bench.ask("POST", "/pay/process", token: payment.token, key: "b", body("orange")).status == 202)
    }

    @Test func `a wallet and a page channel redirect to the provider's page`() {
        var bench = Bench()
        let payment = bench.create()
        let answer = bench.ask(
            "POST", "/pay/process", token: payment.token, key: "k", ["channel": "ci.djamo", "data": [:]])
        #expect(answer.json?["action"] == "redirect")
        #expect(answer.json?["confirm_url"]?.string?.hasSuffix("/pages/\(payment.id)") == true)
        _ = bench.ask("POST", "/pages/\(payment.id)/approve")
        #expect(bench.status(payment.token)["transaction"]?["status"] == "succeeded")
        bench.advance(10)
        #expect(bench.merchantView(payment.id)["charges"] == 1)
    }

    @Test func `a channel of a type no SDK offers is listed and refused`() {
        var bench = Bench()
        let payment = bench.create()
        let channels = bench.ask("GET", "/pay/session", token: payment.token).json?["channels"]?.array ?? []
        #expect(channels.contains { $0["type"] == "bank_transfer" })
        #expect(channels.first { $0["slug"] == "cm.mobile" }?["operators"]?.array?.count == 2)
        let answer = bench.ask("POST", "/pay/process", token: payment.token, key: "k", ["channel": "cm.bank"])
        #expect(answer.status == 422)
    }
}
