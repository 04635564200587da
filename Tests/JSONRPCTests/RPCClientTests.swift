import JSON
import JSONRPC
import Testing

@Suite("The client", .timeLimit(.minutes(10)))
struct RPCClientTests {
    @Test("many calls in flight each get their own answer")
    func calls() async throws {
        try await withServer { fixture in
            let client = try RPCClient(path: fixture.path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let params: [String: JSONValue] = ["n": JSONValue(integerLiteral: number)]
                        let answer = try await client.call("echo", params)
                        #expect(answer == .object(params))
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("the daemon's error is thrown with its code and data")
    func refused() async throws {
        try await withServer { fixture in
            let client = try RPCClient(path: fixture.path)
            await #expect(throws: RPCClientError.refused(.methodNotFound)) { try await client.call("nothing") }
        }
    }

    @Test("notifications come as a stream that ends with the connection")
    func notifications() async throws {
        try await withServer { fixture in
            let client = try RPCClient(path: fixture.path)
            _ = try await client.call("subscribe")
            let first = await client.notifications.first { _ in true }
            #expect(first?.method == "event")
            #expect(first?.params == [:])
            client.close()
            #expect(await client.notifications.first { _ in true } == nil)
        }
    }

    @Test("calls in flight and later ones fail once the connection is lost")
    func lost() async throws {
        try await withServer { fixture in
            let client = try RPCClient(path: fixture.path)
            let call = Task { try await client.call("wait", ["name": "a"]) }
            #expect(await fixture.handler.next() == .started("a"))
            fixture.server.stop(grace: .zero)
            await #expect(throws: RPCClientError.connectionLost) { try await call.value }
            await #expect(throws: RPCClientError.connectionLost) { try await client.call("echo") }
        }
    }

    @Test("a cancelled call throws at once, and the connection stays usable")
    func cancelled() async throws {
        try await withServer { fixture in
            let client = try RPCClient(path: fixture.path)
            let call = Task { try await client.call("wait", ["name": "a"]) }
            #expect(await fixture.handler.next() == .started("a"))
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(try await client.call("echo") == [:])
        }
    }

    @Test("a client that is one too many learns why")
    func tooMany() async throws {
        var limits = RPCServerLimits()
        limits.connections = 0
        try await withServer(limits) { fixture in
            let client = try RPCClient(path: fixture.path)
            await #expect {
                try await client.call("echo")
            } throws: { error in
                guard case .refused(let error) = error as? RPCClientError else { return false }
                return error.data?["code"] == "too_many_clients"
            }
        }
    }

    @Test("a daemon that is not there is an error that names the path")
    func unreachable() async throws {
        try await withDirectory { directory in
            #expect {
                try RPCClient(path: directory + "/s")
            } throws: {
                "\($0)" == "no daemon can be reached at \(directory)/s: connect: No such file or directory"
            }
        }
    }
}
