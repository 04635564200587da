internal import FoundationEssentials
internal import Arguments
internal import JSONRPC

/// Waits for a payment's result, with its events and, on a terminal, one live line.
struct Waiting: Sendable {
    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    /// Shows what happens until the result settles or `--timeout` is over; the status tells which.
    func result(of selector: JSONValue) async throws -> ExitStatus {
        let (client, session) = (session.client, session)
        let payment = try await client.call("payment.status", ["payment": selector])["payment"] ?? .null
        let id = payment["id"] ?? .null
        var params: [String: JSONValue] = ["payment": id]
        params["timeout_seconds"] = try session.options.double("timeout", in: 0...2_592_000).map { .number(decimal($0)) }
        if !session.isJSON, payment["result"] == nil {
            _ = try await client.call("events.subscribe", ["after": payment["seq"] ?? 0, "payment": id])
        }
        let settled = try await withThrowingTaskGroup(of: JSONValue?.self) { [params] group in
            group.addTask { try await client.call("payment.wait", params)["payment"] }
            if !session.isJSON {
                group.addTask { await showEvents() }
                if session.console.isLive { group.addTask { try await showLive(id) } }
            }
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
            }
            return JSONValue.null
        }
        session.console.live("")
        session.show(settled)
        return ExitStatus(result: settled["result"]?["status"]?.string)
    }

    private func showEvents() async -> JSONValue? {
        for await note in session.client.notifications where note.method == "event" {
            session.console.live("")
            session.console.line(Render.event(note.params))
        }
        return nil
    }

    /// Once a second, while a person looks: the countdowns move.
    private func showLive(_ id: JSONValue) async throws -> JSONValue? {
        do {
            while true {
                let payment = try await session.client.call("payment.status", ["payment": id])["payment"] ?? .null
                session.console.live(Render.live(payment))
                try await Task.sleep(for: .seconds(1))
            }
        } catch is CancellationError {
            return nil
        }
    }

    private func decimal(_ seconds: Double) -> Decimal { Decimal(seconds) }
}
