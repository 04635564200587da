import JSON
import JSONRPC
import Synchronization
import Testing

@testable import ControlCore

@Suite("Waiting", .timeLimit(.minutes(10)))
struct WaitingTests {
    @Test(
        "the exit code is the result's",
        arguments: [
            ("complete", ExitCode.success), ("processing", .processing), ("failed", .failed),
            ("cancelled", .cancelled),
        ])
    func results(word: String, status: ExitCode) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.wait", ["payment": settled(word)])
            let run = await wajubctl("wait", "pay_1", "--json", "--socket", daemon.path)
            #expect(run.status == status)
            #expect(run.json == [settled(word)])
        }
    }

    @Test("a timeout without a result has a code of its own")
    func timeout() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": payment()])
            daemon.on("payment.wait", ["payment": payment()])
            daemon.onSubscribe(lastSeq: 7, [])
            let run = await wajubctl("wait", "order-17", "--timeout", "2.5", "--socket", daemon.path)
            #expect(run.status == .unsettled)
            let seconds = daemon.params(of: "payment.wait").map { $0["timeout_seconds"]?.double }
            #expect(seconds == [2.5])
        }
    }

    @Test("every event up to the result is shown before it, however late it comes")
    func events() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": payment()])
            daemon.on("payment.wait", ["payment": settled("complete", seq: 9)])
            let script: [Notice] = [
                .event(8, "success", ["amount": "15000", "currency": "XAF"]),
                .event(9, "complete", ["status": "complete"]),
            ]
            daemon.onSubscribe(lastSeq: 7, [[.lagged(after: 7)], script])
            let run = await wajubctl("wait", "pay_1", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(run.lines[0].hasSuffix("success          15000 XAF"))
            #expect(run.lines[1].hasSuffix("complete         complete"))
            #expect(run.lines[2] == "payment    pay_1")
            #expect(
                daemon.params(of: "events.subscribe") == Array(repeating: ["after": 7, "payment": "pay_1"], count: 2))
        }
    }

    @Test("on a terminal one line is rewritten in place and gone at the end")
    func live() async throws {
        try await withDaemon { daemon, _ in
            let (looks, look) = AsyncStream.makeStream(of: Void.self)
            daemon.on("payment.status", ["payment": payment()])
            daemon.on("payment.wait") { _, _ in
                for await _ in looks {}
                return .success(RPCResult(["payment": settled("complete", seq: 7)]))
            }
            daemon.onSubscribe(lastSeq: 7, [])
            let drawn = Mutex(0)
            let third: @Sendable (String) -> Void = { text in
                guard text.contains("…") else { return }
                let count = drawn.withLock { count in
                    count += 1
                    return count
                }
                if count == 3 { look.finish() }
            }
            let run = await wajubctl(
                "wait", "pay_1", "--socket", daemon.path, environment: ["NO_COLOR": "1"], isTerminal: true,
                ticks: { () }, onOutput: third)
            let line = "\r\u{1B}[K\u{1B}[?7l… PENDING · 15000 XAF · realtime connected\u{1B}[?7h"
            #expect(run.status == .success)
            #expect(run.output.hasPrefix(line + line + line))
            #expect(run.output.contains("\u{1B}[?7h\r\u{1B}[Kpayment    pay_1\n"))
        }
    }

    @Test("watch --wait tells a script the payment first and the result last")
    func watch() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.watch", ["payment": payment()])
            daemon.on("payment.wait", ["payment": settled("failed")])
            let run = await wajubctl("watch", "-", "--wait", "--json", "--socket", daemon.path, secret: "tok_abc")
            #expect(run.status == .failed)
            #expect(run.json == [payment(), settled("failed")])
        }
    }

    @Test("a result that is there already is shown at once")
    func already() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": settled("cancelled")])
            let run = await wajubctl("wait", "pay_1", "--socket", daemon.path)
            #expect(run.status == .cancelled)
            #expect(daemon.requests.map(\.method) == ["payment.status"])
        }
    }

    @Test("a daemon that goes meanwhile is told, and that the payment goes on there")
    func lost() async throws {
        try await withDaemon { daemon, server in
            daemon.on("payment.status", ["payment": payment()])
            daemon.on("payment.wait") { _, _ in
                server.stop(grace: .zero)
                // Until the server gives up on it: the connection is closed by then.
                let (never, keeping) = AsyncStream.makeStream(of: Void.self)
                for await _ in never {}
                keeping.finish()
                return .failure(.methodNotFound)
            }
            daemon.onSubscribe(lastSeq: 7, [])
            let run = await wajubctl("wait", "pay_1", "--socket", daemon.path)
            #expect(run.status == .unreachable)
            #expect(run.complaints.first?.contains("payments go on there") == true)
        }
    }
}
