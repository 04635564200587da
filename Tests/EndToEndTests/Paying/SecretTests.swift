import FoundationEssentials
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension Paying.Kills {
    /// Promise 4: what the payer gives goes to Wajub alone.
    @Suite struct Secrets {
        /// What must be found nowhere, by what it is. Answers to steps are wrong ones: the right ones are too short to look for.
        private static let secrets = [
            "phone": "670000000", "phone as read aloud": "670 000 000", "card": "4000056655665556",
            "card's end": "56655665556", "code": "90817263", "PIN": "862497135608", "street": "17 rue du Secret",
            "email": "awa.secret@example.com", "holder": "Awa Secretholder",
        ]

        /// Every byte that left the daemon, and who may see it.
        private func expectSilence(_ places: [String: Data], also more: [String: String]) {
            for (what, secret) in Self.secrets.merging(more, uniquingKeysWith: { $1 }) {
                for (place, bytes) in places {
                    #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "the \(what) is in \(place)")
                }
            }
        }

        private func stateFiles(_ scene: Scene) throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: scene.stage.state)
            return try names.reduce(into: [:]) {
                $0["the state directory's \($1)"] = try Data(
                    contentsOf: URL(filePath: scene.stage.state + "/" + $1))
            }
        }

        /// What a till can ask of a payment.
        private func told(_ checkout: Checkout) async throws -> [String: Data] {
            var places: [String: Data] = [:]
            for method in ["payment.status", "payment.explain"] {
                places[method] = Data(try await checkout.till.call(method, ["payment": checkout.id]).encoded)
            }
            for method in ["payment.list", "daemon.info"] {
                places[method] = Data(try await checkout.till.call(method).encoded)
            }
            return places
        }

        /// All ways of paying, with bad answers between them so that the error paths speak as well.
        private func payInEveryWay(_ scene: Scene, _ daemon: ChildProcess) async throws -> [Checkout] {
            let phone = try await scene.checkout(of: daemon)
            for fault in [["drop": true], ["html": true]] as [JSONValue] {
                try await scene.sandbox.fault(fault, on: "/pay/process", times: 1)
            }
            try await phone.pay()
            _ = try await phone.settled()

            let declined = try await scene.checkout(of: daemon)
            try await scene.sandbox.fault(
                ["status": 422, "errors": ["phone": ["+237670000000 is refused."]], "message": "+237670000000?"],
                on: "/pay/process", times: 1)
            try await declined.pay()
            _ = try await scene.events { $0.payment == declined.id.string && $0.state == "FAILED" }

            let card = try await scene.checkout(of: daemon)
            try await card.pay(["card": ["fields": ["number": "4000056655665556"], "card_holder": "Awa Secretholder"]])
            _ = try await scene.events { $0.payment == card.id.string && $0.kind == "step" }
            try await card.verify(["code": "90817263"])
            var checkouts = [phone, declined, card]
            for (step, fields) in [
                ("pin", ["pin": "862497135608"]),
                ("address", ["address": "17 rue du Secret", "city": "", "state": "", "zip_code": ""]),
            ] as [(String, [String: JSONValue])] {
                let checkout = try await scene.checkout(["card_step": .string(step)], of: daemon)
                try await checkout.pay(Checkout.card())
                _ = try await scene.events { $0.payment == checkout.id.string && $0.kind == "step" }
                _ = try? await checkout.verify(fields)
                checkouts.append(checkout)
            }
            let session = try await scene.checkout(["card_sdk": "client_session"], of: daemon)
            try await session.ask(
                "start_client_session",
                ["channel": "card", "email": "awa.secret@example.com", "name": "Awa Secretholder"])
            return checkouts + [session]
        }

        @Test(
            "Numbers, codes and names are in no answer, event, log line, argument, and no byte of the state directory")
        func nowhere() async throws {
            try await Scene.with(speed: 20) { scene in
                let daemon = try await scene.start(["--country", "CM"])
                let checkouts = try await payInEveryWay(scene, daemon)
                let requests = try await scene.sandbox.requests(to: "/pay/process")
                let keys = Set(requests.compactMap { $0["idempotency_key"]?.string })
                #expect(keys.count == 5)
                var places: [String: Data] = [:]
                for checkout in checkouts {
                    for (method, bytes) in try await told(checkout) { places["\(method) of \(checkout.id)"] = bytes }
                }
                let events = try await scene.events { $0.payment == checkouts.last?.id.string && $0.kind == "redirect" }
                places["the events"] = Data("\(events)".utf8)
                for file in ["cmdline", "environ", "comm"] {
                    places["/proc/\(file)"] = try Data(contentsOf: URL(filePath: "/proc/\(daemon.pid)/\(file)"))
                }
                expectSilence(try stateFiles(scene), also: [:])

                await scene.kill(daemon)
                expectSilence(try stateFiles(scene), also: [:])
                let second = try await scene.start()
                _ = try await scene.stage.till().refreshed(checkouts[2].id)
                await scene.stop(second)
                for process in [daemon, second] {
                    let (_, log) = await scene.end(of: process)
                    #expect(log.contains { $0.hasPrefix("debug:") })
                    places["the log of \(process.pid)"] = Data(log.joined(separator: "\n").utf8)
                }
                // A key stays in the store by design: it is what a retry after a crash needs.
                let named = keys.enumerated().map { ("key \($0.offset)", $0.element) }
                expectSilence(places, also: Dictionary(uniqueKeysWithValues: named))
                expectSilence(try stateFiles(scene), also: [:])
            }
        }

        @Test("The payer's number is shown with all but its end hidden")
        func masked() async throws {
            try await Scene.with(speed: 1) { scene in
                let checkout = try await scene.checkout()
                try await checkout.pay()
                try await scene.reached("USSD_REQUIRED")
                let shown = try #require(try await checkout.status()["screen"]?["phone_masked"]?.string)
                #expect(shown.count { $0.isNumber } < 8)
            }
        }
    }
}
