internal import Arguments
internal import JSON
internal import JSONRPC

extension Commands {
    static let verify = Command(
        "verify", words: "PAYMENT",
        "answer what the payer is asked for: a code, a PIN, a number, a birthday or an address",
        details: "On a terminal the answer is asked for, codes and PINs unseen. Scripts give it as --field code=- and "
            + "so on (fields: code, pin, phone, birthday, address, city, state, zip_code). "
            + Command.personalHelp("VALUE"),
        options: [Command.tokenFile, Command.field]
    ) { session in
        let selector = try session.selector()
        var fields = try await session.fields()
        let step = PendingStep(try await session.payment("payment.status", ["payment": selector]))
        if fields.isEmpty {
            guard let step else {
                throw ControlFailure(status: .refused, message: "the payer is asked for nothing now")
            }
            guard session.canAsk, !step.fields.isEmpty else { throw step.missing }
            fields = try await step.ask(session, until: Withdrawal()) ?? [:]
        }
        let payment = try await session.payment(
            "payment.verify", ["payment": selector, "fields": .object(fields.mapValues(JSONValue.string))])
        session.show(payment)
        // A wrong answer keeps the step (design.md, "Steps").
        if let step, PendingStep(payment)?.id == step.id { return .refused }
        return ExitCode.isOpenAgain(payment) ? .open : .success
    }

    static let resend = Command.onPayment(
        "resend", "payment.resend", "have a new code sent to the payer, from a minute after the last one")

    static let returned = Command.onPayment(
        "returned", "payment.returned", "tell that the payer is back from a provider's page; asks Wajub at once")
}

extension ExitCode {
    /// Whether an attempt was refused for certain and the payment waits for another one.
    static func isOpenAgain(_ payment: JSONValue) -> Bool {
        guard payment["result"] == nil, PendingStep(payment) == nil else { return false }
        return payment["state"] == "FAILED" || payment["advice"]?["safe_to_retry"] == true
    }
}
