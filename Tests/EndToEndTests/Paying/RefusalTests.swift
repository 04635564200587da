import JSON
import JSONRPC
import StageSupport
import Testing

extension Paying.Answers {
    /// What is a failure of an attempt, and what is none.
    @Suite struct Refusals {
        private static let path = "/pay/process"

        @Test("A newer refusal after a lost answer is the attempt's answer; then the payment can be cancelled")
        func newerRefusal() async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 0])
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3, phase: "after")
                try await checkout.pay(Checkout.number("000001"))
                try await scene.reached("FAILED")
                let failed = try await checkout.status()
                #expect(failed["error"]?["code"] == "insufficient_funds")
                #expect(failed["error"]?["certainty"] == "definite")
                #expect(failed["status"] == "pending")
                #expect(failed["result"] == nil)
                #expect(failed["attempt"]?["phase"] == "refused")
                #expect(failed["advice"]?["can_cancel"] == true)
                try await checkout.expectOneRequest(tries: 3)

                let cancelled = try await checkout.ask("cancel")
                #expect(cancelled["result"]?["status"] == "cancelled")
                #expect(cancelled["result"]?["reason"] == "payer_cancelled")
                #expect(cancelled["advice"]?["safe_to_take_other_payment"] == true)
                #expect(try await scene.sandbox.charges(checkout.payment) == 0)
            }
        }

        @Test("The refusal of an earlier attempt is no answer to a later one that was lost")
        func olderRefusal() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.number("000001"))
                try await scene.reached("FAILED")
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3)
                let seq = try #require(try await checkout.pay()["seq"]?.int)
                let events = try await scene.events(after: seq) { $0.isNetworkError }
                #expect(!events.contains { $0.state == "FAILED" })
                try await checkout.pay()
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce(keys: 2)
            }
        }

        @Test("The same refusal again is a newer one: two attempts lost, both declined for the same reason")
        func sameRefusalAgain() async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 0])
                var seq = 0
                for number in 1...2 {
                    try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3, phase: "after")
                    try await checkout.pay(Checkout.number("000001"))
                    seq = try await scene.reached("FAILED", after: seq).seq
                    let failed = try await checkout.status()
                    #expect(failed["error"]?["code"] == "insufficient_funds")
                    #expect(failed["attempt"]?["number"]?.int == number)
                }
                #expect(try await scene.sandbox.view(checkout.payment)["idempotency_keys"] == 2)
            }
        }

        // MARK: A 400 reads the status first

        private func with400(
            _ terms: [String: JSONValue] = [:], arrived: Bool = false,
            _ body: (Scene, Checkout) async throws -> Void
        ) async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout(terms.merging(["echo": false]) { $1 })
                try await scene.sandbox.fault(
                    ["status": 400, "error_code": "bad_request"], on: Self.path, times: 1,
                    phase: arrived ? "after" : "before")
                try await body(scene, checkout)
            }
        }

        @Test("A 400 and a plain pending: not_processable, certainly, and the payment can be paid anew")
        func notProcessable() async throws {
            try await with400 { scene, checkout in
                try await checkout.pay()
                try await scene.reached("FAILED")
                let failed = try await checkout.status()
                #expect(failed["error"]?["code"] == "not_processable")
                #expect(failed["error"]?["certainty"] == "definite")
                #expect(failed["error"]?["http_status"] == 400)
                #expect(failed["attempt"]?["undecided"] == false)
                try await checkout.pay()
                _ = try await checkout.settled()
                #expect(try await scene.sandbox.charges(checkout.payment) == 1)
            }
        }

        @Test("A 400 and a payment that is processing: watched, no failure")
        func processingAfter400() async throws {
            try await with400(["settle_after_seconds": 30], arrived: true) { scene, checkout in
                try await checkout.pay()
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: 1)
            }
        }

        @Test("A 400 and a status that cannot be read: watched, no failure")
        func unreadableAfter400() async throws {
            try await with400(["settle_after_seconds": 60], arrived: true) { scene, checkout in
                try await scene.sandbox.fault(["status": 502], on: "/pay/status", times: 2)
                try await checkout.pay()
                try await scene.reached("PENDING")
                #expect(try await checkout.status()["attempt"]?["undecided"] == true)
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
            }
        }

        @Test(
            "A 400 and a payment that has ended: the end is shown",
            arguments: [("success", "complete"), ("failed", "failed"), ("expired", "failed")])
        func endedAfter400(status: String, result: String) async throws {
            try await with400 { scene, checkout in
                try await scene.sandbox.drive(checkout.payment, to: status, ["push": false])
                try await checkout.pay()
                #expect(try await checkout.settled()["result"]?["status"]?.string == result)
                #expect(try await !scene.events().contains { $0.data["code"] == "not_processable" })
            }
        }

        // MARK: Definite refusals

        @Test(
            "A refusal of the request itself is definite; the next press is another attempt",
            arguments: [
                (402, "insufficient_funds"), (403, "blocked"), (422, "validation_error"), (429, "rate_limited"),
            ])
        func refused(status: Int, code: String) async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(
                    ["status": JSONValue(integerLiteral: status)], on: Self.path, times: 1)
                try await checkout.pay()
                try await scene.reached("FAILED")
                let failed = try await checkout.status()
                #expect(failed["error"]?["code"]?.string == code)
                #expect(failed["error"]?["certainty"] == "definite")
                #expect(failed["result"] == nil)
                #expect(failed["advice"]?["can_cancel"] == true)
                #expect(try await checkout.pay()["attempt"]?["number"] == 2)
                _ = try await checkout.settled()
                #expect(try await scene.sandbox.charges(checkout.payment) == 1)
                #expect(Set(try await checkout.requests().map { $0["idempotency_key"] }).count == 2)
            }
        }

        @Test(
            "A refusal that may come from in front of Wajub is confirmed by a read before it counts",
            arguments: [(401, true), (401, false), (404, true), (404, false), (410, false), (409, false)])
        func readFirst(status: Int, arrived: Bool) async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 20])
                try await scene.sandbox.fault(
                    ["status": JSONValue(integerLiteral: status), "error_code": "session_not_found"], on: Self.path,
                    times: 1, phase: arrived ? "after" : "before")
                try await checkout.pay()
                if arrived {
                    _ = try await checkout.settled()
                    try await checkout.expectPaidOnce()
                } else {
                    try await scene.reached("FAILED")
                    #expect(try await checkout.status()["error"]?["certainty"] == "definite")
                }
                try await checkout.expectOneRequest(tries: 1)
            }
        }

        @Test(
            "After a lost answer a refusal from in front of the key decides nothing", arguments: [400, 401, 404, 429])
        func afterALostAnswer(status: Int) async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 20])
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 1, phase: "after")
                try await scene.sandbox.fault(
                    ["status": JSONValue(integerLiteral: status)], on: Self.path, times: 1)
                try await checkout.pay()
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: 2)
            }
        }
    }
}
