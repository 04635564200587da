import JSON
import JSONRPC
import StageSupport
import Testing

extension EndToEnd {
    @Suite struct Deadlines {
        /// 15 minutes in three seconds.
        private static let speed = 300

        @Test("After 15 minutes a pending payment ends as processing, and no second too early")
        func endsAsProcessing() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let payment = try await scene.sandbox.pay(["expires_in_seconds": 86_400])
                try await scene.start()
                let till = try scene.stage.till()
                let start = ContinuousClock.now
                let id = try await till.watch(payment)
                let settled = try await till.settled(id)
                #expect((ContinuousClock.now - start) * Self.speed >= .seconds(900))
                #expect(settled["result"]?["status"] == "processing")
                #expect(settled["status"] == "pending")
                #expect(settled["watch"]?["active"] == false)
                #expect(settled["advice"]?["safe_to_take_other_payment"] == false)
                let kinds = try await scene.events().map(\.kind)
                #expect(kinds.filter { $0 != "state" } == ["accepted", "ready", "complete"])
            }
        }

        @Test("A payment whose result was not known by the deadline is decided by one last read")
        func readsOnceMore() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                // Realtime stays connected and says nothing; so reads come every 15 s, and the last at the deadline.
                let payment = try await scene.sandbox.pay(["expires_in_seconds": 86_400])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                let settled = try await till.settled(id)
                let last = try await scene.sandbox.lastRequest()
                let reads = try await scene.sandbox.requests(to: "/pay/status")
                #expect(reads.last?["number"]?.int == last)
                #expect(try #require(settled["watch"]?["reads"]?.int) <= reads.count)
            }
        }

        @Test("After the watch, the follow-up moves the status and never the result")
        func followsUp() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let payment = try await scene.sandbox.pay(["expires_in_seconds": 86_400])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment, ["follow_up_seconds": 80_000])
                let settled = try await till.settled(id)
                #expect(settled["result"]?["status"] == "processing")
                #expect(settled["watch"]?["active"] == true)
                try await scene.sandbox.drive(payment, to: "success")
                let events = try await scene.events(until: "status")
                #expect(events.last?.data["status"] == "succeeded")
                #expect(events.count { $0.kind == "complete" } == 1)
                let later = try await till.status(id)
                #expect(later["status"] == "succeeded")
                #expect(later["result"] == settled["result"])
            }
        }

        @Test("The time a watch has used up survives a crash")
        func survivesACrash() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let payment = try await scene.sandbox.pay(["expires_in_seconds": 86_400])
                let daemon = try await scene.start()
                let id = try await scene.stage.till().watch(payment)
                // Reads are five seconds apart or more.
                var last = 0
                for _ in 0..<10 { last = try await scene.sandbox.request(to: "/pay/status", after: last) }
                await scene.kill(daemon)
                try await scene.start()
                let till = try scene.stage.till()
                let left = try #require(try await till.status(id)["watch"]?["ends_in_seconds"]?.double)
                #expect(left < 900 - 9 * 5)
                #expect(try await till.settled(id)["result"]?["status"] == "processing")
            }
        }

        @Test("Presented again after processing, a payment is watched anew and completes once more")
        func presentedAgain() async throws {
            try await Scene.with(speed: Self.speed) { scene in
                let payment = try await scene.sandbox.pay(["expires_in_seconds": 86_400])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                #expect(try await till.settled(id)["result"]?["status"] == "processing")
                #expect(try await till.watch(payment) == id)
                let again = try await till.status(id)
                #expect(again["presentation"] == 2)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
                let kinds = try await scene.events(count: 2).map(\.kind).filter { $0 != "state" }
                #expect(kinds.count { $0 == "accepted" } == 2)
                #expect(kinds.last == "complete")
            }
        }
    }
}
