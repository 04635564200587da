import FoundationEssentials
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport

extension Bench {
    /// A daemon whose only payment is over: its memory, and how often it wakes up.
    func idle() async throws {
        let stage = try Stage(binaries: binaries)
        let sandbox = try await stage.startSandbox()
        let process = try await stage.startDaemon(origin: sandbox.origin)
        let till = try stage.till()
        let payment = try await sandbox.pay()
        let answer = try await till.call("payment.watch", ["token": .string(payment.token)])
        try await sandbox.subscribed(1)
        try await sandbox.drive(payment, to: "success")
        _ = try await till.call("payment.wait", ["payment": answer["payment"]?["id"] ?? .null])
        till.close()
        // What the end left to do is done by then.
        try await Task.sleep(for: .seconds(5))
        let before = wakeUps(of: process.pid)
        try await Task.sleep(for: .seconds(10))
        // Of the threads that live on: one that ends takes its count along.
        let count = wakeUps(of: process.pid).reduce(0) { $0 + $1.value - (before[$1.key] ?? 0) }
        let pss = memory(of: process.pid)
        await stop(process)
        await sandbox.stop()
        try stage.clear()
        report(
            "idle, its payment over", "\((pss / 1024).short) MB PSS (aim: 20), \(count) wake-ups in 10 seconds (aim: 0)"
        )
    }

    /// Proportional set size in kilobytes.
    private func memory(of pid: Int32) -> Double {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") } ?? ""
        return line.split(separator: " ").compactMap { Double($0) }.first ?? .nan
    }

    /// Voluntary context switches of each of its threads.
    private func wakeUps(of pid: Int32) -> [String: Int] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return tasks.reduce(into: [:]) { counts, task in
            let text = (try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") } ?? ""
            counts[task] = line.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }.first ?? 0
        }
    }
}
