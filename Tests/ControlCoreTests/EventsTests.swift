import JSON
import JSONRPC
import Testing

@testable import ControlCore

@Suite("events", .timeLimit(.minutes(10)))
struct EventsTests {
    @Test("once ends at the last stored event and shows all from the first")
    func once() async throws {
        try await withDaemon { daemon, _ in
            daemon.onSubscribe(lastSeq: 3, [[.event(1, "accepted"), .event(2, "ready"), .event(3, "state")]])
            let run = await wajubctl("events", "--once", "--json", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(run.json == [eventParams(1, "accepted"), eventParams(2, "ready"), eventParams(3, "state")])
            #expect(daemon.params(of: "events.subscribe") == [["after": 0]])
        }
    }

    @Test("once of one payment ends at that payment's last event")
    func onceOfPayment() async throws {
        try await withDaemon { daemon, _ in
            daemon.onSubscribe(lastSeq: 50, lastStored: 2, [[.event(1, "accepted"), .event(2, "ready")]])
            let run = await wajubctl("events", "--once", "--payment", "order-17", "--json", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(run.json.count == 2)
            #expect(daemon.params(of: "events.subscribe") == [["after": 0, "payment": ["reference": "order-17"]]])
        }
    }

    @Test(
        "once ends at once where nothing is stored behind the position, pruned events counted or not",
        arguments: [0, 4, 9])
    func onceNothing(lastStored: Int) async throws {
        try await withDaemon { daemon, _ in
            daemon.onSubscribe(lastSeq: 9, lastStored: lastStored, [])
            let run = await wajubctl("events", "--once", "--after", "9", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(run.output.isEmpty)
        }
    }

    @Test("a stream that the daemon ended is taken up behind the last event shown, without gap or repeat")
    func lagged() async throws {
        try await withDaemon { daemon, _ in
            daemon.onSubscribe(
                lastSeq: 6,
                [
                    [.event(4, "a"), .event(5, "b"), .lagged(after: 5)],
                    [.event(5, "b"), .lagged(after: 5)],
                    [.event(6, "c")],
                ])
            let run = await wajubctl("events", "--once", "--after", "3", "--json", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(run.json.map { $0["seq"]?.int } == [4, 5, 6])
            #expect(daemon.params(of: "events.subscribe") == [["after": 3], ["after": 5], ["after": 5]])
        }
    }

    @Test("following goes on past what is stored, and tells when the daemon goes")
    func following() async throws {
        try await withDaemon { daemon, server in
            daemon.onSubscribe(lastSeq: 3, [[.event(4, "ready"), .event(5, "cancel", ["reason": "dismissed"])]])
            let run = await wajubctl(
                "events", "--socket", daemon.path,
                onOutput: { text in
                    if text.contains("cancel") { server.stop(grace: .zero) }
                })
            #expect(run.status == .unreachable)
            #expect(run.lines.count == 2)
            #expect(run.lines.last?.hasSuffix("cancel           dismissed") == true)
            #expect(daemon.params(of: "events.subscribe") == [[:]])
        }
    }

    @Test("a refused subscription is told")
    func refused() async throws {
        try await withDaemon { daemon, _ in
            let data: JSONValue = ["code": "unknown_payment"]
            daemon.on("events.subscribe") { _, _ in .failure(RPCError(.serverError, "unknown", data: data)) }
            let run = await wajubctl("events", "--payment", "pay_9", "--socket", daemon.path)
            #expect(run.status == .refused)
            #expect(run.complaints == ["unknown [unknown_payment]"])
        }
    }
}
