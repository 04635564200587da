import JSON
import JSONRPC
import Testing

@Suite("Stopping the server", .timeLimit(.minutes(10)))
struct RPCServerStopTests {
    @Test("what is in flight is answered, what arrives is refused, then everything is closed")
    func orderly() async throws {
        try await withServer { fixture in
            let busy = try fixture.client()
            let idle = try fixture.client()
            try await idle.ping()
            try await busy.send(request("wait", id: "1", #"{"name":"a"}"#))
            #expect(await fixture.handler.next() == .started("a"))
            fixture.server.stop(grace: .seconds(3_600))
            #expect(try await idle.line() == nil)
            let refusal = try await busy.ask(request("echo", id: "2"))
            #expect(isFailure(refusal, -32000, id: 2))
            #expect(refusal?["error"]?["data"]?["code"] == "shutting_down")
            #expect(throws: RPCClientError.self) { try fixture.client() }
            fixture.handler.open()
            #expect(try await busy.line()?["result"] == ["name": "a", "cancelled": false])
            #expect(try await busy.line() == nil)
        }
    }

    @Test("answers that wait for a reader are flushed")
    func flushes() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            try await client.send(request("big", id: "1", #"{"count":900000}"#))
            try await fixture.client().ping()
            fixture.server.stop(grace: .seconds(3_600))
            #expect(try await client.line()?["result"]?.string?.utf8.count == 900_000)
            #expect(try await client.line() == nil)
        }
    }

    @Test("when the grace is over, readers that never read and handlers that never end hold nothing up")
    func graceOver() async throws {
        try await withDirectory { directory in
            let handler = TestHandler()
            let server = try RPCServer(listener: .bind(path: directory + "/s", group: nil), handler: handler)
            async let running: Void = server.run()
            let client = Wire(channel: try LineChannel(path: directory + "/s"))
            try await client.send(request("big", id: "1", #"{"count":900000}"#))
            try await client.send(request("wait", id: "2", #"{"name":"a"}"#))
            #expect(await handler.next() == .started("a"))
            server.stop(grace: .seconds(3_600))
            server.stop(grace: .zero)
            // The gate stays shut: the handler ends because its task is cancelled.
            try await running
        }
    }

    @Test("a hand-off of a client that left is waited for")
    func abandonedWork() async throws {
        try await withDirectory { directory in
            let handler = TestHandler()
            let server = try RPCServer(listener: .bind(path: directory + "/s", group: nil), handler: handler)
            async let running: Void = server.run()
            let client = Wire(channel: try LineChannel(path: directory + "/s"))
            try await client.send(request("wait", id: "1", #"{"name":"a"}"#))
            #expect(await handler.next() == .started("a"))
            client.channel.close()
            #expect(await handler.next() == .closed(1))
            server.stop(grace: .seconds(3_600))
            handler.open()
            try await running
            #expect(await handler.next() == .finished("a"))
        }
    }

    @Test("cancelling the task of the server stops it")
    func cancelled() async throws {
        try await withDirectory { directory in
            let handler = TestHandler()
            let server = try RPCServer(listener: .bind(path: directory + "/s", group: nil), handler: handler)
            let running = Task { try await server.run() }
            let client = Wire(channel: try LineChannel(path: directory + "/s"))
            try await client.ping()
            running.cancel()
            try await running.value
            #expect(try await client.line() == nil)
        }
    }
}
