import Contract
import JSON
import JSONRPC
import PlatformTestSupport
import Store
import Testing
import WajubWatchTestSupport

@testable import DaemonCore

@Suite("Event stream", .timeLimit(.minutes(10)))
struct EventStreamTests {
    /// The next events of a client, as (seq, kind).
    private func next(_ count: Int, of client: RPCClient) async -> [(seq: Int, kind: String)] {
        var events: [(Int, String)] = []
        for await note in client.notifications where note.method == "event" {
            events.append((note.params["seq"]?.int ?? -1, note.params["event"]?.string ?? ""))
            if events.count == count { break }
        }
        return events
    }

    @Test("Stored events come first, in order, then the live ones, without a gap or a repeat")
    func storedThenLive() async throws {
        try await Counter.with { counter in
            _ = try await counter.loaded("token-1")
            let stored = Int(counter.till.store.lastSeq)
            let answer = try await counter.client.call("events.subscribe", ["after": 0])
            #expect(answer["last_seq"]?.int == stored)
            #expect(answer["last_stored_seq"]?.int == stored)
            async let events = next(stored + 1, of: counter.client)
            _ = try await counter.payment("payment.watch", ["token": "token-2"])
            let seqs = await events.map(\.seq)
            #expect(seqs == Array(1...(stored + 1)))
        }
    }

    @Test("Many payments settle while a subscriber catches up: every seq exactly once")
    func underLoad() async throws {
        try await Counter.with { counter in
            counter.till.wajub.set(.succeeded)
            for number in 0..<150 { _ = try await counter.payment("payment.watch", ["token": .string("a\(number)")]) }
            _ = try await counter.client.call("events.subscribe", ["after": 0])
            // accepted, state, success, complete for each.
            async let events = next(1200, of: counter.client)
            let till = counter.till
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<150 { group.addTask { _ = await till.handOff("b\(number)") } }
            }
            let seqs = await events.map(\.seq)
            #expect(seqs == Array(1...1200))
        }
    }

    @Test("A subscription to one payment is told of no other")
    func onePayment() async throws {
        try await Counter.with { counter in
            counter.till.wajub.set(.succeeded)
            let first = try await counter.payment("payment.watch", ["token": "token-1"])
            _ = try await counter.payment("payment.wait", ["payment": first["id"] ?? .null])
            let handed = try await counter.payment("payment.watch", ["token": "token-2"])
            // To its end: what it tells until then would make the last seq a matter of luck.
            let second = try await counter.payment("payment.wait", ["payment": handed["id"] ?? .null])
            let answer = try await counter.client.call(
                "events.subscribe", ["after": 0, "payment": second["id"] ?? .null])
            #expect(answer["last_stored_seq"] == second["seq"])
            let kinds = await next(4, of: counter.client).map(\.kind)
            #expect(kinds == ["accepted", "state", "success", "complete"])
        }
    }

    @Test("Without after only new events come, and the answer precedes the first")
    func onlyNew() async throws {
        try await Counter.with { counter in
            _ = try await counter.loaded("token-1")
            let channel = try LineChannel(path: counter.socket)
            try channel.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"events.subscribe"}"#.utf8) + [10])
            let answer = try #require(try channel.receive())
            #expect(String(decoding: answer, as: UTF8.self).contains("last_seq"))
            let before = counter.till.store.lastSeq
            _ = try await counter.payment("payment.watch", ["token": "token-2"])
            let event = try #require(try channel.receive())
            #expect(String(decoding: event, as: UTF8.self).contains("\"seq\":\(before + 1)"))
        }
    }

    @Test("After unsubscribe nothing more comes, and subscribing again resumes where it stopped")
    func unsubscribe() async throws {
        try await Counter.with { counter in
            _ = try await counter.client.call("events.subscribe")
            _ = try await counter.client.call("events.unsubscribe")
            _ = try await counter.loaded("token-1")
            let stored = Int(counter.till.store.lastSeq)
            _ = try await counter.client.call("events.subscribe", ["after": 1])
            let seqs = await next(stored - 1, of: counter.client).map(\.seq)
            #expect(seqs == Array(2...stored))
        }
    }

    @Test(
        "A client that reads too slowly loses its stream with a last word, others lose nothing, and it resumes from there"
    )
    func lagging() async throws {
        try await Counter.with { counter in
            let slow = try LineChannel(path: counter.socket)
            try slow.send(Array(#"{"jsonrpc":"2.0","id":1,"method":"events.subscribe"}"#.utf8) + [10])
            _ = try slow.receive()
            counter.till.wajub.set(.succeeded)
            // Far more than the queue's 1 MiB and the socket's own buffers: a reference of 255 characters is in no event, so many do.
            let count = 2500
            _ = try await counter.client.call("events.subscribe", ["after": 0])
            async let prompt = next(count * 4, of: counter.client)
            for batch in 0..<25 {
                let till = counter.till
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<100 { group.addTask { _ = await till.handOff("t\(batch)-\(number)") } }
                }
            }
            let seqs = await prompt.map(\.seq)
            #expect(seqs == Array(1...(count * 4)))

            var last = 0
            var lagged: Int?
            while lagged == nil, let line = try slow.receive() {
                let message = try JSONValue(parsing: line)
                if message["method"] == "events.lagged" {
                    lagged = message["params"]?["after"]?.int
                } else {
                    let seq = try #require(message["params"]?["seq"]?.int)
                    #expect(seq == last + 1)
                    last = seq
                }
            }
            #expect(lagged == last)
            try slow.send(
                Array(#"{"jsonrpc":"2.0","id":2,"method":"events.subscribe","params":{"after":\#(last)}}"#.utf8) + [10])
            _ = try slow.receive()
            while last < count * 4, let line = try slow.receive() {
                let seq = try #require(try JSONValue(parsing: line)["params"]?["seq"]?.int)
                #expect(seq == last + 1)
                last = seq
            }
            #expect(last == count * 4)
        }
    }
}
