internal import Arguments
internal import JSON
internal import JSONRPC

extension Paying {
    /// The number and, where it does not tell, whose it is.
    func mobileMoney(_ offers: [Offer]) async throws -> [String: JSONValue] {
        let question = PayerField.question("phone")
        if let phone = try await session.personal(option: "phone", question) {
            let (params, check) = try await checked(phone, offers)
            guard check["valid"] == true else {
                // As the daemon would refuse to pay from it.
                let message = check["error"]?["message"]?.string ?? "The phone number is not valid."
                throw RPCClientError.refused(RPCError(.serverError, message, data: check["error"]))
            }
            return try await withOperator(params, check, offers)
        }
        guard session.canAsk else { throw ArgumentError("--phone: is missing") }
        while true {
            let (params, check) = try await checked(try await session.ask(question), offers)
            if check["valid"] == true { return try await withOperator(params, check, offers) }
            session.console.complaint(Render.problem(check["error"]) ?? "the phone number is not valid")
        }
    }

    /// What is sent of the number, and of the options.
    func numberParams(_ phone: String?) throws -> [String: JSONValue] {
        var params: [String: JSONValue] = [:]
        params["phone"] = phone.map(JSONValue.string)
        for name in ["country", "operator", "channel"] {
            params[name] = try session.options.string(name).map(JSONValue.string)
        }
        return params
    }

    private func checked(
        _ phone: String, _ offers: [Offer]
    ) async throws -> (params: [String: JSONValue], check: JSONValue) {
        var params = try numberParams(phone)
        let countries = offers.flatMap(\.countries).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        if params["country"] == nil, session.canAsk, countries.count > 1, !Self.saysCountry(phone) {
            params["country"] = .string(countries[try await session.choose("Country", countries)])
        }
        var question = params
        question["channel"] = nil
        question["payment"] = selector
        return (params, try await session.call("mobile_money.check", question))
    }

    /// Whether it is written as from abroad.
    private static func saysCountry(_ phone: String) -> Bool { phone.hasPrefix("+") || phone.hasPrefix("00") }

    private func withOperator(
        _ params: [String: JSONValue], _ check: JSONValue, _ offers: [Offer]
    ) async throws -> [String: JSONValue] {
        guard params["operator"] == nil, check["operator"]?.string == nil else { return params }
        let country = check["country"]?.string
        let owners = offers.filter { offer in
            country.map { offer.countries.isEmpty || offer.countries.contains($0) } ?? true
        }.flatMap(Owner.all)
        guard owners.count > 1 else { return params }
        guard session.canAsk else {
            let options = owners.map(\.option).joined(separator: ", ")
            throw ArgumentError("one of \(options): is missing, as the number does not tell whose it is")
        }
        let names = owners.map { [$0.id ?? $0.channel] }
        let owner = owners[try await session.choose("Operator", owners.map(\.name), or: names)]
        var params = params
        params["channel"] = .string(owner.channel)
        params["operator"] = owner.id.map(JSONValue.string)
        return params
    }

    /// Whose a number can be.
    private struct Owner {
        let name: String
        let channel: String
        /// Of an aggregate's members.
        let id: String?

        var option: String { id.map { "--operator \($0)" } ?? "--channel \(channel)" }

        static func all(of offer: Offer) -> [Owner] {
            offer.operators.isEmpty
                ? [Owner(name: offer.name, channel: offer.channel, id: nil)]
                : offer.operators.map { Owner(name: $0.name, channel: offer.channel, id: $0.id) }
        }
    }
}
