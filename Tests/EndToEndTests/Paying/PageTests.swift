import JSON
import JSONRPC
import StageSupport
import Testing

extension Paying.Hands {
    /// Provider pages, one-tap wallets and client sessions (seed 000, "Cards").
    @Suite struct Pages {
        private static let payer: JSONValue = [
            "first_name": " Awa ", "last_name": "Payer", "email": "awa@example.com", "country": "cm",
        ]

        /// Terms of a payment that only its page decides, and that tells of it when it is read.
        private func byPage(_ sdk: String) -> [String: JSONValue] {
            ["card_sdk": .string(sdk), "settle_after_seconds": 86_400, "echo": false]
        }

        @Test("A hosted page: redirect, the payer approves there, and comes back to a paid payment")
        func hostedRedirect() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(byPage("hosted_redirect"))
                try await checkout.ask(
                    "pay", ["card": ["fields": Self.payer], "return_url": "https://shop.example/back"])
                let redirect = try await scene.events(until: "redirect").last
                let page = scene.sandbox.origin + "/pages/" + checkout.payment.id
                #expect(redirect?.data["url"]?.string == page)
                let shown = try await checkout.status()
                #expect(shown["state"] == "PENDING")
                #expect(shown["screen"]?["kind"] == "redirect")
                #expect(shown["screen"]?["action_url"]?.string == page)

