import JSON
import JSONRPC
import StageSupport
import Testing

extension Paying.Hands {
    /// Two tills, or two hands at one, at the same payment at the same time.
    @Suite struct Races {
        /// What each of several did at once: the payments they got, and the codes of those that were refused.
        private func atOnce(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> JSONValue) async throws
            -> (done: [JSONValue], refused: [String])
        {
            try await withThrowingTaskGroup(of: Result<JSONValue, RPCError>.self) { group in
                for index in 0..<count {
                    group.addTask {
                        do {
                            return .success(try await body(index))
                        } catch RPCClientError.refused(let error) {
                            return .failure(error)
                        }
                    }
                }
                var (done, refused): ([JSONValue], [String]) = ([], [])
                for try await result in group {
                    switch result {
                    case .success(let payment): done.append(payment)
                    case .failure(let error): refused.append(error.data?["code"]?.string ?? error.message)
                    }
                }
                return (done, refused)
            }
        }

        @Test("Tills that press Pay at once: exactly one gets an attempt, the others attempt_undecided")
        func pressAtOnce() async throws {
            try await Scene.with(speed: 20) { scene in
                let daemon = try await scene.start()
                for _ in 0..<5 {
                    let checkout = try await scene.checkout(
                        ["refuse_parallel_attempts": false, "settle_after_seconds": 3], of: daemon)
                    let tills = try (0..<4).map { _ in try scene.stage.till() }
                    let (done, refused) = try await atOnce(tills.count) { index in
                        let params = Checkout.number().merging(["payment": checkout.id]) { $1 }
                        return try await tills[index].call("payment.pay", params)
                    }
                    #expect(done.count == 1)
                    #expect(refused == Array(repeating: "attempt_undecided", count: tills.count - 1))
                    _ = try await checkout.settled()
                    let view = try await scene.sandbox.view(checkout.payment)
                    #expect(view["attempts"] == 1)
                    #expect(view["charges"] == 1)
                }
            }
        }

