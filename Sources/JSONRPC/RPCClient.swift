internal import FoundationEssentials
package import JSON
internal import Synchronization

/// A client of the daemon: many calls in flight, answers matched by id, notifications as a stream.
package final class RPCClient: Sendable {
    /// One notification of the daemon.
    package struct Notification: Hashable, Sendable {
        package let method: String
        package let params: JSONValue
    }

    private typealias Answer = Result<JSONValue, RPCClientError>

    private struct State {
        var lastID: Int128 = 0
        var waiting: [RPCID: CheckedContinuation<Answer, Never>] = [:]
        /// Why nothing more will be answered.
        var end: RPCClientError?
    }

    /// What the daemon tells unasked; ends with the connection. Holds 10,000 that were not taken: past that the newest
    /// are dropped, and ``droppedNotifications`` counts them.
    package let notifications: AsyncStream<Notification>

    private let channel: LineChannel
    private let told: AsyncStream<Notification>.Continuation
    private let dropped = Mutex(0)
    private let state = Mutex(State())

    /// Connects, and starts the thread that reads.
    ///
    /// - throws: `unreachable`.
    package init(path: String) throws(RPCClientError) {
        channel = try LineChannel(path: path)
        (notifications, told) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(10_000))
        do throws(SystemError) {
            // Holds the channel and not the client, so that a client nobody holds is closed.
            try SystemError.startThread { [weak self, channel] in
                RPCClient.read(channel) { self }
            }
        } catch {
            throw .unreachable(path: path, error)
        }
    }

    deinit { close() }

    /// How many notifications were dropped because nobody took them.
    package var droppedNotifications: Int { dropped.withLock { $0 } }

    /// Calls a method.
    ///
    /// - throws: `refused` with the daemon's error; `connectionLost`; `CancellationError` when the task is cancelled,
    ///   which does not take the request back.
    package func call(_ method: String, _ params: [String: JSONValue] = [:]) async throws -> JSONValue {
        let id = state.withLock { state in
            state.lastID += 1
            return RPCID.integer(state.lastID)
        }
        let line = RPCLine.request(RPCRequest(id: id, method: method, params: params))
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = state.withLock { state -> RPCClientError? in
                    if state.end == nil { state.waiting[id] = continuation }
                    return state.end
                }
                if let end { return continuation.resume(returning: .failure(end)) }
                // Registered first, as the answer may come before `send` returns.
                if Task.isCancelled { return resolve(id, .failure(.connectionLost)) }
                // The reader learns why the connection ended (`too_many_clients`, say), and fails this call with the
                // rest.
                do throws(RPCClientError) { try channel.send(line) } catch { channel.close() }
            }
        } onCancel: {
            resolve(id, .failure(.connectionLost))
        }
        if case .failure = answer { try Task.checkCancellation() }
        return try answer.get()
    }

    /// Ends the connection; calls in flight throw `connectionLost`.
    package func close() {
        channel.close()
    }

    private static func read(_ channel: LineChannel, _ client: () -> RPCClient?) {
        var end = RPCClientError.connectionLost
        do throws(RPCClientError) {
            while let line = try channel.receive() {
                guard let client = client() else { break }
                try client.take(line)
            }
        } catch {
            end = error
        }
        channel.close()
        client()?.end(with: end)
    }

    private func take(_ line: ArraySlice<UInt8>) throws(RPCClientError) {
        guard let message = try? JSONValue(parsing: line), let members = message.object else { throw .malformedAnswer }
        if let method = members["method"]?.string {
            let notification = Notification(method: method, params: members["params"] ?? .null)
            if case .dropped = told.yield(notification) { dropped.withLock { $0 += 1 } }
            return
        }
        let answer: Answer
        if let result = members["result"] {
            answer = .success(result)
        } else if let error = members["error"].flatMap(RPCError.init(json:)) {
            answer = .failure(.refused(error))
        } else {
            throw .malformedAnswer
        }
        switch members["id"] {
        case .number(let number)?: Int128(number.description).map { resolve(.integer($0), answer) }
        // An answer to no request of ours, as `too_many_clients` is: it is why the connection ends.
        case _: if case .failure(let error) = answer { throw error }
        }
    }

    private func resolve(_ id: RPCID, _ answer: Answer) {
        let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
        continuation?.resume(returning: answer)
    }

    private func end(with error: RPCClientError) {
        let waiting = state.withLock { state in
            state.end = error
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.resume(returning: .failure(error)) }
        told.finish()
    }
}

extension RPCError {
    /// Reads the `error` member of an answer.
    init?(json: JSONValue) {
        guard let code = json["code"]?.int, let message = json["message"]?.string else { return nil }
        self.init(RPCErrorCode(rawValue: code), message, data: json["data"])
    }
}
