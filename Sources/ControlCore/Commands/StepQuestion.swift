internal import JSON
internal import JSONRPC

/// What a step asks a person for, while a wait goes on.
struct StepQuestion: Sendable {
    let step: PendingStep
    let withdrawal: Withdrawal

    /// What is typed in place of a code to have a new one sent.
    private static let resend = "resend"

    /// Asks, and sends the answer.
    func put(_ session: Session, _ id: JSONValue, _ tell: (Waiting.Happening) -> Void) async {
        let hint = step.canResend ? "'\(Self.resend)' sends a new one" : nil
        let answers: [String: String]
        do {
            guard let typed = try await step.ask(session, until: withdrawal, hint: hint) else {
                return tell(.typed(.withdrawn))
            }
            answers = typed
        } catch {
            return tell(.typed(.gaveUp))
        }
        tell(.typed(.answered))
        do {
            let isResent = step.canResend && answers["code"] == Self.resend
            let more: [String: JSONValue] = isResent ? [:] : ["fields": .object(answers.mapValues(JSONValue.string))]
            let method = isResent ? "payment.resend" : "payment.verify"
            let payment = try await session.payment(method, more.merging(["payment": id]) { $1 })
            tell(.delivered(.success(payment)))
        } catch {
            tell(.delivered(.failure(error)))
        }
    }
}
