internal import Arguments
internal import FoundationEssentials
internal import JSONRPC

/// Waits for a payment's result, with its events and, on a terminal, one live line.
struct Waiting: Sendable {
    /// What can happen meanwhile; one consumer takes them in turn, so that lines never mix.
    private enum Happening {
        case told(RPCClient.Notification)
        case nothingMoreTold
        /// As it stands, for the live line.
        case seen(JSONValue)
        case answered(Result<JSONValue, any Error>)
    }

    private let session: Session

    init(_ session: Session) {
        self.session = session
    }

    /// Shows what happens until the result settles or `--timeout` is over; the status tells which.
    func result(of selector: JSONValue) async throws -> ExitCode {
        var params: [String: JSONValue] = [:]
        params["timeout_seconds"] = try session.options.double("timeout", in: 0...2_592_000).map {
            .number(Decimal($0))
        }
        let payment: JSONValue
        if session.isJSON {
            params["payment"] = selector
            payment = try await session.payment("payment.wait", params)
        } else {
            let start = try await session.payment("payment.status", ["payment": selector])
            params["payment"] = try Session.member("id", of: start)
            payment = start["result"] == nil ? try await follow(params, from: start["seq"]?.int ?? 0) : start
        }
        session.show(payment)
        return ExitCode(result: payment["result"]?["status"]?.string)
    }

    private func follow(_ params: [String: JSONValue], from start: Int) async throws -> JSONValue {
        let client = try session.client()
        let id = params["payment"] ?? .null
        try await subscribe(id, after: start)
        // Bounded by the events of one payment, and looks that each wait for their answer.
        let (happenings, told) = AsyncStream.makeStream(of: Happening.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                do {
                    told.yield(.answered(.success(try await session.payment("payment.wait", params))))
                } catch {
                    told.yield(.answered(.failure(error)))
                }
            }
            group.addTask {
                for await note in client.notifications { told.yield(.told(note)) }
                told.yield(.nothingMoreTold)
            }
            if session.style.isLive {
                group.addTask {
                    repeat {
                        // What keeps the daemon from answering ends the wait as well, and is told there.
                        guard let payment = try? await session.payment("payment.status", ["payment": id]) else {
                            return
                        }
                        told.yield(.seen(payment))
                    } while await session.ticks() != nil
                }
            }
            return try await consume(happenings, id, from: start)
        }
    }

    /// Until the answer is there and every event that it counts in was shown.
    private func consume(_ happenings: AsyncStream<Happening>, _ id: JSONValue, from start: Int) async throws
        -> JSONValue
    {
        var shown = start
        var answer: JSONValue?
        defer { session.console.output(session.style.clearedLine) }
        for await happening in happenings {
            switch happening {
            case .answered(let result): answer = try result.get()
            case .told(let note) where note.method == "events.lagged": try await subscribe(id, after: shown)
            case .told(let note):
                guard note.method == "event", let seq = note.params["seq"]?.int, seq > shown else { continue }
                shown = seq
                session.console.output(
                    session.style.clearedLine + Render.event(note.params, session.style, withPayment: false) + "\n")
            case .nothingMoreTold:
                // Without an answer the wait fails too, and knows why.
                if let answer { return answer }
            case .seen(let payment): session.console.output(session.style.liveLine(Render.live(payment)))
            }
            if let answer, shown >= answer["seq"]?.int ?? 0 { return answer }
        }
        // Only the task that waits can be cancelled, and it ends with the process.
        throw CancellationError()
    }

    private func subscribe(_ id: JSONValue, after seq: Int) async throws {
        _ = try await session.call("events.subscribe", ["after": JSONValue(integerLiteral: seq), "payment": id])
    }
}
