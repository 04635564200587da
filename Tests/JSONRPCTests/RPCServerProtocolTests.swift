import JSON
import JSONRPC
import Testing

@Suite("The wire of the server", .timeLimit(.minutes(10)))
struct RPCServerProtocolTests {
    @Test("a request that arrives byte by byte is answered")
    func byteByByte() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            for byte in (request("echo", id: "1", #"{"a":"é"}"#) + "\r\n").utf8 { try await client.send([byte]) }
            #expect(try await client.line() == ["jsonrpc": "2.0", "id": 1, "result": ["a": "é"]])
        }
    }

    @Test("many requests in one write are answered in order where the handler answers at once")
    func joined() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            let lines = (0..<500).map { request("echo", id: "\($0)") }
            try await client.send(lines.joined(separator: "\n\n"))
            for id in 0..<500 { #expect(try await client.line()?["id"]?.int == id) }
        }
    }

    @Test("a line of 65,536 bytes is taken, one more is refused once, and the connection stays usable")
    func oversized() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            let empty = request("echo", id: "1", #"{"a":""}"#)
            let padding = { (bytes: Int) in String(repeating: "x", count: bytes - empty.utf8.count) }
            let full = request("echo", id: "1", #"{"a":"\#(padding(65_536))"}"#)
            #expect(try await client.ask(full)?["result"]?["a"]?.string?.utf8.count == 65_536 - empty.utf8.count)
            #expect(try await client.ask(full + "\r")?["id"] == 1)
            let refusal = try await client.ask(request("echo", id: "1", #"{"a":"\#(padding(65_537))"}"#))
            #expect(isFailure(refusal, -32600))
            #expect(refusal?["error"]?["data"]?["code"] == "message_too_large")
            try await client.send([UInt8](repeating: 0x41, count: 300_000))
            #expect(try await isFailure(client.line(), -32600))
            try await client.send("still the same line")
            try await client.ping()
        }
    }

    @Test(
        "a line that is not JSON is a parse error and harms nothing",
        arguments: [
            Array("{".utf8), Array("hello".utf8), [0], [0x22, 0xFF, 0x22], Array("{\"a\":1e999}".utf8),
            Array((request("echo", id: "1") + "\0").utf8), Array(String(repeating: "[", count: 60_000).utf8),
        ])
    func notJSON(_ bytes: [UInt8]) async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            try await client.send(bytes + [0x0A])
            #expect(try await isFailure(client.line(), -32700))
            try await client.ping()
        }
    }

    @Test(
        "a batch, and what is no request, is an invalid request",
        arguments: [
            ("[]", .null), ("[" + request("echo", id: "1") + "]", .null), ("1", .null), ("null", .null), ("{}", .null),
            (#"{"jsonrpc":"2.0","id":4}"#, 4), (#"{"jsonrpc":"2.0","id":4,"method":1}"#, 4),
            (#"{"id":4,"method":"echo"}"#, 4),
            (#"{"jsonrpc":"1.0","id":"x","method":"echo"}"#, "x"), (#"{"jsonrpc":2.0,"id":4,"method":"echo"}"#, 4),
            (request("echo", id: "4", "5"), 4), (#"{"jsonrpc":"2.0","id":4,"result":1}"#, 4),
            (#"{"method":"echo"}"#, .null),
            (request("echo", id: "true"), .null), (request("echo", id: "1.5"), .null),
            (request("echo", id: "[1]"), .null),
            (request("echo", id: "{}"), .null), (request("echo", id: "1e400"), .null),
        ] as [(String, JSONValue)])
    func invalid(_ line: String, _ id: JSONValue) async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            #expect(try await isFailure(client.ask(line), -32600, id: id))
            try await client.ping()
        }
    }

    @Test(
        "an id comes back as it was",
        arguments: [
            "0", "-7", "9007199254740993", "18446744073709551615", "99999999999999999999999999999999999999", "\"\"",
            "\"a\\nb\"", "null",
        ])
    func ids(_ id: String) async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            try await client.send(request("echo", id: id))
            let line = try await onThread { try client.channel.receive() }
            #expect(String(decoding: line ?? [], as: UTF8.self) == #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#)
        }
    }

    @Test("params are an object, null or absent; an array names itself in the refusal")
    func params() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            #expect(try await client.ask(request("echo", id: "1", "null"))?["result"] == [:])
            #expect(try await client.ask(#"{"method":"echo","id":1,"jsonrpc":"2.0","x":[]}"#)?["result"] == [:])
            let refusal = try await client.ask(request("echo", id: "1", "[1]"))
            #expect(isFailure(refusal, -32602, id: 1))
            #expect(refusal?["error"]?["data"]?["param"] == "params")
        }
    }

    @Test("a request without an id is carried out and never answered, not even with an error")
    func notification() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            try await client.send(#"{"jsonrpc":"2.0","method":"note","params":{"a":1}}"#)
            try await client.send(#"{"jsonrpc":"2.0","method":"unknown"}"#)
            try await client.send(#"{"jsonrpc":"2.0","method":"note","params":[]}"#)
            try await client.ping()
            #expect(await fixture.handler.next() == .noted(["a": 1]))
        }
    }

    @Test("a handler's error is the answer")
    func handlerError() async throws {
        try await withServer { fixture in
            let answer = try await fixture.client().ask(request("nothing", id: "1"))
            #expect(isFailure(answer, -32601, id: 1))
        }
    }

    @Test("answers that take time come when they are ready, matched by id")
    func outOfOrder() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            try await client.send(request("wait", id: "1", #"{"name":"a"}"#))
            #expect(await fixture.handler.next() == .started("a"))
            try await client.ping()
            fixture.handler.open()
            #expect(try await client.line()?["id"] == 1)
        }
    }

    @Test("what a handler sends after its answer comes after it")
    func afterAnswer() async throws {
        try await withServer { fixture in
            let client = try fixture.client()
            #expect(try await client.ask(request("subscribe", id: "1"))?["id"] == 1)
            #expect(try await client.line() == ["jsonrpc": "2.0", "method": "event", "params": [:]])
        }
    }
}
