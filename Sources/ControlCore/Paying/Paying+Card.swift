internal import Arguments
internal import JSON
internal import JSONRPC

extension Paying {
    /// What a card's form collects; the first that fits (seed 000, "Cards").
    func card(_ offer: Offer) async throws -> Call {
        var card = try await cardParams(offer.channel)
        switch offer.need {
        case .clientSession where options.way == nil:
            guard session.canAsk else {
                throw ArgumentError(
                    "--client-session: is missing; \(offer.channel) is paid on a page of its provider's")
            }
            return try await clientSession(offer.channel)
        case .paymentMethod:
            let question = Question("payment method id", prompt: "Payment method id, pm_…, of Stripe's form")
            guard session.canAsk else { throw ArgumentError("--payment-method-id: is missing; Stripe's form makes it") }
            card["payment_method_id"] = .string(try await session.ask(question))
        case .fields(let names):
            var fields = card["fields"]?.object ?? [:]
            let missing = names.filter { fields[$0] == nil }
            guard missing.isEmpty || session.canAsk else {
                throw ArgumentError(missing.map { "--field \($0)=VALUE" }.joined(separator: ", ") + ": is missing")
            }
            for name in missing { fields[name] = .string(try await session.ask(PayerField.question(name))) }
            card["fields"] = .object(fields)
        case .phone, .clientSession, .nothing: break
        }
        return pay("card", card)
    }

    func cardParams(_ channel: String?) async throws -> [String: JSONValue] {
        var card: [String: JSONValue] = [:]
        card["channel"] = channel.map(JSONValue.string)
        card["payment_method_id"] = try await session.personal(
            option: "payment-method-id", Question("payment method id")
        ).map(JSONValue.string)
        card["card_holder"] = try await session.personal(option: "card-holder", Question("card holder"))
            .map(JSONValue.string)
        let fields = try await session.fields()
        if !fields.isEmpty { card["fields"] = .object(fields.mapValues(JSONValue.string)) }
        return card
    }

    func clientSession(_ channel: String) async throws -> Call {
        var params: [String: JSONValue] = ["channel": .string(channel)]
        for name in ["email", "name"] {
            params[name] = try await session.personal(option: name, Question(name)).map(JSONValue.string)
        }
        if session.options.has("restart") { params["restart"] = true }
        return Call(method: "payment.start_client_session", params: params)
    }
}
