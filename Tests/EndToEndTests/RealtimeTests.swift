import JSON
import JSONRPC
import StageSupport
import Testing

extension EndToEnd {
    @Suite struct RealtimeLosses {
        @Test(
            "Paid while the realtime connection is lost, without a signal: a read finds it",
            arguments: [
                ("close", ["code": 4200]), ("close", ["code": 4100]), ("close", ["code": 1001]), ("drop", [:]),
            ] as [(String, [String: JSONValue])])
        func paidInTheGap(action: String, details: [String: JSONValue]) async throws {
            try await Scene.with(speed: 10) { scene in
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.subscribed()
                try await scene.sandbox.realtime(action, details)
                try await scene.sandbox.drive(payment, to: "success", ["push": false])
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test("A status that was not pushed is found by the scheduled read", arguments: [true, false])
        func notPushed(echo: Bool) async throws {
            try await Scene.with(speed: 30) { scene in
                let payment = try await scene.sandbox.pay(["echo": .bool(echo)])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                if echo { try await scene.sandbox.subscribed() } else { _ = try await scene.events(until: "ready") }
                try await scene.sandbox.drive(payment, to: "success", ["push": false])
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
                #expect(try await till.status(id)["watch"]?["signals"] == 0)
            }
        }

        @Test("A signal is a hint: the read decides, and a false one changes nothing")
        func falseSignal() async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.subscribed()
                let before = try await scene.sandbox.lastRequest()
                try await scene.sandbox.realtime(
                    "send",
                    [
                        "payment": .string(payment.id), "event": "PaymentStatusUpdated",
                        "data": "{\"status\":\"failed\"}",
                    ])
                try await scene.sandbox.request(to: "/pay/status", after: before)
                let read = try await till.refreshed(id)
                #expect(read["status"] == "pending")
                #expect(read["result"] == nil)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test(
            "With realtime refused the payment is read every five seconds",
            arguments: [
                ["subscriptions": "subscription_error"], ["establish": "refuse"],
                ["establish": "close", "establish_code": 4001],
            ] as [[String: JSONValue]])
        func refusedRealtime(behaviour: [String: JSONValue]) async throws {
            try await Scene.with(speed: 10) { scene in
                try await scene.sandbox.realtime("behave", behaviour)
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                _ = try await scene.events(until: "ready")
                let read = try await till.refreshed(id)
                #expect(read["watch"]?["realtime"] != "connected")
                let wait = try #require(read["watch"]?["next_read_in_seconds"]?.double)
                #expect(wait <= 5)
                // The daemon's own reads, one after the other.
                var last = try await scene.sandbox.lastRequest()
                for _ in 0..<3 { last = try await scene.sandbox.request(to: "/pay/status", after: last) }
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test(
            "With the channel's authorisation refused the payment is read every five seconds",
            arguments: [401, 403, 500])
        func refusedAuthorisation(status: Int) async throws {
            try await Scene.with(speed: 10) { scene in
                try await scene.sandbox.fault(
                    ["status": JSONValue(integerLiteral: status)], on: "/pay/broadcasting/auth")
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.request(to: "/pay/broadcasting/auth")
                let read = try await till.refreshed(id)
                #expect(read["watch"]?["realtime"] != "connected")
                let wait = try #require(read["watch"]?["next_read_in_seconds"]?.double)
                #expect(wait <= 5)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test("Realtime that is off is never asked for")
        func off() async throws {
            try await Scene.with(speed: 10) { scene in
                let payment = try await scene.sandbox.pay()
                try await scene.start(["--realtime", "off"])
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                _ = try await scene.events(until: "ready")
                try await scene.sandbox.drive(payment, to: "success")
                let settled = try await till.settled(id)
                #expect(settled["result"]?["status"] == "complete")
                #expect(settled["watch"]?["realtime"] == "off")
                #expect(try await scene.sandbox.requests(to: "/pay/broadcasting/auth").isEmpty)
            }
        }
    }
}