                try await scene.sandbox.press(.approve, checkout.payment)
                #expect(try await checkout.ask("returned")["status"] == "succeeded")
                try await checkout.expectPaidOnce()
            }
        }

        @Test("A hosted page where the payer declines: a certain failure as soon as they are back")
        func declinedPage() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(byPage("hosted_redirect"))
                try await checkout.pay(["card": ["fields": Self.payer]])
                _ = try await scene.events(until: "redirect")
                try await scene.sandbox.press(.decline, checkout.payment)
                let returned = try await checkout.ask("returned")
                #expect(returned["state"] == "FAILED")
                #expect(returned["error"]?["code"] == "payment_declined")
                #expect(returned["error"]?["certainty"] == "definite")
                #expect(returned["advice"]?["can_cancel"] == true)
            }
        }

        @Test(
            "What a hosted page needs is asked for before anything is sent",
            arguments: ["first_name", "email", "country"])
        func missingField(field: String) async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(byPage("hosted_redirect"))
                let fields = Self.payer.object?.filter { $0.key != field } ?? [:]
                let refused = try await checkout.refusal("pay", ["card": ["fields": .object(fields)]])
                #expect(refused.data?["param"]?.string == field)
                #expect(try await checkout.status()["attempt"] == nil)
                #expect(try await checkout.requests().isEmpty)
            }
        }

        @Test("A Stripe card that needs 3-D Secure goes through its page")
        func stripePage() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(byPage("stripe_elements"))
                try await checkout.pay(["card": ["payment_method_id": "pm_card_threeDSecure2Required"]])
                _ = try await scene.events(until: "redirect")
                try await scene.sandbox.press(.approve, checkout.payment)
                _ = try await checkout.ask("returned")
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
            }
        }

        @Test("A one-tap wallet: no form, its page, paid")
        func wallet() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 86_400, "echo": false])
                let pressed = try await checkout.pay(["wallet": ["channel": "ci.djamo"]])
                #expect(pressed["method"] == "wallet")
                _ = try await scene.events(until: "redirect")
                try await scene.sandbox.press(.approve, checkout.payment)
                _ = try await checkout.ask("returned")
                #expect(try await checkout.settled()["result"]?["payment"]?["method"] == "wallet")
                try await checkout.expectPaidOnce()
            }
        }

        @Test("A raw channel with its data pays like any other")
        func raw() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(["channel": "cm.mobile", "data": ["phone": "+237670000000", "country": "CM"]])
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
            }
        }

        // MARK: Client sessions

        private func start(_ checkout: Checkout, _ more: [String: JSONValue] = [:]) async throws -> JSONValue {
            let params: [String: JSONValue] = ["payment": checkout.id, "channel": "card", "email": "awa@example.com"]
            return try await checkout.till.call("payment.start_client_session", params.merging(more) { $1 })
        }

        @Test("A client session: started with what opens the provider's page, unsettled at first, then paid")
        func clientSession() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                let session = try #require(try await start(checkout)["client_session"])
                for field in ["id", "provider", "hosted_url", "access_code", "public_key", "amount", "currency"] {
                    #expect(session[field]?.string?.isEmpty == false, "\(field)")
                }
                let shown = try await checkout.status()
                #expect(shown["screen"]?["kind"] == "client_session")
                #expect(shown["attempt"]?["undecided"] == true)

                let early = try await checkout.ask("returned")
                #expect(early["state"] == "PENDING")
                #expect(early["attempt"]?["undecided"] == true)
                #expect(early["error"] == nil)
                try await scene.sandbox.press(.approve, checkout.payment)
                #expect(try await checkout.ask("returned")["status"] == "succeeded")
                try await checkout.expectPaidOnce(keys: 0)
            }
        }

        @Test("A client session that the provider declined: a certain failure, and the payment can be paid anew")
        func declinedSession() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                _ = try await start(checkout)
                try await scene.sandbox.press(.decline, checkout.payment)
                let returned = try await checkout.ask("returned")
                #expect(returned["state"] == "FAILED")
                #expect(returned["error"]?["code"] == "payment_declined")
                #expect(returned["error"]?["certainty"] == "definite")
                let second = try await start(checkout)
                #expect(second["payment"]?["attempt"]?["number"] == 2)
                try await scene.sandbox.press(.approve, checkout.payment)
                _ = try await checkout.ask("returned")
                try await checkout.expectPaidOnce(keys: 0)
            }
        }

        @Test("A client session that expired: client_session_expired, start again")
        func expiredSession() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                _ = try await start(checkout)
                try await scene.sandbox.fault(
                    ["status": 410, "error_code": "client_session_expired"], on: "/pay/client-session/complete",
                    times: 1)
                let returned = try await checkout.ask("returned")
                #expect(returned["state"] == "FAILED")
                #expect(returned["error"]?["code"] == "client_session_expired")
                #expect(returned["error"]?["retryable"] == true)
                #expect(try await start(checkout)["client_session"]?["id"] != nil)
            }
        }

        @Test("Started anew on demand, it is another session of the same attempt")
        func restarted() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                let first = try await start(checkout)
                let same = try await start(checkout)
                #expect(same["client_session"]?["id"] == first["client_session"]?["id"])
                let other = try await start(checkout, ["restart": true])
                #expect(other["client_session"]?["id"] != first["client_session"]?["id"])
                #expect(other["payment"]?["attempt"]?["number"] == 1)
                try await scene.sandbox.press(.approve, checkout.payment)
                _ = try await checkout.ask("returned")
                try await checkout.expectPaidOnce(keys: 0)
            }
        }

        @Test(
            "Started anew in vain, the session that is open stays: the payer may be paying there",
            arguments: [["status": 429], ["status": 422], ["status": 402], ["drop": true], ["status": 500]]
                as [JSONValue])
        func restartedInVain(fault: JSONValue) async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                let first = try await start(checkout)
                try await scene.sandbox.fault(fault, on: "/pay/client-session", times: 1)
                let second = try #require(try await start(checkout, ["restart": true])["payment"])
                #expect(second["state"] == "PENDING")
                #expect(second["screen"]?["action_url"] == first["client_session"]?["hosted_url"])
                #expect(second["attempt"]?["undecided"] == true)
                #expect(second["error"]?["certainty"] == "indefinite")
                #expect(second["advice"]?["can_cancel"] == false)
                #expect(try await checkout.refusal("pay", Checkout.number()).data?["code"] == "attempt_undecided")
                try await scene.sandbox.press(.approve, checkout.payment)
                #expect(try await checkout.ask("returned")["status"] == "succeeded")
                try await checkout.expectPaidOnce(keys: 0)
            }
        }

        @Test("A provider that needs an email says so; with one it starts")
        func missingEmail() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                let params: [String: JSONValue] = ["payment": checkout.id, "channel": "card"]
                let refused = try #require(
                    try await checkout.till.call("payment.start_client_session", params)["payment"])
                #expect(refused["state"] == "FAILED")
                #expect(refused["error"]?["code"] == "missing_fields")
                #expect(refused["error"]?["certainty"] == "definite")
                #expect(try await start(checkout)["client_session"]?["id"] != nil)
            }
        }

        @Test(
            "The answer to a completion that gets lost fails nothing: reads tell the end",
            arguments: [["drop": true], ["html": true], ["status": 500], ["status": 404]] as [JSONValue])
        func lostCompletion(fault: JSONValue) async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                _ = try await start(checkout)
                try await scene.sandbox.fault(fault, on: "/pay/client-session/complete", times: 1)
                try await scene.sandbox.press(.approve, checkout.payment)
                _ = try await checkout.ask("returned")
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce(keys: 0)
            }
        }
    }
}
