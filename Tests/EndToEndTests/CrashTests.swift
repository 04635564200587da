import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension EndToEnd {
    @Suite struct Crashes {
        /// The till's whole stream, read in two parts with a crash between them, is what it would be in one.
        private func expectNoGap(_ before: [TillEvent], _ scene: Scene) async throws {
            let last = try #require(before.last?.seq)
            let after = try await scene.events(after: last)
            #expect((before + after).map(\.seq) == Array(1...(last + after.count)))
            #expect(before + after == (try await scene.events()))
            #expect((before + after).count { $0.kind == "complete" } == 1)
        }

        @Test("Killed before Wajub answered the session, a payment loads after the restart and completes")
        func beforeTheSession() async throws {
            try await Scene.with { scene in
                try await scene.sandbox.fault(["silence": true], on: "/pay/session", times: 1)
                let payment = try await scene.sandbox.pay()
                let daemon = try await scene.start()
                let id = try await scene.stage.till().watch(payment)
                try await scene.sandbox.request(to: "/pay/session")
                let before = try await scene.events(until: "accepted")
                await scene.kill(daemon)

                try await scene.start()
                let till = try scene.stage.till()
                try await scene.sandbox.subscribed()
                try await scene.sandbox.drive(payment, to: "success")
                let settled = try await till.settled(id)
                #expect(settled["result"]?["status"] == "complete")
                #expect(settled["amount"] == "15000")
                try await expectNoGap(before, scene)
            }
        }

        @Test("Killed while it watches, a payment is watched after the restart, by signals as well")
        func whileWatching() async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay()
                let daemon = try await scene.start()
                let id = try await scene.stage.till().watch(payment)
                try await scene.sandbox.subscribed()
                let before = try await scene.events(until: "ready")
                await scene.kill(daemon)

                let resumed = try await scene.sandbox.lastRequest()
                try await scene.start()
                let till = try scene.stage.till()
                // Ready from the store, before Wajub is asked anything.
                #expect(try await till.call("payment.methods", ["payment": id])["methods"]?.array?.isEmpty == false)
                try await scene.sandbox.request(to: "/pay/broadcasting/auth", after: resumed)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
                try await expectNoGap(before, scene)
            }
        }

        @Test(
            "A customer who pays while the daemon is dead is seen after the restart",
            arguments: ["success", "failed", "expired"])
        func whileDead(status: String) async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay()
                let daemon = try await scene.start()
                let id = try await scene.stage.till().watch(payment)
                let before = try await scene.events(until: "ready")
                await scene.kill(daemon)
                try await scene.sandbox.drive(payment, to: status)

                let second = try await scene.start()
                let settled = try await scene.stage.till().settled(id)
                #expect(settled["result"]?["status"] == (status == "success" ? "complete" : "failed"))
                try await expectNoGap(before, scene)

                // What is settled stays settled, through one more crash.
                await scene.kill(second)
                try await scene.start()
                #expect(try await scene.stage.till().status(id)["result"] == settled["result"])
                try await expectNoGap(before, scene)
            }
        }

        @Test("Killed at once after a hand-off was answered, none of many payments is lost")
        func afterTheAnswers() async throws {
            try await Scene.with { scene in
                let daemon = try await scene.start()
                let till = try scene.stage.till()
                var payments: [Sandbox.Payment] = []
                for _ in 0..<20 { payments.append(try await scene.sandbox.pay()) }
                let ids = try await withThrowingTaskGroup(of: JSONValue.self) { group in
                    for payment in payments { group.addTask { try await till.watch(payment) } }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                await scene.kill(daemon)
                for payment in payments { try await scene.sandbox.drive(payment, to: "success") }

                try await scene.start()
                let again = try scene.stage.till()
                for id in ids { #expect(try await again.settled(id)["result"]?["status"] == "complete") }
                let events = try await scene.events(count: 20)
                #expect(events.map(\.seq) == Array(1...events.count))
                #expect(Set(events.filter { $0.kind == "complete" }.map(\.payment)).count == 20)
            }
        }
    }
}
