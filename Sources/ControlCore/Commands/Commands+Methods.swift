internal import Arguments
internal import JSON
internal import JSONRPC

extension Commands {
    static let methods = Command(
        "methods", words: "PAYMENT", "show how a payment can be paid, and the options of pay for each way",
        options: [Command.tokenFile]
    ) { session in
        let answer = try await session.callOnceLoaded("payment.methods", ["payment": try session.selector()])
        let methods = try Session.member("methods", of: answer).array ?? []
        session.isJSON
            ? methods.forEach(session.json)
            : Render.methods(methods.compactMap(Offer.init)).forEach(session.console.line)
        return .success
    }

    static let checkNumber = Command(
        "check-number", words: "NUMBER|-",
        "check a Mobile Money number, without the network; ends with 1 where it is not valid",
        details: Command.personalHelp("NUMBER"),
        options: [
            .value("country", "CC", "where it belongs to if it does not say, two letters"),
            .value("operator", "ID", "whose it must be"),
            .value("payment", "PAYMENT", "by what this payment offers"),
        ]
    ) { session in
        let options = session.options
        var params: [String: JSONValue] = [:]
        for name in ["country", "operator"] { params[name] = try options.string(name).map(JSONValue.string) }
        params["payment"] = try options.string("payment").map(Session.selector)
        let question = PayerField.question("phone")
        let number =
            options.words.isEmpty && session.canAsk
            ? try await session.ask(question) : try await session.personal(try session.onlyWord("NUMBER"), question)
        params["phone"] = .string(number)
        let check = try await session.call("mobile_money.check", params)
        let isValid = try Session.member("valid", of: check) == true
        session.isJSON ? session.json(check) : Render.number(check).forEach(session.console.line)
        if !isValid { session.console.complaint(Render.problem(check["error"]) ?? "the number is not valid") }
        return isValid ? .success : .refused
    }
}
