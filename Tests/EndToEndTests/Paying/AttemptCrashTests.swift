import JSON
import JSONRPC
import StageSupport
import Testing

extension Paying.Kills {
    /// `kill -9` at each step of an attempt: the outcome is right, and the payer is charged once.
    @Suite struct Crashes {
        private static let path = "/pay/process"

        @Test("Killed right after Pay was answered, the attempt is there and is paid once")
        func afterTheAnswer() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                let pressed = try await checkout.pay()
                #expect(pressed["attempt"]?["undecided"] == true)
                let again = try await checkout.restarted()
                let attempt = try #require(try await again.status()["attempt"])
                #expect(attempt["number"] == 1)
                #expect(attempt["started_at"] == pressed["attempt"]?["started_at"])
                try await again.finish()
                try await again.expectPaidOnce()
                try await again.expectOneRequest()
            }
        }

        @Test("Killed while the request is on its way; it arrives while the daemon is dead")
        func arrivesWhileDead() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(["delay_seconds": 3600], on: Self.path, times: 1, phase: "before")
                try await checkout.pay()
                try await scene.sandbox.request(to: Self.path)
                let again = try await checkout.restarted { try await scene.sandbox.release() }
                #expect(try await again.settled()["attempt"]?["tries"] == 1)
                try await again.expectPaidOnce()
                try await again.expectOneRequest(tries: 1)
            }
        }

        @Test("Killed while the request is on its way; it arrives after the restart")
        func arrivesAfterwards() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(["delay_seconds": 3600], on: Self.path, times: 1, phase: "before")
                try await checkout.pay()
                try await scene.sandbox.request(to: Self.path)
                let again = try await checkout.restarted()
                let waiting = try await again.status()
                #expect(waiting["attempt"]?["phase"] == "unanswered")
                #expect(waiting["state"] == "PENDING")
                #expect(waiting["advice"]?["safe_to_take_other_payment"] == false)
                #expect(try await again.refusal("pay", Checkout.number()).data?["code"] == "attempt_undecided")
                #expect(try await again.refusal("cancel").data?["code"] == "attempt_undecided")
                try await scene.sandbox.release()
                _ = try await again.settled()
                try await again.expectPaidOnce()
                try await again.expectOneRequest(tries: 1)
            }
        }

        @Test("Killed while the request is on its way; it never arrives, and the next press sends the same key")
        func neverArrives() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(["silence": true], on: Self.path, times: 1)
                try await checkout.pay()
                try await scene.sandbox.request(to: Self.path)
                let again = try await checkout.restarted()
                _ = try await scene.events { $0.isNetworkError }
                // Nothing is sent again by itself.
                try await again.expectOneRequest(tries: 1)
                #expect(try await scene.sandbox.view(again.payment)["attempts"] == 0)
                try await again.pay()
                _ = try await again.settled()
                try await again.expectPaidOnce()
                try await again.expectOneRequest(tries: 2)
            }
        }

        @Test(
            "Killed while the answer is on its way: reads tell it after the restart",
            arguments: [["delay_seconds": 3600], ["silence": true], ["drop": true]] as [JSONValue])
        func answerOnItsWay(fault: JSONValue) async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 20])
                try await scene.sandbox.fault(fault, on: Self.path, times: 1, phase: "after")
                try await checkout.pay()
                try await scene.sandbox.request(to: Self.path)
                let again = try await checkout.restarted()
                _ = try await again.settled()
                try await again.expectPaidOnce()
                try await again.expectOneRequest()
            }
        }

        @Test("Killed between two tries, it is not tried again by itself; the next press sends the same key")
        func betweenTries() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(["status": 503, "retry_after": 50], on: Self.path, times: 1)
                try await checkout.pay()
                while try await checkout.isNoted("payment request missed") == false {}
                let again = try await checkout.restarted()
                _ = try await scene.events { $0.isNetworkError }
                try await again.expectOneRequest(tries: 1)
                try await again.pay()
                _ = try await again.settled()
                try await again.expectPaidOnce()
                try await again.expectOneRequest(tries: 2)
            }
        }

        @Test("Killed while a step waits, the same step is there and can be answered")
        func whileAStepWaits() async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.card("4000056655665556"))
                try await scene.reached("3DS_REQUIRED")
                let before = try #require(try await checkout.status()["screen"]?["step"]?["id"])
                let again = try await checkout.restarted()
                let status = try await again.status()
                #expect(status["state"] == "3DS_REQUIRED")
                #expect(status["screen"]?["step"]?["id"] == before)
                #expect(try await again.verify(["code": "123456"])["status"] == "succeeded")
                try await again.expectPaidOnce()
            }
        }

        @Test("Killed while the answer to a step is on its way there, the step can be answered again")
        func stepNeverArrives() async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.card("4000056655665556"))
                try await scene.reached("3DS_REQUIRED")
                try await scene.sandbox.fault(["silence": true], on: "/pay/verify/3ds", times: 1)
                let lost = Task { try await checkout.verify(["code": "123456"]) }
                try await scene.sandbox.request(to: "/pay/verify/3ds")
                let again = try await checkout.restarted()
                await #expect(throws: RPCClientError.connectionLost) { try await lost.value }
                #expect(try await again.status()["state"] == "3DS_REQUIRED")
                #expect(try await again.verify(["code": "123456"])["status"] == "succeeded")
                try await again.expectPaidOnce()
            }
        }

        @Test("Among more payments than read at once after a restart, a step can be answered at once")
        func amongMany() async throws {
            try await Scene.with(speed: 1) { scene in
                let daemon = try await scene.start(log: "notice")
                let till = try scene.stage.till()
                for _ in 0..<60 { try await till.watch(try await scene.sandbox.pay(["echo": false])) }
                // The newest is the last to read.
                let checkout = try await scene.checkout(of: daemon)
                try await checkout.pay(Checkout.card("4000056655665556"))
                _ = try await scene.events(until: "step")
                try await scene.sandbox.fault(["silence": true], on: "/pay/verify/3ds", times: 1)
                let lost = Task { try await checkout.verify(["code": "123456"]) }
                try await scene.sandbox.request(to: "/pay/verify/3ds")
                let again = try await checkout.restarted()
                #expect(try await again.verify(["code": "123456"])["status"] == "succeeded")
                await #expect(throws: RPCClientError.connectionLost) { try await lost.value }
                #expect(try await scene.sandbox.charges(again.payment) == 1)
            }
        }

        @Test("Killed after a step was accepted and before its answer came: reads tell the outcome")
        func stepAnswerOnItsWay() async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 10])
                try await checkout.pay(Checkout.card("4000056655665556"))
                try await scene.reached("3DS_REQUIRED")
                try await scene.sandbox.fault(["delay_seconds": 3600], on: "/pay/verify/3ds", times: 1, phase: "after")
                let lost = Task { try await checkout.verify(["code": "123456"]) }
                try await scene.sandbox.request(to: "/pay/verify/3ds")
                let again = try await checkout.restarted()
                await #expect(throws: RPCClientError.connectionLost) { try await lost.value }
                _ = try await again.settled()
                try await again.expectPaidOnce()
            }
        }

        @Test("Killed while a client session is open, the payer comes back to it")
        func whileAClientSessionIsOpen() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                try await checkout.ask("start_client_session", ["channel": "card", "email": "payer@example.com"])
                let before = try await checkout.status()
                #expect(before["screen"]?["kind"] == "client_session")
                let again = try await checkout.restarted()
                #expect(try await again.status()["screen"] == before["screen"])
                try await scene.sandbox.press(.approve, checkout.payment)
                #expect(try await again.ask("returned")["status"] == "succeeded")
                try await again.expectPaidOnce(keys: 0)
            }
        }

        @Test("Killed while a client session is open, and paid meanwhile: the restart finds it")
        func paidInTheSessionWhileDead() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_sdk": "client_session", "echo": false])
                try await checkout.ask("start_client_session", ["channel": "card", "email": "payer@example.com"])
                let again = try await checkout.restarted { try await scene.sandbox.press(.approve, checkout.payment) }
                _ = try await again.settled()
                try await again.expectPaidOnce(keys: 0)
            }
        }

        @Test("Killed after a decline, the payment can be paid anew, with another key")
        func afterADecline() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay(Checkout.number("000001"))
                try await scene.reached("FAILED")
                let again = try await checkout.restarted()
                let declined = try await again.status()
                #expect(declined["state"] == "FAILED")
                #expect(declined["error"]?["code"] == "insufficient_funds")
                #expect(declined["attempt"]?["phase"] == "refused")
                #expect(declined["advice"]?["safe_to_retry"] == true)
                #expect(declined["advice"]?["can_cancel"] == true)
                #expect(try await again.pay()["attempt"]?["number"] == 2)
                _ = try await again.settled()
                try await again.expectPaidOnce(keys: 2)
            }
        }

        @Test("Killed during the 60 s after the last try, the next press sends the same key")
        func duringTheMinute() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3)
                try await checkout.pay()
                try await scene.reached("PENDING")
                let again = try await checkout.restarted()
                #expect(try await again.status()["attempt"]?["phase"] == "unanswered")
                try await again.finish()
                try await again.expectPaidOnce()
                try await again.expectOneRequest(tries: 4)
            }
        }

        @Test("Killed once Pay is open again, it still is, with the same key")
        func onceOpenAgain() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(["drop": true], on: Self.path, times: 3)
                try await checkout.pay()
                _ = try await scene.events { $0.isNetworkError }
                let again = try await checkout.restarted()
                let status = try await again.status()
                #expect(status["state"] == "COLLECTING_DETAILS")
                #expect(status["error"]?["code"] == "network_error")
                #expect(status["advice"]?["safe_to_retry"] == true)
                try await again.pay()
                _ = try await again.settled()
                try await again.expectPaidOnce()
                try await again.expectOneRequest(tries: 4)
            }
        }
    }
}

extension Checkout {
    /// Whether the explanation has such a line by now.
    func isNoted(_ what: String) async throws -> Bool {
        let timeline = try await till.call("payment.explain", ["payment": id])["timeline"]?.array ?? []
        return timeline.contains { $0["what"]?.string == what }
    }
}
