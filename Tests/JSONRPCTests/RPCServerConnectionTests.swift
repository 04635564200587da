import Glibc
import JSON
import JSONRPC
import Testing

@Suite("Connections of the server", .timeLimit(.minutes(10)))
struct RPCServerConnectionTests {
    @Test("a slow reader's notifications are refused past a mebibyte, its last line arrives, and others are served")
    func slowReader() async throws {
        try await withServer { fixture in
            let slow = try fixture.client()
            let other = try fixture.client()
            try await slow.send(request("flood", id: "1"))
            for _ in 0..<20 { try await other.ping() }
            let queued = fixture.handler.flooded
            #expect(queued > 1_000_000 && queued <= 1_048_576)
            var received = 0
            while let line = try await slow.line(), line["method"] == "event" { received += line.encoded.count + 1 }
            #expect(received == queued)
            #expect(try await slow.line()?["id"] == 1)
            try await slow.ping()
        }
    }

    @Test("a client that asks without reading is not read from past a mebibyte of answers, and loses none")
    func answersUnread() async throws {
        try await withServer { fixture in
            let greedy = try fixture.client()
            let other = try fixture.client()
            let lines = (0..<100).map { request("big", id: "\($0)", #"{"count":65536}"#) }
            try await greedy.send(lines.joined(separator: "\n"))
            for _ in 0..<20 { try await other.ping() }
            // A mebibyte of them is queued, and the kernel's own buffer holds some.
            #expect(fixture.handler.calls < 20 + 60)
            for id in 0..<100 { #expect(try await greedy.line()?["id"]?.int == id) }
        }
    }

    @Test("past the limit of requests in flight a connection is not read from, and none is lost")
    func inFlight() async throws {
        var limits = RPCServerLimits()
        limits.requestsInFlight = 2
        try await withServer(limits) { fixture in
            let client = try fixture.client()
            let other = try fixture.client()
            let lines = (1...5).map { request("wait", id: "\($0)", #"{"name":"\#($0)"}"#) }
            try await client.send(lines.joined(separator: "\n"))
            let started = [await fixture.handler.next(), await fixture.handler.next()]
            #expect(Set(started) == [.started("1"), .started("2")])
            for _ in 0..<20 { try await other.ping() }
            #expect(fixture.handler.calls == 2 + 20)
            fixture.handler.open()
            var ids: Set<Int?> = []
            for _ in 1...5 { ids.insert(try await client.line()?["id"]?.int) }
            #expect(ids == [1, 2, 3, 4, 5])
        }
    }

    @Test("a client that shuts its side still gets every answer, then the end")
    func halfClose() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            // The last line lacks its newline, as `printf` leaves it.
            let lines = [request("wait", id: "1"), request("echo", id: "2"), request("echo", id: "3")]
            try await client.send(Array(lines.joined(separator: "\n").utf8))
            client.channel.finishSending()
            #expect(try await client.line()?["id"] == 2)
            #expect(try await client.line()?["id"] == 3)
            fixture.handler.open()
            #expect(try await client.line()?["id"] == 1)
            #expect(try await client.line() == nil)
        }
    }

    @Test("what a client asked for is completed after it left, and the answer is discarded")
    func disconnect() async throws {
        var limits = RPCServerLimits()
        limits.requestsInFlight = 1
        try await withServer(limits) { fixture in
            let client = try fixture.client()
            let other = try fixture.client()
            let handler = fixture.handler
            let lines = [request("wait", id: "1", #"{"name":"a"}"#), request("note", id: "2"), "{\"cut"]
            try await client.send(Array(lines.joined(separator: "\n").utf8))
            #expect(await handler.next() == .started("a"))
            client.channel.close()
            try await other.ping()
            handler.open()
            // The second request waited for the first, beyond the life of the connection.
            let rest = [await handler.next(), await handler.next(), await handler.next()]
            #expect(rest[0] == .finished("a"))
            #expect(Set(rest) == [.finished("a"), .noted([:]), .closed(1)])
            try await other.ping()
        }
    }

    @Test("a client that leaves mid-line, sends garbage or nothing harms nobody")
    func garbage() async throws {
        try await withServer { fixture in
            let silent = try fixture.client()
            for bytes in [[], [0x7B], [0xFF, 0x00, 0x0A], [UInt8](repeating: 0x0A, count: 100_000)] as [[UInt8]] {
                let client = try fixture.client()
                try await client.send(bytes)
                client.channel.close()
                guard case .closed = await fixture.handler.next() else {
                    Issue.record("something else than a close happened")
                    return
                }
            }
            try await silent.ping()
        }
    }

    @Test("the client past the limit gets one error and the end; a place that is free again is given away")
    func tooMany() async throws {
        var limits = RPCServerLimits()
        limits.connections = 1
        try await withServer(limits) { fixture in
            let first = try fixture.client()
            try await first.ping()
            let second = try fixture.client()
            let refusal = try await second.line()
            #expect(isFailure(refusal, -32000))
            #expect(refusal?["error"]?["data"]?["code"] == "too_many_clients")
            #expect(try await second.line() == nil)
            try await first.ping()
            first.channel.close()
            #expect(await fixture.handler.next() == .closed(1))
            try await fixture.client().ping()
        }
    }

    @Test("clients that ask and leave again and again are refused once too many of their requests are in flight")
    func askAndLeave() async throws {
        var limits = RPCServerLimits()
        limits.connections = 1
        limits.requestsInFlight = 2
        try await withServer(limits) { fixture in
            let handler = fixture.handler
            for id in 1...2 {
                let client = try fixture.client()
                try await client.send(request("wait", id: "1", #"{"name":"\#(id)"}"#))
                #expect(await handler.next() == .started("\(id)"))
                client.channel.close()
                #expect(await handler.next() == .closed(UInt64(id)))
            }
            #expect(try await isFailure(fixture.client().line(), -32000))
        }
    }

    @Test("the process on the other end is known")
    func peer() async throws {
        try await withServer { fixture in
            let answer = try await fixture.client().ask(request("peer", id: "1"))
            #expect(answer?["result"]?["pid"]?.int == Int(getpid()))
        }
    }
}
