import JSON
import JSONRPC
import Synchronization
import Testing

@testable import ControlCore

@Suite("A payment that has not loaded yet", .timeLimit(.minutes(10)))
struct LoadingTests {
    private static let fresh: JSONValue = ["id": "pay_1", "state": "INITIATED", "status": "pending", "seq": 1]
    private static let notReady = RPCError(.serverError, "The payment has not loaded yet.", data: ["code": "not_ready"])

    /// A daemon that says `not_ready` until `isLoaded`.
    private func withLoading(
        _ isLoaded: @escaping @Sendable () -> Bool, _ body: (FakeDaemon) async throws -> Void
    ) async throws {
        try await withDaemon { daemon, _ in
            for (method, answer) in [("payment.pay", ["payment": paying]), ("payment.methods", offers)]
                as [(String, JSONValue)]
            {
                daemon.on(method) { _, _ in isLoaded() ? .success(RPCResult(answer)) : .failure(Self.notReady) }
            }
            try await body(daemon)
        }
    }

    @Test(
        "pay and methods wait for the event that tells how the load ended, and ask again",
        arguments: [["pay", "pay_1", "--wallet", "ci.djamo"], ["methods", "pay_1"]],
        ["ready", "load_error", "complete"])
    func waits(words: [String], kind: String) async throws {
        let isLoaded = Mutex(false)
        try await withLoading({ isLoaded.withLock { $0 } }) { daemon in
            daemon.on("payment.status", ["payment": Self.fresh])
            daemon.on("events.subscribe") { _, connection in
                .success(
                    RPCResult(["last_seq": 1]) {
                        isLoaded.withLock { $0 = true }
                        _ = connection.trySend(notification: Notice.event(2, "progress").line)
                        _ = connection.trySend(notification: Notice.event(3, kind).line)
                    })
            }
            let run = await wajubctl(words: words + ["--socket", daemon.path])
            #expect(run.status == .success)
            #expect(daemon.params(of: "events.subscribe") == [["payment": "pay_1", "after": 1]])
            #expect(daemon.requests.count { ["payment.pay", "payment.methods"].contains($0.method) } == 3)
        }
    }

    @Test("What loaded between the refusal and the question is not waited for")
    func loadedMeanwhile() async throws {
        let asked = Mutex(0)
        try await withLoading({ asked.withLock { $0 > 0 } }) { daemon in
            daemon.on("payment.status") { _, _ in
                asked.withLock { $0 += 1 }
                return .success(RPCResult(["payment": Self.fresh]))
            }
            let run = await wajubctl("pay", "pay_1", "--wallet", "ci.djamo", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(daemon.params(of: "events.subscribe").isEmpty)
        }
    }

    @Test("When the patience is over, the daemon's own refusal is told")
    func impatient() async throws {
        try await withLoading({ false }) { daemon in
            daemon.on("payment.status", ["payment": Self.fresh])
            daemon.onSubscribe(lastSeq: 1, [[]])
            let run = await wajubctl(
                words: ["pay", "pay_1", "--wallet", "ci.djamo", "--socket", daemon.path], patience: {})
            #expect(run.status == .refused)
            #expect(run.complaints.first?.contains("not loaded") == true)
        }
    }
}
