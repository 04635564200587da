internal import JSON
internal import JSONRPC

extension Session {
    /// Calls a method that wants the payment loaded. Just after its hand-off it may not be: then the call is made again once the daemon
    /// tells how the load ended, or once the patience is over.
    func callOnceLoaded(_ method: String, _ params: [String: JSONValue]) async throws -> JSONValue {
        if let answer = try await callIfLoaded(method, params) { return answer }
        // A connection of its own: its events are nobody else's.
        let client = try RPCClient(path: socket)
        defer { client.close() }
        let payment = params["payment"] ?? .null
        let start = try Self.member("payment", of: try await client.call("payment.status", ["payment": payment]))
        // What it told up to here this call sees, and what it tells later the subscription brings.
        if let answer = try await callIfLoaded(method, params) { return answer }
        _ = try await client.call("events.subscribe", ["payment": payment, "after": start["seq"] ?? 0])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [patience] in await patience() }
            group.addTask {
                for await note in client.notifications {
                    if ["ready", "load_error", "complete"].contains(note.params["event"]?.string) { return }
                }
            }
            await group.next()
            group.cancelAll()
        }
        return try await call(method, params)
    }

    private func callIfLoaded(_ method: String, _ params: [String: JSONValue]) async throws -> JSONValue? {
        do {
            return try await call(method, params)
        } catch RPCClientError.refused(let refusal) where refusal.data?["code"] == "not_ready" {
            return nil
        }
    }
}
