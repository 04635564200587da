import JSON
import JSONRPC
import Platform
import PlatformTestSupport
import StageSupport
import Testing

extension Paying.Kills {
    /// Kills that no test could aim: `kill -9` at random moments around the press of Pay.
    @Suite struct AnyMoment {
        private static let kills = 10

        private struct Pressed {
            let payment: Sandbox.Payment
            let id: JSONValue
            let wasAnswered: Bool
        }

        /// Writes the request to the socket, kills the daemon some microseconds later, and reads what it had answered.
        private func press(_ checkout: Checkout, killing after: Duration) async throws -> Pressed {
            let channel = try LineChannel(path: checkout.scene.stage.socket)
            let params = Checkout.number().merging(["payment": checkout.id]) { $1 }
            let request: JSONValue = [
                "jsonrpc": "2.0", "id": 1, "method": "payment.pay", "params": .object(params),
            ]
            try channel.send(request.encoded + [UInt8(ascii: "\n")])
            let start = ContinuousClock.now
            while ContinuousClock.now - start < after {}
            await checkout.scene.kill(checkout.daemon)
            return Pressed(
                payment: checkout.payment, id: checkout.id, wasAnswered: try channel.receive() != nil)
        }

        /// How long it takes from the press of Pay to its arrival at Wajub: the machine may be slow.
        private func timeToArrive(_ scene: Scene) async throws -> Duration {
            let checkout = try await scene.checkout()
            let start = ContinuousClock.now
            try await checkout.pay()
            try await scene.sandbox.request(to: "/pay/process")
            let time = ContinuousClock.now - start
            _ = try await checkout.settled()
            await scene.kill(checkout.daemon)
            return time
        }

        @Test(
            "Killed at any moment around the press of Pay: what was answered is there, and nobody is charged twice",
            arguments: 1...3)
        func anyMoment(seed: Int) async throws {
            let randomness = SeededRandomness(seed: UInt64(seed))
            // A watch is 15 minutes: long enough for all of the kills.
            try await Scene.with(speed: 20) { scene in
                let latest = try await timeToArrive(scene) * 2
                var pressed: [Pressed] = []
                for _ in 0..<Self.kills {
                    let daemon = try await scene.start(log: "notice")
                    let checkout = try await scene.checkout(
                        ["refuse_parallel_attempts": false, "echo": false], of: daemon)
                    let moment = latest * Int(randomness.next() % 1_000) / 1_000
                    pressed.append(try await press(checkout, killing: moment))
                }
                let daemon = try await scene.start(log: "notice")
                for press in pressed { try await finish(press, scene, daemon) }
            }
        }

        private func finish(_ press: Pressed, _ scene: Scene, _ daemon: ChildProcess) async throws {
            let checkout = Checkout(
                scene: scene, daemon: daemon, till: try scene.stage.till(), payment: press.payment, id: press.id)
            let attempt = try await checkout.status()["attempt"]
            if press.wasAnswered { #expect(attempt?["number"] == 1) }
            if attempt == nil {
                let arrived = try await scene.sandbox.view(press.payment)["attempts"]
                try #require(arrived == 0, "a request left before its key was durable")
                try await checkout.pay()
            }
            let ours = try await scene.events { event in
                event.payment == press.id.string && (event.kind == "complete" || event.isNetworkError)
            }
            if ours.last?.isNetworkError == true { try await checkout.pay() }
            #expect(try await checkout.settled()["result"]?["status"] == "complete")
            let view = try await scene.sandbox.view(press.payment)
            #expect(view["charges"] == 1)
            #expect(view["idempotency_keys"] == 1)
        }
    }
}
