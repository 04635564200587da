import FoundationEssentials
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension EndToEnd {
    @Suite struct MainJob {
        @Test("A payment that is handed off and then paid completes once, with its events in order")
        func completes() async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                async let events = scene.events()
                let id = try await till.watch(payment, ["reference": "till-1"])
                try await scene.sandbox.subscribed()
                try await scene.sandbox.drive(payment, to: "success")

                let settled = try await till.settled(id)
                #expect(settled["status"] == "succeeded")
                #expect(settled["state"] == "SUCCESS")
                #expect(settled["result"]?["status"] == "complete")
                let success = try #require(settled["result"]?["payment"])
                #expect(success["id"]?.string == payment.id)
                #expect(success["reference"]?.string == payment.reference)
                #expect(success["amount"] == "15000")
                #expect(success["currency"] == "XAF")
                #expect(success["status"] == "success")
                #expect(success["timestamp"]?.string?.isEmpty == false)

                let told = try await events
                #expect(told.map(\.seq) == Array(1...told.count))
                #expect(Set(told.map(\.payment)) == [id.string])
                #expect(told.first?.kind == "accepted")
                #expect(told.last?.kind == "complete")
                #expect(told.map(\.kind).filter { $0 != "state" } == ["accepted", "ready", "success", "complete"])
                #expect(told.last?.data["payment"] == success)
                #expect(try await scene.sandbox.charges(payment) == 1)
            }
        }

        @Test("The same token again is the same payment, by every name")
        func handsOffOnce() async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment, ["reference": "till-1"])
                #expect(try await till.watch(payment) == id)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(["reference": "till-1"])["id"] == id)
                #expect(try await till.settled(["reference": .string(payment.reference)])["id"] == id)
                #expect(try await till.settled(["token": .string(payment.token)])["id"] == id)
                #expect(try await till.watch(payment) == id)
                #expect(try await till.status(id)["presentation"] == 1)
            }
        }

        @Test("The token is in no answer, event, log line, argument, and in the end in no byte of the state directory")
        func keepsTheToken() async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay()
                let daemon = try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.subscribed()
                // Bad answers of all kinds, so that the error paths speak as well.
                for fault in [["drop": true], ["html": true], ["status": 401], ["status": 502]] as [JSONValue] {
                    try await scene.sandbox.fault(fault, on: "/pay/status", times: 1)
                    _ = try await till.refreshed(id)
                }
                try await scene.sandbox.drive(payment, to: "success")
                _ = try await till.settled(id)

                let params: [String: JSONValue] = ["payment": id]
                for (method, params) in [
                    ("payment.status", params), ("payment.wait", params), ("payment.explain", params),
                    ("payment.list", [:]), ("daemon.info", [:]), ("contract.describe", [:]),
                    ("payment.watch", ["token": .string(payment.token)]),
                    ("payment.status", ["payment": ["token": .string(payment.token)]]),
                ] {
                    let answer = try await till.call(method, params)
                    #expect(!String(decoding: answer.encoded, as: UTF8.self).contains(payment.token), "\(method)")
                }
                let refusals: [(String, [String: JSONValue])] = [
                    ("payment.status", ["payment": ["token": .string(payment.token + "x")]]),
                    ("payment.watch", ["token": .string(payment.token + " \u{1}")]),
                    ("payment.watch", ["token": .string(payment.token), "realtime": .string(payment.token)]),
                    (payment.token, [:]),
                ]
                for (method, params) in refusals {
                    let error = await #expect(throws: RPCClientError.self) { try await till.call(method, params) }
                    #expect(!"\(String(describing: error))".contains(payment.token))
                }
                for event in try await scene.events() { #expect(!"\(event)".contains(payment.token)) }
                let arguments = try Data(contentsOf: URL(filePath: "/proc/\(daemon.pid)/cmdline"))
                #expect(!String(decoding: arguments, as: UTF8.self).contains(payment.token))

                await scene.stop(daemon)
                let (_, log) = await scene.end(of: daemon)
                #expect(log.contains { $0.hasPrefix("debug:") })
                #expect(!log.contains { $0.contains(payment.token) })
                for name in try FileManager.default.contentsOfDirectory(atPath: scene.stage.state) {
                    let bytes = try Data(contentsOf: URL(filePath: scene.stage.state + "/" + name))
                    #expect(bytes.firstRange(of: Data(payment.token.utf8)) == nil, "\(name)")
                }
            }
        }
    }
}