        @Test("Pay while a cancel is on its way is refused, and nothing is sent; the cancel goes through")
        func payWhileCancelling() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout()
                try await scene.sandbox.fault(["delay_seconds": 3600], on: "/pay/cancel", times: 1, phase: "before")
                async let cancelled = checkout.ask("cancel")
                try await scene.sandbox.request(to: "/pay/cancel")
                #expect(try await checkout.refusal("pay", Checkout.number()).data?["code"] == "attempt_undecided")
                try await scene.sandbox.release()
                #expect(try await cancelled["result"]?["status"] == "cancelled")
                #expect(try await checkout.requests().isEmpty)
                #expect(try await scene.sandbox.charges(checkout.payment) == 0)
            }
        }

        @Test("Cancel while Pay is on its way is refused, and nothing is sent", arguments: ["before", "after"])
        func cancelWhilePaying(phase: String) async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 10, "echo": false])
                try await scene.sandbox.fault(["delay_seconds": 20], on: "/pay/process", times: 1, phase: phase)
                try await checkout.pay()
                try await scene.sandbox.request(to: "/pay/process")
                #expect(try await checkout.refusal("cancel").data?["code"] == "attempt_undecided")
                try await scene.sandbox.release()
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                #expect(try await scene.sandbox.requests(to: "/pay/cancel").isEmpty)
            }
        }

        @Test("Pay and cancel pressed at once: one is refused, and the payment is either paid or cancelled")
        func payAndCancelAtOnce() async throws {
            try await Scene.with(speed: 20) { scene in
                let daemon = try await scene.start()
                for round in 0..<6 {
                    let checkout = try await scene.checkout(of: daemon)
                    let tills = try (0..<2).map { _ in try scene.stage.till() }
                    let isPayFirst = round.isMultiple(of: 2)
                    let (done, refused) = try await atOnce(2) { index in
                        try await (index == 0) == isPayFirst
                            ? tills[index].call(
                                "payment.pay", Checkout.number().merging(["payment": checkout.id]) { $1 })
                            : tills[index].call("payment.cancel", ["payment": checkout.id])
                    }
                    #expect(done.count == 1)
                    #expect(refused.count == 1)
                    let settled = try await checkout.settled()
                    let charges = try await scene.sandbox.charges(checkout.payment)
                    let cancels = try await scene.sandbox.requests(to: "/pay/cancel")
                        .count { $0["payment"]?.string == checkout.payment.id }
                    if settled["result"]?["status"] == "complete" {
                        #expect((charges, cancels) == (1, 0))
                    } else {
                        #expect(settled["result"]?["status"] == "cancelled")
                        #expect((charges, cancels) == (0, 1))
                    }
                }
            }
        }

        @Test("Closed while Pay is on its way, it resolves as processing; the outcome is a later status")
        func closeWhilePaying() async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 10])
                try await scene.sandbox.fault(["delay_seconds": 20], on: "/pay/process", times: 1, phase: "before")
                try await checkout.pay()
                try await scene.sandbox.request(to: "/pay/process")
                let closed = try await checkout.ask("close")
                #expect(closed["result"]?["status"] == "processing")
                try await scene.sandbox.release()
                let events = try await scene.events { $0.kind == "status" && $0.data["status"] == "succeeded" }
                #expect(events.count { $0.kind == "complete" } == 1)
                #expect(try await checkout.status()["result"] == closed["result"])
                #expect(try await scene.sandbox.charges(checkout.payment) == 1)
            }
        }

        @Test("A step answered by several hands at once: one answer goes out, the others are no_step_pending")
        func answerAtOnce() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_step": "otp"])
                try await checkout.pay(Checkout.card())
                _ = try await scene.events(until: "step")
                let (done, refused) = try await atOnce(3) { _ in try await checkout.verify(["code": "000000"]) }
                #expect(done.count + refused.count == 3)
                #expect(Set(refused).isSubset(of: ["no_step_pending"]))
                // Each answer that went out was one that Wajub counted.
                let sent = try await scene.sandbox.requests(to: "/pay/verify/otp").count
                #expect(sent == done.count)
            }
        }

        @Test("While the answer to a step is on its way, neither another answer nor a new code is taken")
        func answerWhileAnswering() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout(["card_step": "otp"])
                try await checkout.pay(Checkout.card())
                _ = try await scene.events(until: "step")
                try await scene.sandbox.fault(["delay_seconds": 3600], on: "/pay/verify/otp", times: 1, phase: "before")
                async let first = checkout.verify(["code": "123456"])
                try await scene.sandbox.request(to: "/pay/verify/otp")
                #expect(try await checkout.status()["state"] == "VERIFYING")
                let second = try await checkout.refusal("verify", ["fields": ["code": "123456"]])
                #expect(second.data?["code"] == "no_step_pending")
                #expect(try await checkout.refusal("resend").data?["code"] == "no_step_pending")
                #expect(try await checkout.refusal("cancel").data?["code"] == "attempt_undecided")
                try await scene.sandbox.release()
                #expect(try await first["status"] == "succeeded")
                #expect(try await scene.sandbox.requests(to: "/pay/verify/otp").count == 1)
                try await checkout.expectPaidOnce()
            }
        }

        @Test("Paid elsewhere while Pay is pressed: the payment is complete, and this attempt charged nothing")
        func paidElsewhere() async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await scene.checkout(["echo": false])
                try await scene.sandbox.drive(checkout.payment, to: "success")
                try await checkout.pay()
                #expect(try await checkout.settled()["result"]?["status"] == "complete")
                let view = try await scene.sandbox.view(checkout.payment)
                #expect(view["charges"] == 1)
                #expect(view["attempts"] == 0)
            }
        }

        @Test("Somebody else pays at this moment: Pay is refused before anything is sent, or told in progress")
        func processingElsewhere() async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await scene.checkout(["settle_after_seconds": 86_400, "echo": false])
                try await scene.sandbox.drive(checkout.payment, to: "processing")
                // The daemon has not read it yet: Wajub answers 409 payment_in_progress.
                do {
                    try await checkout.pay()
                    try await scene.reached("USSD_REQUIRED")
                } catch RPCClientError.refused(let error) {
                    #expect(error.data?["code"] == "attempt_undecided")
                }
                #expect(try await checkout.refusal("cancel").data?["code"] == "attempt_undecided")
                try await scene.sandbox.drive(checkout.payment, to: "success")
                #expect(try await checkout.settled()["result"]?["status"] == "complete")
                #expect(try await scene.sandbox.charges(checkout.payment) == 1)
            }
        }
    }
}
