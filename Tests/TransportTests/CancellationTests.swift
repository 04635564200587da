import Testing
import Transport

@Suite("Cancellation and shutdown", .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("A task cancelled before it sends reaches nobody")
    func before() async throws {
        try await withServer { peer in
            try peer.readRequest()
        } _: { transport, server in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await transport.send(.get(server.url))
            }
            #expect(await task.value.failure == TransportFailure(.cancelled, mayHaveReachedServer: false))
            #expect(server.acceptedCount == 0)
        }
    }

    @Test("A task cancelled while it waits for the answer ends its request at once")
    func during() async throws {
        let arrived = Signals<Void>()
        try await withServer { peer in
            try peer.readRequest()
            arrived.send(())
            peer.stall()
            arrived.send(())
        } _: { transport, server in
            let task = Task { await transport.send(.get(server.url)) }
            _ = await arrived.next()
            task.cancel()
            #expect(await task.value.failure == TransportFailure(.cancelled, mayHaveReachedServer: true))
            // The server sees its client go.
            _ = await arrived.next()
        }
    }

    @Test("A cancel at any moment ends the task, and the transport goes on")
    func races() async throws {
        try await withServer { peer in
            while true {
                try peer.readRequest()
                try peer.answer()
            }
        } _: { transport, server in
            for _ in 0..<300 {
                let task = Task { await transport.send(.get(server.url)) }
                let canceller = Task { task.cancel() }
                await canceller.value
                let result = await task.value
                #expect(result.success?.status == 200 || result.failure?.kind == .cancelled)
            }
            #expect(await transport.send(.get(server.url)).success?.status == 200)
        }
    }

    @Test("A cancelled look-up does not hold up other requests")
    func lookup() async throws {
        try await withServer { peer in
            try peer.readRequest()
            try peer.answer()
        } _: { transport, server in
            let tasks = (0..<20).map { index in Task { await transport.send(.get("http://name\(index).invalid/")) } }
            tasks.forEach { $0.cancel() }
            #expect(await transport.send(.get(server.url)).success?.status == 200)
            for task in tasks { #expect(await task.value.failure?.mayHaveReachedServer == false) }
        }
    }

    @Test("A request behind 64 that hang fails in line, certainly unsent, when its connect timeout is over")
    func queued() async throws {
        let arrived = Signals<Void>()
        try await withServer { peer in
            try peer.readRequest()
            arrived.send(())
            peer.stall()
        } _: { transport, server in
            let tasks = (0..<64).map { _ in Task { await transport.send(.get(server.url)) } }
            for _ in 0..<64 { _ = await arrived.next() }
            var request = HTTPRequest.get(server.url)
            request.connectTimeout = .milliseconds(100)
            let failure = await transport.send(request).failure
            #expect(failure == TransportFailure(.timeout(.queue), mayHaveReachedServer: false))
            // One leaves, one comes in.
            tasks[0].cancel()
            let next = Task { await transport.send(.get(server.url)) }
            _ = await arrived.next()
            (tasks + [next]).forEach { $0.cancel() }
            for task in tasks + [next] { #expect(await task.value.failure?.kind == .cancelled) }
        }
    }

    @Test("A shutdown fails what is under way and in line, and refuses what comes after")
    func shutdown() async throws {
        let arrived = Signals<Void>()
        try await withServer { peer in
            try peer.readRequest()
            arrived.send(())
            peer.stall()
        } _: { transport, server in
            let tasks = (0..<70).map { _ in Task { await transport.send(.get(server.url)) } }
            for _ in 0..<64 { _ = await arrived.next() }
            await transport.shutdown()
            for task in tasks { #expect(await task.value.failure?.kind == .cancelled) }
            let late = await transport.send(.get(server.url)).failure
            #expect(late == TransportFailure(.closed, mayHaveReachedServer: false))
            await transport.shutdown()
        }
    }
}
