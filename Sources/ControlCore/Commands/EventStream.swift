internal import JSON
internal import JSONRPC
internal import Platform

/// The daemon's events in order, each once, on a connection of their own.
///
/// Read only as fast as they are shown: a slow terminal or pipe makes the daemon end the stream (`events.lagged`), and
/// it is taken up again behind the last one shown. So nothing piles up here, and nothing is lost.
struct EventStream: Sendable {
    let socket: String
    /// `nil`: only new ones.
    let after: Int?
    let payment: JSONValue?
    /// Whether it ends at the last one that was stored when it began; else with the connection.
    let endsAtLastStored: Bool

    /// Gives each event to `show`, on a thread of its own, until the end.
    ///
    /// - throws: `RPCClientError`; `ControlFailure` where no thread can be had.
    func run(_ show: @escaping @Sendable (JSONValue) -> Void) async throws {
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            do throws(OwnedThread.StartError) {
                try OwnedThread.start {
                    continuation.resume(returning: Result { try follow(show) })
                }
            } catch {
                let failure = ControlFailure(status: .unreachable, message: "no thread can be had: error \(error.code)")
                continuation.resume(returning: .failure(failure))
            }
        }
        try result.get()
    }

    private func follow(_ show: (JSONValue) -> Void) throws(RPCClientError) {
        let channel = try LineChannel(path: socket)
        var position = after
        var last: Int?
        try subscribe(channel, after: position)
        while let line = try channel.receive() {
            let message = try Message(line)
            switch message {
            case .answer(let lastSeq, let lastStored):
                // The first answer tells where the stream begins and ends; later ones are those of a resumption.
                if last == nil {
                    last = lastStored
                    position = position ?? lastSeq
                }
            case .event(let seq, let event) where seq > position ?? 0:
                position = seq
                show(event)
            case .lagged: try subscribe(channel, after: position)
            case .event, .other: break
            }
            // Before the answer nothing is known, and nothing comes.
            if endsAtLastStored, let last, position ?? 0 >= last { return channel.close() }
        }
        throw .connectionLost
    }

    private func subscribe(_ channel: LineChannel, after: Int?) throws(RPCClientError) {
        var params: [String: JSONValue] = [:]
        params["after"] = after.map { JSONValue(integerLiteral: $0) }
        params["payment"] = payment
        try channel.send(RPCLine.request(RPCRequest(id: .integer(1), method: "events.subscribe", params: params)))
    }

    /// What the daemon sends on such a connection.
    private enum Message {
        case answer(lastSeq: Int, lastStored: Int)
        case event(seq: Int, JSONValue)
        case lagged
        /// A notification of a later version.
        case other

        init(_ line: ArraySlice<UInt8>) throws(RPCClientError) {
            guard let message = try? JSONValue(parsing: line) else { throw .malformedAnswer }
            switch message["method"]?.string {
            case "event"?:
                guard let event = message["params"], let seq = event["seq"]?.int else { throw .malformedAnswer }
                self = .event(seq: seq, event)
            case "events.lagged"?: self = .lagged
            case .some: self = .other
            case nil:
                if let error = message["error"], let code = error["code"]?.int, let text = error["message"]?.string {
                    throw .refused(RPCError(RPCErrorCode(rawValue: code), text, data: error["data"]))
                }
                guard let lastSeq = message["result"]?["last_seq"]?.int,
                    let lastStored = message["result"]?["last_stored_seq"]?.int
                else { throw .malformedAnswer }
                self = .answer(lastSeq: lastSeq, lastStored: lastStored)
            }
        }
    }
}
