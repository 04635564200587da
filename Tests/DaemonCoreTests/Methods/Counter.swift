import Contract
import FoundationEssentials
import JSON
import JSONRPC
import Platform
import PlatformTestSupport
import Store
import WajubWatch
import WajubWatchTestSupport

@testable import DaemonCore

/// A till's counter: the daemon's methods on a real socket, over a real store and a Wajub that the test commands.
struct Counter: Sendable {
    let till: Till
    let client: RPCClient
    let socket: String

    /// Runs a body against it, and cleans up after it.
    static func with(
        defaults: WatchDefaults = WatchDefaults(), _ body: (Counter) async throws -> Void
    ) async throws {
        try await Till.with { till in
            let hub = EventHub(store: till.store, log: .none)
            till.store.setEventSink { hub.publish($0) }
            let methods = Methods(
                registry: till.registry, store: till.store, hub: hub, time: till.time, log: .none,
                defaults: { defaults },
                info: {
                    DaemonInfo(
                        version: "1.2.3", apiOrigin: "https://api.wajub.com", startedAt: till.time.now,
                        realtime: (1, 2), isClockSuspect: false)
                })
            let socket = till.directory + "/s"
            let server = try RPCServer(listener: try UnixListener.bind(path: socket, group: nil), handler: methods)
            let hubRuns = Task { await hub.run() }
            let serverRuns = Task { try await server.run() }
            let counter = Counter(till: till, client: try RPCClient(path: socket), socket: socket)
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(counter))
            } catch {
                outcome = .failure(error)
            }
            counter.client.close()
            server.stop(grace: .zero)
            hubRuns.cancel()
            await hubRuns.value
            try await serverRuns.value
            try outcome.get()
        }
    }

    /// Hands a token off and waits until its session has answered.
    func loaded(_ token: String = "token-1", _ more: [String: JSONValue] = [:]) async throws -> JSONValue {
        let params = more.merging(["token": .string(token)]) { first, _ in first }
        let payment = try await payment("payment.watch", params)
        return try await self.payment("payment.status", ["payment": payment["id"] ?? .null, "refresh": true])
    }

    /// Calls a method that answers with a payment.
    func payment(_ method: String, _ params: [String: JSONValue]) async throws -> JSONValue {
        try await client.call(method, params)["payment"] ?? .null
    }

    /// The error that a call is answered with; nil if it is not.
    func refusal(_ method: String, _ params: [String: JSONValue]) async throws -> RPCError? {
        do {
            _ = try await client.call(method, params)
            return nil
        } catch RPCClientError.refused(let error) {
            return error
        }
    }
}
