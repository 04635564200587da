import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport

extension Bench {
    /// From a provider's success to the till's `complete`: push, read, commit and event included. The baseline is the sandbox's own
    /// part: the same control request for a payment that nobody watches.
    func pushes() async throws {
        let stage = try Stage(binaries: binaries)
        let sandbox = try await stage.startSandbox()
        let daemon = try await stage.startDaemon(origin: sandbox.origin)
        let till = try stage.till()
        // One payment more holds the connection open, so that each turn waits for its own subscription.
        let anchor = try await sandbox.pay()
        _ = try await till.call("payment.watch", ["token": .string(anchor.token)])
        try await sandbox.subscribed(1)
        var own = Sample()
        var whole = Sample()
        for number in 0..<300 {
            let unwatched = try await sandbox.pay()
            var start = ContinuousClock.now
            try await sandbox.drive(unwatched, to: "success")
            own.add(ContinuousClock.now - start)

            let watched = try await sandbox.pay()
            let answer = try await till.call("payment.watch", ["token": .string(watched.token)])
            let id = answer["payment"]?["id"] ?? .null
            try await sandbox.subscribed(2)
            async let settled = till.call("payment.wait", ["payment": id])
            start = ContinuousClock.now
            try await sandbox.drive(watched, to: "success")
            _ = try await settled
            if number >= 20 { whole.add(ContinuousClock.now - start) }
        }
        till.close()
        await stop(daemon)
        await sandbox.stop()
        try stage.clear()
        report(
            "the sandbox's own part",
            "p50 \(own.percentile(0.5).short) ms, p99 \(own.percentile(0.99).short) ms (baseline)")
        report(
            "push to till",
            "\((whole.percentile(0.5) / own.percentile(0.5)).short) times the baseline "
                + "(p50 \((whole.percentile(0.5) - own.percentile(0.5)).short) ms, "
                + "p99 \((whole.percentile(0.99) - own.percentile(0.5)).short) ms beyond it; aim: 3 and 10)")
    }
}
