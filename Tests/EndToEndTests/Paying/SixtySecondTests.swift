import FoundationEssentials
import JSON
import JSONRPC
import StageSupport
import Testing

extension Paying.Waits {
    /// "The request most likely never reached Wajub" (seed 000, "A payment without an answer").
    @Suite struct SixtySeconds {
        private static let path = "/pay/process"
        private static let speed = 40

        /// A payment whose tries were all lost before Wajub saw them, back at its form.
        private func reopened(_ scene: Scene, _ terms: [String: JSONValue] = [:]) async throws -> Checkout {
            let checkout = try await scene.checkout(terms)
            try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3)
            try await checkout.pay()
            _ = try await scene.events { $0.isNetworkError }
            return checkout
        }

        @Test("A request that never arrived opens Pay again, and nothing else; the next press sends the same key")
        func opensAgain() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let start = ContinuousClock.now
                let checkout = try await reopened(scene)
                #expect((ContinuousClock.now - start) * Self.speed >= .seconds(60))
                let open = try await checkout.status()
                #expect(open["state"] == "COLLECTING_DETAILS")
                #expect(open["method"] == "mobile_money")
                #expect(open["error"]?["code"] == "network_error")
                #expect(open["error"]?["retryable"] == true)
                #expect(open["error"]?["certainty"] == "indefinite")
                #expect(open["attempt"]?["undecided"] == true)
                #expect(open["advice"]?["safe_to_retry"] == true)
                #expect(open["advice"]?["safe_to_take_other_payment"] == false)
                #expect(open["advice"]?["can_cancel"] == false)
                #expect(try await checkout.refusal("cancel").data?["code"] == "attempt_undecided")

