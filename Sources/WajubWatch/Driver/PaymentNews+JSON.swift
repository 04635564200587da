package import Contract
internal import FoundationEssentials

extension PaymentNews {
    /// The event's `data` as JSON text (`protocol.md`, "Events").
    ///
    /// - throws: nothing in practice: every field is a string, a number or a flag.
    func json(resolvedAt: String) throws -> String {
        switch self {
        case .accepted: "{}"
        case .ready(let environment, let methods): try encoded(ReadyData(environment: environment, methods: methods))
        case .loadError(let error), .error(let error): try encoded(error)
        case .state(let state, let method): try encoded(StateData(state: state, method: method))
        case .paymentStarted(let method, let channel, let attempt):
            try encoded(StartedData(method: method, channel: channel, attempt: attempt))
        case .redirect(let url): try encoded(["url": url])
        case .progress(let active): try encoded(["active": active])
        case .step(let step, let wait): try encoded(StepObject(step, resendIn: wait))
        case .success(let success): try encoded(success)
        case .cancel(let reason): try encoded(["reason": reason.rawValue])
        case .complete(let result): try encoded(ResultObject(result, at: resolvedAt))
        case .status(let status): try encoded(["status": status.rawValue])
        }
    }

    private func encoded(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.encoder.encode(value), as: UTF8.self)
    }
}

private struct ReadyData: Encodable {
    let environment: Environment
    let methods: [MethodOffer]
}

private struct StartedData: Encodable {
    let method: MethodFamily
    let channel: String
    let attempt: Int
}

private struct StateData: Encodable {
    let state: CheckoutState
    let method: MethodFamily
}

/// A step as the protocol shows it, in `screen` and in `step`.
package struct StepObject: Encodable, Sendable {
    let kind: Step.Kind
    let id: String
    let attempts_left: Int?
    let hint: String?
    let resend_in_seconds: Double?

    /// - parameter resendIn: how long until a new code can be asked for.
    package init(_ step: Step, resendIn: Duration) {
        kind = step.kind
        id = step.id
        attempts_left = step.attemptsLeft
        hint = step.hint
        resend_in_seconds = resendIn.inSeconds
    }
}
