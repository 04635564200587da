import Contract
import JSON
import Testing
import WajubSandbox

struct FaultTests {
    @Test func `a fault concerns what it matches, as often as it says`() {
        var bench = Bench()
        let (one, other) = (bench.create(), bench.create())
        _ = bench.ask(
            "POST", "/sandbox/faults",
            [
                "match": ["path": "/pay/status", "payment": .string(one.id)], "times": 2,
                "fault": ["status": 503, "error_code": "server_error", "retry_after": 7],
            ])
        #expect(bench.ask("GET", "/pay/status", token: other.token).status == 200)
        #expect(bench.ask("GET", "/pay/session", token: one.token).status == 200)
        let faulty = bench.ask("GET", "/pay/status", token: one.token)
        #expect(faulty.status == 503)
        #expect(faulty.headers["Retry-After"] == "7")
        #expect(faulty.headers["X-Request-Id"] != nil)
        #expect(bench.ask("GET", "/pay/status", token: one.token).status == 503)
        #expect(bench.ask("GET", "/pay/status", token: one.token).status == 200)
    }

    @Test func `wrong types, absent fields and unknown statuses are patched into the answer`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask(
            "POST", "/sandbox/faults",
            ["fault": ["wrong": ["transaction": ["status": "levitating", "amount": "text", "reference": .null]]]])
        let transaction = bench.status(payment.token)["transaction"]
        #expect(transaction?["status"] == "levitating")
        #expect(transaction?["amount"] == "text")
        #expect(transaction?["reference"] == nil)
        #expect(transaction?["id"]?.string == payment.id)
    }

    @Test func `a captive portal answers with its page`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask("POST", "/sandbox/faults", ["fault": ["html": true]])
        let answer = bench.ask("GET", "/pay/status", token: payment.token)
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(answer.json == nil)
    }

    @Test func `silence holds the request until the faults are cleared`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask("POST", "/sandbox/faults", ["fault": ["silence": true]])
        guard case .hold(let hold) = bench.receive("GET", "/pay/status", token: payment.token) else {
            Issue.record("it is answered")
            return
        }
        bench.advance(59)
        #expect(bench.outputs().isEmpty)
        _ = bench.ask("DELETE", "/sandbox/faults")
        #expect(bench.outputs() == [.deliver(hold, .drop)])
    }

    @Test(
        arguments: [
            [:], ["fault": [:]], ["fault": ["explode": true]], ["fault": ["status": 42]], ["fault": ["status": "x"]],
            ["times": 0, "fault": ["drop": true]], ["phase": "during", "fault": ["drop": true]],
            ["fault": ["delay_seconds": -1]],
        ] as [JSONValue])
    func `a fault nobody knows is refused`(body: JSONValue) {
        var bench = Bench()
        #expect(bench.ask("POST", "/sandbox/faults", body).status == 422)
    }

    @Test func `faults that are used up make room for new ones, others do not`() {
        var bench = Bench()
        for _ in 0..<1_000 { _ = bench.ask("POST", "/sandbox/faults", ["times": 1, "fault": ["status": 500]]) }
        #expect(bench.ask("POST", "/sandbox/faults", ["fault": ["status": 500]]).status == 429)
        _ = bench.ask("GET", "/nowhere")
        #expect(bench.ask("POST", "/sandbox/faults", ["fault": ["status": 500]]).status == 201)
    }

    @Test func `the log has every request and no secret`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.pay(payment.token, key: "the-key")
        _ = bench.ask("POST", "/sandbox/faults", ["fault": ["drop": true]])
        _ = bench.ask("GET", "/pay/status", token: payment.token)
        let answer = bench.ask("GET", "/sandbox/log", query: ["payment": payment.id])
        let entries = answer.json?["requests"]?.array ?? []
        #expect(entries.map { $0["path"] } == ["/pay/process", "/pay/status"])
        #expect(entries.map { $0["status"]?.int } == [202, nil])
        #expect(entries.first?["idempotency_key"] == "the-key")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(!text.contains(payment.token))
        #expect(!text.contains("670000000"))
    }

    @Test func `the log is a ring that keeps the newest`() {
        var bench = Bench()
        for _ in 0..<10_005 { _ = bench.ask("GET", "/nowhere") }
        let entries = bench.ask("GET", "/sandbox/log").json?["requests"]?.array ?? []
        #expect(entries.count == 10_000)
        #expect(entries.first?["number"] == 6)
        #expect(entries.last?["number"] == 10_005)
    }

    @Test func `who waits for a request is answered when it comes, and at the latest when the wait is over`() {
        var bench = Bench()
        let payment = bench.create()
        let query = ["after": "1", "path": "/pay/status", "wait_seconds": "30"]
        guard case .hold(let hold) = bench.receive("GET", "/sandbox/log", query: query) else {
            Issue.record("it is answered at once")
            return
        }
        _ = bench.ask("GET", "/pay/session", token: payment.token)
        #expect(bench.outputs().isEmpty)
        _ = bench.ask("GET", "/pay/status", token: payment.token)
        guard case .deliver(hold, .answer(let answer))? = bench.outputs().first else {
            Issue.record("nobody told the one who waits")
            return
        }
        #expect(answer.json?["requests"]?.array?.count == 1)
        _ = bench.receive("GET", "/sandbox/log", query: ["after": "99", "wait_seconds": "5"])
        bench.advance(5)
        #expect(bench.outputs().count == 1)
    }

    @Test func `what a fault holds is let go on request, and the fault stays`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask(
            "POST", "/sandbox/faults",
            ["match": ["path": "/pay/process"], "phase": "before", "fault": ["delay_seconds": 3_600]])
        let body = Bench.mobileMoney("+237670000000")
        guard
            case .hold(let hold) = bench.receive("POST", "/pay/process", token: payment.token, key: "key", body)
        else {
            Issue.record("it is answered at once")
            return
        }
        #expect(bench.merchantView(payment.id)["attempts"] == 0)
        #expect(bench.ask("POST", "/sandbox/release").json == ["released": 1])
        guard case .deliver(hold, .answer(let answer))? = bench.outputs().first else {
            Issue.record("it is not answered")
            return
        }
        #expect(answer.status == 202)
        #expect(bench.merchantView(payment.id)["attempts"] == 1)
        #expect(bench.ask("GET", "/sandbox/faults").json?["faults"]?.array?.count == 1)
        #expect(bench.ask("POST", "/sandbox/release").json == ["released": 0])
    }

    @Test func `an answer that is let go has left: its key is answered again`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask(
            "POST", "/sandbox/faults",
            ["match": ["path": "/pay/process"], "times": 1, "phase": "after", "fault": ["delay_seconds": 3_600]])
        _ = bench.receive("POST", "/pay/process", token: payment.token, key: "key", Bench.mobileMoney("+237670000000"))
        #expect(bench.pay(payment.token).status == 409)
        _ = bench.ask("POST", "/sandbox/release")
        #expect(bench.pay(payment.token).status == 202)
        #expect(bench.merchantView(payment.id)["attempts"] == 1)
    }
}
