internal import Arguments
internal import FoundationEssentials
internal import JSON
internal import JSONRPC

/// Waits for a payment's result, with its events and, on a terminal, one live line.
struct Waiting: Sendable {
    /// What can happen meanwhile; one consumer takes them in turn, so that lines never mix.
    enum Happening {
        case told(RPCClient.Notification)
        case nothingMoreTold
        /// As it stands, for the live line.
        case seen(JSONValue)
        case answered(Result<JSONValue, any Error>)
        /// A question is over: the keyboard is free.
        case typed(Typed)
        /// What Wajub said to what was typed, which is answered last.
        case delivered(Result<JSONValue, any Error>)
    }

    enum Typed {
        case answered, withdrawn
        /// No line comes any more.
        case gaveUp
    }

    private let session: Session
    /// Whether it does what the payer needs: shows pages and instructions, asks for what a step wants, and ends where
    /// the attempt was refused.
    private let attends: Bool
    /// Those of `payment.wait`, without its payment.
    private let params: [String: JSONValue]

    /// - throws: where `--timeout` is none.
    init(_ session: Session, attends: Bool = false) throws(ArgumentError) {
        self.session = session
        self.attends = attends
        let timeout = try session.options.double("timeout", in: 0...2_592_000)
        params = timeout.map { ["timeout_seconds": .number(Decimal($0))] } ?? [:]
    }

    /// Shows what happens until the result settles or `--timeout` is over; the status tells which.
    func result(of selector: JSONValue) async throws -> ExitCode {
        if session.isJSON {
            return end(try await wait(for: selector))
        }
        return try await result(from: try await session.payment("payment.status", ["payment": selector]))
    }

    /// The same, from a payment as it was answered: what came after it is shown.
    func result(from start: JSONValue) async throws -> ExitCode {
        end(start["result"] == nil ? try await follow(from: start) : start)
    }

    private func end(_ payment: JSONValue) -> ExitCode {
        session.show(payment)
        if attends && ExitCode.isOpenAgain(payment) { return .open }
        return ExitCode(result: payment["result"]?["status"]?.string)
    }

    private func follow(from start: JSONValue) async throws -> JSONValue {
        let (client, id) = (try session.client(), try Session.member("id", of: start))
        // Bounded by the events of one payment, and looks that each wait for their answer.
        let (happenings, told) = AsyncStream.makeStream(of: Happening.self)
        let (questions, asked) = AsyncStream.makeStream(of: StepQuestion.self)
        let asks = attends && session.canAsk
        var following = Following(session, start, attends: attends, asked: asks ? asked : nil)
        try await following.subscribe()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            // Every child ends when it is cancelled, the one that asks when its question is taken back.
            defer {
                following.leave()
                group.cancelAll()
            }
            group.addTask {
                do {
                    told.yield(.answered(.success(try await wait(for: id))))
                } catch {
                    told.yield(.answered(.failure(error)))
                }
            }
            group.addTask {
                for await note in client.notifications { told.yield(.told(note)) }
                told.yield(.nothingMoreTold)
            }
            if asks {
                group.addTask {
                    for await question in questions { await question.put(session, id) { told.yield($0) } }
                }
            }
            if session.style.isLive && !session.isJSON { group.addTask { await look(id) { told.yield($0) } } }
            if let payment = try await following.begin(start) { return payment }
            for await happening in happenings {
                if let payment = try await following.take(happening) { return payment }
            }
            // Only the task that waits can be cancelled, and it ends with the process.
            throw CancellationError()
        }
    }

    private func wait(for payment: JSONValue) async throws -> JSONValue {
        try await session.payment("payment.wait", params.merging(["payment": payment]) { $1 })
    }

    private func look(_ id: JSONValue, _ tell: (Happening) -> Void) async {
        repeat {
            // What keeps the daemon from answering ends the wait as well, and is told there.
            guard let payment = try? await session.payment("payment.status", ["payment": id]) else { return }
            tell(.seen(payment))
        } while await session.ticks() != nil
    }
}
