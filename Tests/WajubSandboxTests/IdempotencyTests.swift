import Contract
import JSON
import Testing
import WajubSandbox

struct IdempotencyTests {
    @Test func `the same key is answered with its first answer and charges once`() {
        var bench = Bench()
        let payment = bench.create()
        let first = bench.pay(payment.token)
        bench.advance(10)
        let again = bench.pay(payment.token)
        #expect(again.status == first.status)
        #expect(again.body == first.body)
        bench.advance(10)
        #expect(bench.merchantView(payment.id)["charges"] == 1)
        #expect(bench.merchantView(payment.id)["attempts"] == 1)
    }

    @Test func `the same key with another body is refused naming the key`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.pay(payment.token, "+237670000000")
        let answer = bench.pay(payment.token, "+237670000001")
        #expect(answer.status == 422)
        #expect(answer.json?["errors"]?["idempotency_key"] != nil)
    }

    @Test func `the same key while its first answer is on the way is a conflict that names the key`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask(
            "POST", "/sandbox/faults",
            ["match": ["path": "/pay/process"], "times": 1, "fault": ["delay_seconds": 20]])
        guard
            case .hold(let hold) = bench.receive(
                "POST", "/pay/process", token: payment.token, key: "key",
                Bench.mobileMoney("+237670000000"))
        else {
            Issue.record("the first request is answered at once")
            return
        }
        bench.advance(3)
        let conflict = bench.pay(payment.token)
        #expect(conflict.status == 409)
        #expect(conflict.json?["errors"]?["idempotency_key"] != nil)
        bench.advance(17)
        guard
            case .deliver(hold, .answer(let late))? = bench.outputs().first(where: {
                if case .deliver = $0 { true } else { false }
            })
        else {
            Issue.record("the first answer never came")
            return
        }
        #expect(bench.pay(payment.token).body == late.body)
    }

    @Test func `another key while a payment is processing is refused and never charges`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.pay(payment.token, key: "one")
        let second = bench.pay(payment.token, key: "two")
        #expect(second.status == 409)
        #expect(second.json?["error_code"] == "payment_in_progress")
        #expect(second.json?["errors"]?["idempotency_key"] == nil)
        bench.advance(10)
        #expect(bench.merchantView(payment.id)["charges"] == 1)
        #expect(bench.merchantView(payment.id)["idempotency_keys"] == 2)
    }

    @Test func `a server without that guard shows a client that charges twice`() {
        var bench = Bench()
        let payment = bench.create(["refuse_parallel_attempts": false])
        _ = bench.pay(payment.token, key: "one")
        _ = bench.pay(payment.token, key: "two")
        bench.advance(10)
        #expect(bench.merchantView(payment.id)["charges"] == 2)
    }

    @Test func `an answer that is lost after Wajub saw the request is there for the next try`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask(
            "POST", "/sandbox/faults",
            ["match": ["path": "/pay/process"], "times": 1, "phase": "after", "fault": ["drop": true]])
        #expect(
            bench.receive("POST", "/pay/process", token: payment.token, key: "key", Bench.mobileMoney("+237670000000"))
                == .deliver(.drop))
        #expect(bench.status(payment.token)["transaction"]?["status"] == "processing")
        #expect(bench.pay(payment.token).status == 202)
        bench.advance(10)
        #expect(bench.merchantView(payment.id)["charges"] == 1)
    }

    @Test func `a request that is held up reaches Wajub after its own retry and charges nothing more`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.ask(
            "POST", "/sandbox/faults",
            ["match": ["path": "/pay/process"], "times": 1, "phase": "before", "fault": ["delay_seconds": 60]])
        _ = bench.receive("POST", "/pay/process", token: payment.token, key: "key", Bench.mobileMoney("+237670000000"))
        let retried = bench.pay(payment.token)
        #expect(retried.status == 202)
        bench.advance(60)
        #expect(bench.merchantView(payment.id)["charges"] == 1)
        #expect(bench.merchantView(payment.id)["attempts"] == 1)
    }

    @Test(arguments: 0..<50)
    func `whatever keys and answers are lost, one key charges at most once`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bench = Bench()
        let payment = bench.create(["refuse_parallel_attempts": false])
        let keys = ["a", "b", "c"]
        for _ in 0..<40 {
            let phase: JSONValue = generator.next().isMultiple(of: 2) ? "before" : "after"
            let faults: [JSONValue] = [
                ["drop": true], ["silence": true], ["status": 503], ["delay_seconds": 7], ["truncate": true],
            ]
            if generator.next().isMultiple(of: 2) {
                let fault = faults[Int(generator.next() % 5)]
                _ = bench.ask("POST", "/sandbox/faults", ["times": 1, "phase": phase, "fault": fault])
            }
            let key = keys[Int(generator.next() % 3)]
            _ = bench.receive(
                "POST", "/pay/process", token: payment.token, key: key, Bench.mobileMoney("+237670000000"))
            bench.advance(Double(generator.next() % 8))
        }
        bench.advance(1_000)
        _ = bench.ask("DELETE", "/sandbox/faults")
        let view = bench.merchantView(payment.id)
        #expect((view["charges"]?.int ?? 99) <= keys.count)
        #expect(view["charges"] == view["attempts"])
    }
}
