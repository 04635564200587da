import FoundationEssentials
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension EndToEnd {
    @Suite
    struct Threads {
        @Test(
            "Whatever it did, no thread is libdispatch's, whose monitor would wake an idle daemon each second for ever")
        func noneOfLibdispatch() async throws {
            try await Scene.with(speed: 20) { scene in
                let payment = try await scene.sandbox.pay()
                let daemon = try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.subscribed()
                // Time limits passed here and in the watch: timers of every kind were set, rang, and were cancelled.
                _ = try await till.call("payment.wait", ["payment": id, "timeout_seconds": 6])
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")

                let tasks = "/proc/\(daemon.pid)/task"
                let names = try FileManager.default.contentsOfDirectory(atPath: tasks).map { task in
                    String(decoding: try Data(contentsOf: URL(filePath: "\(tasks)/\(task)/comm")), as: UTF8.self)
                }
                #expect(names.contains("tasks\n"))
                #expect(!names.contains { $0.contains("qos") || $0.contains("dispatch") }, "\(names)")
            }
        }
    }
}
