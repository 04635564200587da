import Contract
import JSON
import Testing
import WajubSandbox

struct RequestLogTests {
    private func entries(_ bench: inout Bench) -> [JSONValue] {
        bench.ask("GET", "/sandbox/log").json?["requests"]?.array ?? []
    }

    @Test func `equal bodies have equal digests, others have others, an empty one has none`() {
        var bench = Bench()
        let payment = bench.create()
        for key in ["one", "two"] { _ = bench.pay(payment.token, key: key) }
        _ = bench.pay(payment.token, "+237670000001", key: "three")
        _ = bench.status(payment.token)
        let digests = entries(&bench).suffix(4).map { $0["body_digest"]?.string }
        #expect(digests[0]?.utf8.count == 64)
        #expect(digests[0] == digests[1])
        #expect(digests[2] != nil && digests[2] != digests[0])
        #expect(digests[3] == nil)
    }

    @Test func `a digest says nothing to whoever does not know the sandbox's seed`() {
        let bodies = ([1, 2] as [UInt64]).map { seed in
            var bench = Bench(seed: seed)
            _ = bench.pay("any", "+237670000000")
            return entries(&bench).last?["body_digest"]
        }
        #expect(bodies[0] != bodies[1])
    }

    @Test func `a payment request's device is shown, and never its data`() {
        var bench = Bench()
        let payment = bench.create()
        let device: JSONValue = ["timezone": "Africa/Douala", "languages": ["fr"], "fingerprint": "f00"]
        let body = Bench.mobileMoney("+237670000000").merging(["device": device])
        _ = bench.ask("POST", "/pay/process", token: payment.token, key: "key", body)
        _ = bench.ask("POST", "/pay/client-session", token: payment.token, ["device": device])
        let last = entries(&bench).suffix(2)
        #expect(last.map { $0["device"] } == [device, nil])
        #expect(!last.map(\.text).joined().contains("670000000"))
    }

    @Test func `a device longer than any device's is not kept`() {
        var bench = Bench()
        let payment = bench.create()
        let body: JSONValue = ["device": ["timezone": .string(String(repeating: "x", count: 3_000))]]
        _ = bench.ask("POST", "/pay/process", token: payment.token, key: "key", body)
        #expect(entries(&bench).last?["path"] == "/pay/process")
        #expect(entries(&bench).last?["device"] == nil)
    }

    @Test func `the headers by which a client introduces itself are shown, its credential is not`() {
        var bench = Bench()
        let payment = bench.create()
        _ = bench.core.receive(
            SandboxRequest(
                method: "GET", path: "/pay/status",
                headers: [
                    "authorization": "Bearer \(payment.token)", "user-agent": "till/1", "accept-language": "fr",
                    "cookie": "secret",
                ]), at: bench.now)
        #expect(entries(&bench).last?["headers"] == ["user-agent": "till/1", "accept-language": "fr"])
    }
}
