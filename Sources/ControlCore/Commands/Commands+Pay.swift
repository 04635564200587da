internal import Arguments
internal import JSON
internal import JSONRPC

extension Commands {
    static let pay = Command(
        "pay", words: "PAYMENT", "pay a payment: with Mobile Money, a card or a wallet",
        details: "On a terminal it asks for what the options do not say; elsewhere, and with --json, that is an error "
            + "that names the option. "
            + Command.personalHelp("NUMBER, ID, NAME, EMAIL and the VALUE of a field"),
        options: PayOptions.specs
    ) { session in
        let paying = try Paying(session)
        let waiting = session.options.has("wait") ? try Waiting(session, attends: true) : nil
        let page = try session.options.string("return-url")
        let call = try await paying.call()
        var params = call.params
        params["payment"] = paying.selector
        params["return_url"] = page.map(JSONValue.string)
        let answer = try await session.callOnceLoaded(call.method, params)
        let payment = try Session.member("payment", of: answer)
        if session.isJSON {
            // A client session is for the till's own page: a script gets all of it.
            session.json(answer["client_session"] == nil ? payment : answer)
        } else {
            if waiting == nil { session.show(payment) }
            let page = answer["client_session"]?["hosted_url"]
            if page != payment["screen"]?["action_url"], let line = Render.page(page) { session.console.line(line) }
            if waiting == nil { Render.next(payment).forEach(session.console.line) }
        }
        if let waiting { return try await waiting.result(from: payment) }
        return ExitCode.isOpenAgain(payment) ? .open : .success
    }
}
