internal import JSON
internal import JSONRPC

/// What one wait knows and has shown; its consumer's alone.
struct Following {
    private enum Asking {
        case nothing
        case standing(Withdrawal)
        /// What was typed is on its way to Wajub.
        case delivering
    }

    private let session: Session
    private let id: JSONValue
    private let attends: Bool
    /// `nil` where nobody can be asked, or nobody wants to be.
    private var asked: AsyncStream<StepQuestion>.Continuation?
    /// The last event that was shown.
    private var shown: Int
    /// The payment as it is at the end; every event that it counts in is still to be shown.
    private var answer: JSONValue?
    private var asking = Asking.nothing
    /// What came while a question stood: it is shown when the keyboard is free.
    private var held: [RPCClient.Notification] = []
    private var screen: [String] = []
    private var toldError: JSONValue?

    init(
        _ session: Session, _ start: JSONValue, attends: Bool, asked: AsyncStream<StepQuestion>.Continuation?
    ) {
        self.session = session
        self.attends = attends
        self.asked = asked
        id = start["id"] ?? .null
        shown = start["seq"]?.int ?? 0
        // What went wrong before is no news.
        toldError = start["error"]
    }

    func subscribe() async throws {
        _ = try await session.call("events.subscribe", ["after": JSONValue(integerLiteral: shown), "payment": id])
    }

    /// - returns: the payment, where it has ended already.
    mutating func begin(_ start: JSONValue) async throws -> JSONValue? {
        attend(start)
        return answer
    }

    /// - returns: the payment, once there is nothing more to wait for or to show.
    mutating func take(_ happening: Waiting.Happening) async throws -> JSONValue? {
        switch happening {
        case .answered(let result): answer = try result.get()
        case .told(let note) where note.method == "events.lagged": try await subscribe()
        case .told(let note):
            if case .standing(let withdrawal) = asking {
                withdrawal.withdraw()
                held.append(note)
            } else {
                try await tell(note)
            }
        case .nothingMoreTold:
            // Without an answer the wait fails too, and knows why.
            if let answer { return answer }
        case .seen(let payment):
            if case .standing = asking { break }
            session.console.output(session.style.liveLine(Render.live(payment)))
        case .typed(let typed): try await typedEnded(typed)
        case .delivered(let result):
            asking = .nothing
            try told(result)
            try await look()
        }
        guard let answer, shown >= answer["seq"]?.int ?? 0 else { return nil }
        return answer
    }

    /// Leaves the terminal as it was found.
    func leave() {
        if case .standing(let withdrawal) = asking { withdrawal.withdraw() }
        clear()
    }

    private func clear() {
        if !session.isJSON { session.console.output(session.style.clearedLine) }
    }

    private func complain(_ text: String) {
        clear()
        session.console.complaint(text)
    }

    private mutating func tell(_ note: RPCClient.Notification) async throws {
        guard note.method == "event", let seq = note.params["seq"]?.int, seq > shown else { return }
        shown = seq
        if note.params["event"] == "error" { toldError = note.params["data"] }
        if !session.isJSON {
            session.console.output(
                session.style.clearedLine + Render.event(note.params, session.style, withPayment: false) + "\n")
        }
        try await look()
    }
}

// MARK: Attending

extension Following {
    private mutating func look() async throws {
        guard attends, answer == nil else { return }
        attend(try await session.payment("payment.status", ["payment": id]))
    }

    /// Does what the payment as it stands calls for.
    private mutating func attend(_ payment: JSONValue) {
        guard attends, answer == nil else { return }
        if payment["result"] != nil || ExitCode.isOpenAgain(payment) {
            answer = payment
            return
        }
        let lines = session.isJSON ? [] : Render.screen(payment, isStepAsked: asked != nil)
        if lines != screen {
            screen = lines
            clear()
            lines.forEach(session.console.line)
        }
        // Not before the events that led to it are shown: each would take the question back.
        guard case .nothing = asking, let asked, let step = PendingStep(payment), !step.fields.isEmpty,
            payment["seq"]?.int ?? 0 <= shown
        else { return }
        tellError(of: payment)
        clear()
        let withdrawal = Withdrawal()
        asking = .standing(withdrawal)
        asked.yield(StepQuestion(step: step, withdrawal: withdrawal))
    }

    private mutating func typedEnded(_ typed: Waiting.Typed) async throws {
        if case .answered = typed { asking = .delivering } else { asking = .nothing }
        // In its place the command that answers is shown.
        if case .gaveUp = typed { asked = nil }
        let notes = held
        held = []
        for note in notes { try await tell(note) }
        try await look()
    }

    private mutating func told(_ result: Result<JSONValue, any Error>) throws {
        do {
            tellError(of: try result.get())
        } catch let error as RPCClientError {
            guard case .refused = error else { throw error }
            Render.explanation(error).forEach(complain)
        }
    }

    /// Unless its event did already.
    private mutating func tellError(of payment: JSONValue) {
        guard let error = payment["error"], error != toldError else { return }
        toldError = error
        if let problem = Render.problem(error), !session.isJSON { complain(problem) }
    }
}
