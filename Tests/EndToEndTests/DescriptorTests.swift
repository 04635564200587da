import FoundationEssentials
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension EndToEnd {
    @Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/prlimit")))
    struct Descriptors {
        private static let limit = 64

        @Test("More clients than descriptors: those are told too_many_clients, and the service goes on")
        func outOfDescriptors() async throws {
            try await Scene.with(speed: 20) { scene in
                let payment = try await scene.sandbox.pay()
                try await scene.start(wrapper: ["/usr/bin/prlimit", "--nofile=\(Self.limit)"])
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.subscribed()

                var clients: [RPCClient] = []
                var refusal: RPCError?
                while refusal == nil, clients.count <= Self.limit {
                    let client = try scene.stage.till()
                    do {
                        _ = try await client.call("daemon.info")
                        clients.append(client)
                    } catch RPCClientError.refused(let error) {
                        refusal = error
                    }
                }
                #expect(refusal?.data?["code"] == "too_many_clients")
                #expect(refusal?.data?["retryable"] == true)

                // Who is connected is served; a hand-off is still durable.
                #expect(try await till.status(id)["status"] == "pending")
                let second = try await scene.sandbox.pay()
                let secondID = try await till.watch(second)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")

                for client in clients { client.close() }
                #expect(try await till.status(secondID)["presentation"] == 1)
                try await scene.sandbox.drive(second, to: "success")
                #expect(try await till.settled(secondID)["result"]?["status"] == "complete")
                #expect(try await scene.stage.till().call("daemon.info")["payments"]?.int == 2)
            }
        }
    }
}
