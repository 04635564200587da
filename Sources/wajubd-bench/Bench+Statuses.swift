import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import PlatformTestSupport

extension Bench {
    /// `payment.status` with 64 clients: each asks a hundred times a second, and then as fast as it can. The baseline asks for
    /// a method that does not exist: the socket and the parser alone.
    func statuses() async throws {
        let silence = try SilentServer()
        let (process, socket) = try await daemon("statuses", origin: silence.origin)
        let clients = try (0..<64).map { _ in try RPCClient(path: socket) }
        var ids: [JSONValue] = []
        for number in 0..<64 {
            let answer = try await clients[0].call("payment.watch", ["token": .string("status-\(number)")])
            ids.append(answer["payment"]?["id"] ?? .null)
        }
        let bare = try await ask("no.such.method", clients, ids, pace: .milliseconds(10), times: 300)
        let paced = try await ask("payment.status", clients, ids, pace: .milliseconds(10), times: 300)
        let flat = try await ask("payment.status", clients, ids, pace: .zero, times: 500)
        await stop(process)
        silence.close()
        report("unknown method, 64 × 100 a second", "p99 \(bare.percentile(0.99).short) ms (baseline)")
        report(
            "payment.status, 64 × 100 a second",
            "p99 \((paced.percentile(0.99) / bare.percentile(0.99)).short) of the baseline "
                + "(p50 \(paced.percentile(0.5).short) ms, p99 \(paced.percentile(0.99).short) ms; aim: 1 ms)")
        report(
            "payment.status, 64 without a pause",
            "p50 \(flat.percentile(0.5).short) ms, p99 \(flat.percentile(0.99).short) ms (both cores full)")
    }

    private func ask(
        _ method: String, _ clients: [RPCClient], _ ids: [JSONValue], pace: Duration, times: Int
    ) async throws -> Sample {
        try await withThrowingTaskGroup(of: Sample.self) { group in
            for (number, client) in clients.enumerated() {
                group.addTask {
                    var sample = Sample()
                    let first = ContinuousClock.now + pace * number / 64
                    for turn in 0..<times {
                        if pace > .zero { try await Task.sleep(until: first + pace * turn, clock: .continuous) }
                        let start = ContinuousClock.now
                        do {
                            _ = try await client.call(method, ["payment": ids[number]])
                        } catch RPCClientError.refused {
                            // The baseline: refused is answered.
                        }
                        sample.add(ContinuousClock.now - start)
                    }
                    return sample
                }
            }
            return try await group.reduce(into: Sample()) { $0.add($1) }
        }
    }
}
