internal import Contract
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

private struct StateData: Encodable {
    let state: CheckoutState
    let method: MethodFamily
}
