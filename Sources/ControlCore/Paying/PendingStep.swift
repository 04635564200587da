internal import Arguments
internal import Contract
internal import JSON
internal import JSONRPC

/// The one more thing that a payer is asked for (`protocol.md`, the payment's `screen.step`).
struct PendingStep: Hashable, Sendable {
    let id: String
    /// `otp`, `pin`, `phone`, `birthday`, `address`, `3ds`; or one of a later version.
    let kind: String
    let attemptsLeft: Int?

    /// `nil` where nothing is pending.
    init?(_ payment: JSONValue) {
        guard payment["result"] == nil, let step = payment["screen"]?["step"], let kind = step["kind"]?.string else {
            return nil
        }
        id = step["id"]?.string ?? ""
        self.kind = kind
        attemptsLeft = step["attempts_left"]?.int
    }

    /// The fields that answer it; none for a kind that this version does not know.
    var fields: [String] { Step.Kind(rawValue: kind)?.fields ?? [] }

    /// Whether a new code can be sent.
    var canResend: Bool { fields == ["code"] }

    /// Asks a person for the fields.
    ///
    /// - parameter hint: what else may be typed, for the first question.
    /// - returns: `nil` once it is taken back.
    func ask(
        _ session: Session, until withdrawal: Withdrawal, hint: String? = nil
    ) async throws -> [String: String]? {
        var answers: [String: String] = [:]
        for field in fields {
            let attempts = field == fields.first ? attemptsLeft.map { "\($0) attempts left" } : nil
            let notes = [attempts, hint].joined("; ")
            let question = PayerField.question(field, note: notes.isEmpty ? nil : notes)
            var answer: String?
            repeat {
                answer = try await session.input.read(question, withdrawal)
                guard answer != nil else { return nil }
            } while answer == ""
            answers[field] = answer
        }
        return answers
    }

    /// The usage error of a script that did not say the answer.
    var missing: ArgumentError {
        guard let field = fields.first else {
            return ArgumentError("--field: is missing; the payer is asked for what this version does not know")
        }
        return ArgumentError("--field \(field)=VALUE: is missing; the payer is asked for a step of the kind \(kind)")
    }
}
