import Synchronization
import Testing
import Transport
import WebSocketCodec

@Suite("HTTP", .timeLimit(.minutes(10)))
struct HTTPTests {
    @Test("A GET brings status, headers in any case, and body; it carries the given headers")
    func get() async throws {
        let heads = Signals<[String?]>()
        try await withServer { peer in
            let head = try peer.readRequest().head
            heads.send([head.startLine, head.value("Authorization"), head.value("X-Empty"), head.value("User-Agent")])
            try peer.answer(headers: "X-Request-Id: r1\r\nx-request-id: r2\r\n", "été")
            peer.stall()
        } _: { transport, server in
            var request = HTTPRequest.get(server.url + "/pay?x=1")
            request.headers = [("Authorization", "Bearer t"), ("X-Empty", "")]
            let response = try await transport.send(request).get()
            #expect(response.status == 200)
            #expect(response.header("X-REQUEST-ID") == "r1")
            #expect(response.body == Array("été".utf8))
            #expect(await heads.next() == ["GET /pay?x=1 HTTP/1.1", "Bearer t", "", "test/1"])
        }
    }

    @Test("A POST sends its body with its length and expects no 100", arguments: [0, 5, 100_000])
    func post(size: Int) async throws {
        let requests = Signals<(String?, [UInt8])>()
        try await withServer { peer in
            let (head, body) = try peer.readRequest()
            requests.send((head.value("Expect"), body))
            try peer.answer("202 Accepted")
        } _: { transport, server in
            let body = Array(repeating: UInt8(7), count: size)
            let request = HTTPRequest(method: .post, url: server.url, body: body, timeout: patience)
            #expect(await transport.send(request).success?.status == 202)
            let received = await requests.next()
            #expect(received?.0 == nil && received?.1 == body)
        }
    }

    @Test("A connection is used again, and a fresh one made where it is asked for")
    func keepAlive() async throws {
        try await withServer { peer in
            while true {
                try peer.readRequest()
                try peer.answer()
            }
        } _: { transport, server in
            for _ in 0..<3 { #expect(await transport.send(.get(server.url)).success?.status == 200) }
            #expect(server.acceptedCount == 1)
            var request = HTTPRequest.get(server.url)
            request.freshConnection = true
            #expect(await transport.send(request).success?.status == 200)
            #expect(server.acceptedCount == 2)
        }
    }

    @Test("A chunked body after an interim answer is joined, with the final answer's headers alone")
    func chunked() async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.write("HTTP/1.1 103 Early Hints\r\nA: early\r\n\r\n")
            try peer.write(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nB: late\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
            peer.stall()
        } _: { transport, server in
            let response = try await transport.send(.get(server.url)).get()
            #expect(response.body == Array("abc".utf8))
            #expect(response.header("A") == nil && response.header("B") == "late")
        }
    }

    @Test("A redirect is an answer like any other")
    func redirect() async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.answer("302 Found", headers: "Location: /elsewhere\r\n")
            peer.stall()
        } _: { transport, server in
            #expect(await transport.send(.get(server.url)).success?.status == 302)
            #expect(server.acceptedCount == 1)
        }
    }

    @Test("Two hundred requests in parallel are all answered, each with its own answer, over at most 64 connections")
    func parallel() async throws {
        try await withServer { peer in
            while true { try peer.answer("200 OK", peer.readRequest().head.request?.target ?? "") }
        } _: { transport, server in
            let bodies = await withTaskGroup(of: (Int, String?).self) { group in
                for index in 0..<200 {
                    group.addTask {
                        let response = await transport.send(.get("\(server.url)/\(index)")).success
                        return (index, response.map { String(decoding: $0.body, as: UTF8.self) })
                    }
                }
                return await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            #expect(bodies == Dictionary(uniqueKeysWithValues: (0..<200).map { ($0, "/\($0)") }))
            #expect(server.acceptedCount <= 64)
        }
    }

    @Test("Neither request nor response shows its headers, body or URL when described")
    func descriptions() {
        let request = HTTPRequest(
            method: .post, url: "https://h/?secret", headers: [("Authorization", "secret")], body: Array("secret".utf8),
            timeout: .seconds(1))
        let response = HTTPResponse(status: 200, headers: [("A", "secret")], body: Array("secret".utf8))
        let socket = WebSocketRequest(url: "wss://secret", headers: [("A", "secret")])
        for value in [request, response, socket] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains("secret")) }
        }
        #expect("\(request)" == "POST, 6 bytes")
        #expect("\(response)" == "200, 6 bytes")
    }
}