                let pressed = try await checkout.pay()
                #expect(pressed["attempt"]?["number"] == 1)
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: 4)
                #expect(try await scene.sandbox.requests(to: "/pay/cancel").isEmpty)
            }
        }

        @Test("Pressed again and lost again, it opens again 60 s later, still with the same key")
        func opensAgainTwice() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await reopened(scene)
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3)
                let seq = try #require(try await checkout.pay()["seq"]?.int)
                _ = try await scene.events(after: seq) { $0.isNetworkError }
                try await checkout.pay()
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: 7)
            }
        }

        @Test("Closed then, it resolves as processing; what it became is told as a later status")
        func closed() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await reopened(scene)
                let closed = try await checkout.ask("close", ["reason": "dismissed"])
                #expect(closed["result"]?["status"] == "processing")
                #expect(closed["advice"]?["safe_to_take_other_payment"] == false)
                #expect(try await checkout.refusal("pay", Checkout.number()).data?["code"] == "payment_ended")
                try await scene.sandbox.drive(checkout.payment, to: "success")
                let last = try await scene.events(until: "status").last
                #expect(last?.data["status"] == "succeeded")
                let later = try await checkout.status()
                #expect(later["result"] == closed["result"])
                #expect(later["attempt"]?["undecided"] == false)
                #expect(try await scene.sandbox.requests(to: "/pay/cancel").isEmpty)
            }
        }

        @Test("Closed then and handed off again, the next press still sends the same key")
        func presentedAgain() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await reopened(scene)
                try await checkout.ask("close")
                #expect(try await checkout.till.watch(checkout.payment) == checkout.id)
                let finished = try await again(checkout, scene)
                #expect(finished["presentation"] == 2)
                try await checkout.expectOneRequest(tries: 4)
                let view = try await scene.sandbox.view(checkout.payment)
                #expect(view["charges"] == 1)
                #expect(view["idempotency_keys"] == 1)
            }
        }

        /// Presses Pay as soon as it is open in the second presentation.
        private func again(_ checkout: Checkout, _ scene: Scene) async throws -> JSONValue {
            var ready = 0
            _ = try await scene.events { event in
                ready += event.kind == "ready" ? 1 : 0
                return ready == 2
            }
            while true {
                do {
                    try await checkout.pay()
                    return try await checkout.settled()
                } catch RPCClientError.refused(let error) where error.data?["code"] == "attempt_undecided" {
                    // Whether it opens at once, or after another 60 s, is the daemon's.
                    _ = try await checkout.till.refreshed(checkout.id)
                }
            }
        }

        @Test("A request that arrives after all is answered with its first answer when Pay is pressed")
        func arrivesLate() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 30])
                try await scene.sandbox.fault(["delay_seconds": 3600], on: Self.path, times: 1, phase: "before")
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 2)
                try await checkout.pay()
                _ = try await scene.events { $0.isNetworkError }
                // No read shows that it arrived before the press does.
                try await scene.sandbox.fault(
                    ["wrong": ["transaction": ["status": "pending"]]], on: "/pay/status", times: 3)
                try await scene.sandbox.release()
                try await checkout.pay()
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: 4)
                #expect(try await scene.sandbox.view(checkout.payment)["attempts"] == 1)
            }
        }

        @Test("Another number pressed then goes with the same key: the first request counts if it arrived")
        func anotherBodyAfterItArrived() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 30])
                try await scene.sandbox.fault(["delay_seconds": 3600], on: Self.path, times: 1, phase: "before")
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 2)
                try await checkout.pay()
                _ = try await scene.events { $0.isNetworkError }
                try await scene.sandbox.fault(
                    ["wrong": ["transaction": ["status": "pending"]]], on: "/pay/status", times: 3)
                try await scene.sandbox.release()
                try await checkout.pay(Checkout.number("000001"))
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                #expect(Set(try await checkout.requests().map { $0["idempotency_key"] }).count == 1)
                #expect(Set(try await checkout.requests().map { $0["body_digest"] }).count == 2)
            }
        }

        @Test("Another number pressed then is the one that pays if the first request never arrived")
        func anotherBody() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await reopened(scene)
                try await checkout.pay(["mobile_money": ["phone": "+237690000000", "country": "CM"]])
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                #expect(Set(try await checkout.requests().map { $0["idempotency_key"] }).count == 1)
            }
        }

        @Test("A read that misses at 60 s opens nothing: only one that says pending does")
        func unreadable() async throws {
            try await Scene.with(speed: 80) { scene in
                let checkout = try await scene.checkout(["echo": false])
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3)
                try await checkout.pay()
                try await scene.reached("PENDING")
                // The reads back off, so that the last of these is later than 60 s.
                try await scene.sandbox.fault(["status": 502], on: "/pay/status", times: 6)
                _ = try await scene.events { $0.isNetworkError }
                let reads = try await scene.sandbox.requests(to: "/pay/status")
                #expect(reads.count { $0["status"] == 502 } == 6)
                #expect(reads.last?["status"] == 200)
            }
        }

        @Test("A key that is a day old is never sent again: its attempt is only read")
        func oldKey() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await reopened(scene, ["expires_in_seconds": 31_000_000])
                await scene.kill(checkout.daemon)
                // The daemon's clock is the uptime times its speed: a greater one is a leap forward, here of a day.
                let uptime = try #require(
                    Double(String(contentsOfFile: "/proc/uptime", encoding: .utf8).prefix { $0 != " " }))
                let leap = Int((24.5 * 3600 / uptime).rounded(.up))
                try await scene.start(speed: Self.speed + leap)
                let till = try scene.stage.till()
                let settled = try await till.settled(checkout.id)
                #expect(settled["result"]?["status"] == "processing")
                #expect(try await till.watch(checkout.payment) == checkout.id)
                _ = try await till.refreshed(checkout.id)
                let again = Checkout(
                    scene: scene, daemon: checkout.daemon, till: till, payment: checkout.payment, id: checkout.id)
                #expect(try await again.refusal("pay", Checkout.number()).data?["code"] == "attempt_undecided")
                try await again.expectOneRequest(tries: 3)
                #expect(try await again.status()["advice"]?["safe_to_take_other_payment"] == false)
            }
        }
    }
}
