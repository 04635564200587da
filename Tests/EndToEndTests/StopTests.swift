import Glibc
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension EndToEnd {
    @Suite struct Stops {
        /// How long systemd and a person may wait for a daemon that was asked to end.
        private static let limit: Duration = .seconds(1)

        @Test(
            "SIGTERM ends it within a second with many payments watched, and nothing is lost",
            arguments: [SIGTERM, SIGINT])
        func endsInOrder(signal: Int32) async throws {
            try await Scene.with { scene in
                let daemon = try await scene.start(log: "notice")
                let till = try scene.stage.till()
                var payments: [(payment: Sandbox.Payment, id: JSONValue)] = []
                for _ in 0..<60 {
                    let payment = try await scene.sandbox.pay()
                    payments.append((payment, try await till.watch(payment)))
                }
                try await scene.sandbox.subscribed(60)
                let before = try await scene.events(until: "ready", count: 60)
                let start = ContinuousClock.now
                daemon.signal(signal)
                #expect(await daemon.ended() == .exited(0))
                #expect(ContinuousClock.now - start < Self.limit)
                for payment in payments { try await scene.sandbox.drive(payment.payment, to: "success") }

                try await scene.start(log: "notice")
                let again = try scene.stage.till()
                for payment in payments {
                    #expect(try await again.settled(payment.id)["result"]?["status"] == "complete")
                }
                let events = try await scene.events(count: 60)
                #expect(events.map(\.seq) == Array(1...events.count))
                #expect(events.starts(with: before))
            }
        }

        @Test("SIGTERM while Wajub says nothing ends it within a second")
        func endsInSilence() async throws {
            try await Scene.with { scene in
                try await scene.sandbox.fault(["silence": true], on: "/pay/session")
                let daemon = try await scene.start()
                let till = try scene.stage.till()
                try await till.watch(try await scene.sandbox.pay())
                try await scene.sandbox.request(to: "/pay/session")
                let start = ContinuousClock.now
                await scene.stop(daemon)
                #expect(ContinuousClock.now - start < Self.limit)
            }
        }

        @Test(
            "A wait in flight is told that the daemon stops, or loses its connection; the socket goes with the daemon")
        func answersTheWait() async throws {
            try await Scene.with { scene in
                let daemon = try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(try await scene.sandbox.pay())
                async let waiting = till.settled(id)
                // Requests of a connection are taken in order: once this is answered, the wait is in flight.
                _ = try await till.refreshed(id)
                await scene.stop(daemon)
                do {
                    let payment = try await waiting
                    Issue.record("a payment that nobody paid settled: \(payment)")
                } catch RPCClientError.refused(let error) {
                    #expect(error.data?["code"] == "shutting_down")
                } catch RPCClientError.connectionLost {
                    // As good: whether the request was carried out is unknown, and it may be asked again.
                }
                #expect(throws: RPCClientError.self) { try scene.stage.till() }
            }
        }
    }
}
