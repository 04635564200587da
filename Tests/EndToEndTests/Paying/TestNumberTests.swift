import JSON
import JSONRPC
import StageSupport
import Testing

extension Paying.Answers {
    /// Every test number and card of the sandbox (seed 000, "Sandbox").
    @Suite struct TestNumbers {
        private static let speed = 40

        @Test("A number that succeeds: an approval on the phone, then paid once, its events in the contract's order")
        func succeeds() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout()
                let pressed = try await checkout.pay()
                #expect(pressed["state"] == "PROCESSING")
                #expect(pressed["method"] == "mobile_money")
                #expect(pressed["attempt"]?["channel"] == "cm.mobile")
                try await scene.reached("USSD_REQUIRED")
                let settled = try await checkout.settled()
                #expect(settled["result"]?["payment"]?["method"] == "mobile_money")
                #expect(settled["attempt"]?["phase"] == "succeeded")
                #expect(settled["attempt"]?["tries"] == 1)
                try await checkout.expectPaidOnce()
                let kinds = try await scene.events().map(\.kind).filter { $0 != "state" && $0 != "progress" }
                #expect(kinds == ["accepted", "ready", "payment_started", "success", "complete"])
                let work = try await scene.events().filter { $0.kind == "progress" }.map(\.data)
                #expect(work == [["active": true], ["active": false]])
            }
        }

        @Test("A number with insufficient funds: a certain decline, the payment is pending again")
        func insufficientFunds() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.number("000001"))
                try await scene.reached("FAILED")
                let failed = try await checkout.status()
                #expect(failed["error"]?["code"] == "insufficient_funds")
                #expect(failed["error"]?["certainty"] == "definite")
                #expect(failed["status"] == "pending")
                #expect(failed["result"] == nil)
                #expect(failed["advice"]?["safe_to_retry"] == true)
                #expect(failed["advice"]?["safe_to_take_other_payment"] == false)
                #expect(try await checkout.ask("cancel")["result"]?["status"] == "cancelled")
                #expect(try await scene.sandbox.charges(checkout.payment) == 0)
            }
        }

        @Test(
            "A number whose payment ends: result failed, and another payment may be taken",
            arguments: [
                ("000002", "failed", "FAILED", "payment_failed"),
                ("000004", "cancelled", "CANCELLED", "session_terminal_cancelled"),
            ])
        func ends(number: String, status: String, state: String, code: String) async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.number(number))
                let settled = try await checkout.settled()
                #expect(settled["result"]?["status"] == "failed")
                #expect(settled["status"]?.string == status)
                #expect(settled["state"]?.string == state)
                #expect(settled["result"]?["error"]?["code"]?.string == code)
                #expect(settled["advice"]?["safe_to_take_other_payment"] == true)
                #expect(try await scene.sandbox.charges(checkout.payment) == 0)
            }
        }

        @Test("A number that times out at the provider: declined as approval_timeout, the payment is pending again")
        func timesOut() async throws {
            try await Scene.with(speed: 150) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.number("000003"))
                try await scene.reached("FAILED")
                #expect(try await checkout.status()["error"]?["code"] == "approval_timeout")
                #expect(try await scene.sandbox.charges(checkout.payment) == 0)
            }
        }

        @Test("An approval that nobody gives: result processing 15 minutes after the press, and no second too early")
        func nobodyApproves() async throws {
            try await Scene.with(speed: 300) { scene in
                let checkout = try await scene.checkout(
                    ["expires_in_seconds": 86_400, "settle_after_seconds": 1_200])
                let start = ContinuousClock.now
                try await checkout.pay(Checkout.number("000003"))
                let settled = try await checkout.settled()
                #expect((ContinuousClock.now - start) * 300 >= .seconds(900))
                #expect(settled["result"]?["status"] == "processing")
                #expect(settled["attempt"]?["undecided"] == true)
                #expect(settled["advice"]?["safe_to_take_other_payment"] == false)
            }
        }

        @Test("A number that is no test number is refused by Wajub; the next press is another attempt")
        func noTestNumber() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(["mobile_money": ["phone": "+237677123456", "country": "CM"]])
                try await scene.reached("FAILED")
                let failed = try await checkout.status()
                #expect(failed["error"]?["code"] == "validation_error")
                #expect(failed["error"]?["param"] == "phone")
                #expect(!String(decoding: failed.encoded, as: UTF8.self).contains("677123456"))
                try await checkout.pay()
                _ = try await checkout.settled()
                #expect(try await scene.sandbox.charges(checkout.payment) == 1)
            }
        }

        @Test("A test card that succeeds is paid at once")
        func card() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.card())
                let settled = try await checkout.settled()
                #expect(settled["method"] == "card")
                #expect(settled["result"]?["payment"]?["method"] == "card")
                try await checkout.expectPaidOnce()
            }
        }

        @Test(
            "A test card that is declined: a certain failure in the answer itself, told once",
            arguments: [
                ("4000000000000002", "card_declined"), ("4000000000009995", "insufficient_funds"),
            ])
        func declinedCard(number: String, code: String) async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.card(number))
                try await scene.reached("FAILED")
                // The reads carry the same refusal.
                for _ in 0..<3 { _ = try await checkout.till.refreshed(checkout.id) }
                let failed = try await checkout.status()
                #expect(failed["error"]?["code"]?.string == code)
                #expect(failed["error"]?["certainty"] == "definite")
                try await checkout.pay(Checkout.card())
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce(keys: 2)
                #expect(try await scene.events().count { $0.kind == "error" } == 1)
            }
        }

        @Test("A card that is no test card is refused by Wajub, and its number is told nowhere")
        func noTestCard() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.card("4111111111111111"))
                try await scene.reached("FAILED")
                let failed = try await checkout.status()
                #expect(failed["error"]?["param"] == "number")
                #expect(!String(decoding: failed.encoded, as: UTF8.self).contains("41111111"))
            }
        }

        @Test(
            "A Stripe payment method pays, is declined, or goes through a page",
            arguments: [("pm_card_visa", "SUCCESS"), ("pm_card_chargeDeclined", "FAILED")])
        func stripe(method: String, state: String) async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let checkout = try await scene.checkout(["card_sdk": "stripe_elements"])
                try await checkout.pay(["card": ["payment_method_id": .string(method), "card_holder": "A Payer"]])
                try await scene.reached(state)
                #expect(try await scene.sandbox.charges(checkout.payment) == (state == "SUCCESS" ? 1 : 0))
            }
        }
    }
}
