import FoundationEssentials
import JSON
import JSONRPC
import StageSupport
import Testing

extension Paying.Answers {
    /// "Device signals and privacy" of seed 000, and `wire.md`, "Common".
    @Suite struct Device {
        /// Pays once and returns the request as it arrived.
        private func request(_ scene: Scene, _ checkout: Checkout) async throws -> JSONValue {
            try await checkout.pay()
            _ = try await checkout.settled()
            return try #require(
                try await checkout.requests().last { $0["payment"]?.string == checkout.payment.id })
        }

        @Test("A payment request carries the device's signals and no screen, and introduces the daemon")
        func signals() async throws {
            try await Scene.with(speed: 20) { scene in
                let daemon = try await scene.start(environment: ["LANG": "fr_CM.UTF-8", "TZ": "Africa/Douala"])
                let arrived = try await request(scene, try await scene.checkout(of: daemon))
                let device = try #require(arrived["device"]?.object)
                #expect(device["timezone"] == "Africa/Douala")
                #expect(device["languages"]?.array?.isEmpty == false)
                #expect(device["language"] == device["languages"]?.array?.first)
                let fingerprint = try #require(device["fingerprint"]?.string)
                #expect(fingerprint.utf8.count == 64)
                #expect(fingerprint.allSatisfy { $0.isHexDigit && !$0.isUppercase })
                #expect(Set(device.keys) == ["timezone", "language", "languages", "fingerprint"])

                let headers = try #require(arrived["headers"]?.object)
                let client = try #require(headers["x-wajub-client"]?.string)
                #expect(client.wholeMatch(of: /wajubd\/\S+ \(linux \S+\)/) != nil)
                #expect(headers["user-agent"]?.string?.hasSuffix(client) == true)
                #expect(headers["accept"] == "application/json")
                #expect(headers["content-type"] == "application/json; charset=utf-8")
                #expect(headers["accept-language"]?.string?.isEmpty == false)
                #expect(arrived["idempotency_key"]?.string?.utf8.count == 32)
            }
        }

        @Test("The fingerprint is the installation's: the same after a crash, another once the store is gone")
        func fingerprint() async throws {
            try await Scene.with(speed: 20) { scene in
                var fingerprints: [JSONValue?] = []
                for round in 0..<3 {
                    let daemon = try await scene.start()
                    for _ in 0..<2 {
                        let arrived = try await request(scene, try await scene.checkout(of: daemon))
                        fingerprints.append(arrived["device"]?["fingerprint"])
                    }
                    await scene.kill(daemon)
                    if round == 1 { try FileManager.default.removeItem(atPath: scene.stage.state) }
                }
                #expect(Set(fingerprints[..<4]).count == 1)
                #expect(Set(fingerprints[4...]).count == 1)
                #expect(Set(fingerprints).count == 2)
            }
        }

        @Test("Reads and cancels carry no device signals: only what pays does")
        func paymentsAlone() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout()
                try await checkout.ask("cancel")
                let all = try await scene.sandbox.ask("/sandbox/log")["requests"]?.array ?? []
                let ours = all.filter { $0["path"]?.string?.hasPrefix("/pay/") == true }
                #expect(ours.contains { $0["path"] == "/pay/cancel" })
                #expect(ours.allSatisfy { $0["device"] == nil })
                #expect(ours.allSatisfy { $0["headers"]?["x-wajub-client"] != nil })
            }
        }
    }
}
