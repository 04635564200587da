internal import Arguments
internal import JSON
internal import JSONRPC

extension Commands {
    static let watch = Command(
        "watch", words: "TOKEN|-", "hand a payment's token off; - reads it from standard input",
        options: [
            Command.tokenFile,
            .value("reference", "REFERENCE", "the till's own reference, unique among its payments"),
            .value("locale", "LOCALE", "the language of messages, en or fr"),
            .flag("no-realtime", "poll only"),
            .value("realtime", "HOST:PORT[/tls]", "the realtime server, in place of the one that the session names"),
            .flag("keep-on-dismiss", "do not cancel the payment when it is dismissed"),
            .value("follow-up-seconds", "N", "how long reads go on after the watch"),
            .flag("wait", "stay until the result"), Command.timeout,
        ]
    ) { session in
        guard session.options.has("wait") || !session.options.has("timeout") else {
            throw session.options.error("timeout", "goes with --wait")
        }
        let waiting = session.options.has("wait") ? try Waiting(session) : nil
        var params = try params(session.options)
        params["token"] = .string(try await session.tokenToHandOff())
        let payment = try await session.payment("payment.watch", params)
        // A script learns the id before it waits; a person sees the payment when there is something to see.
        if session.isJSON || waiting == nil { session.show(payment) }
        return try await waiting?.result(of: try Session.member("id", of: payment)) ?? .success
    }

    private static func params(_ options: ParsedOptions) throws(ArgumentError) -> [String: JSONValue] {
        var params: [String: JSONValue] = [:]
        if let reference = try options.string("reference") { params["reference"] = .string(reference) }
        if let locale = try options.string("locale") { params["locale"] = .string(locale) }
        if let server = try options.string("realtime") {
            guard !options.has("no-realtime") else { throw options.error("no-realtime", "contradicts --realtime") }
            guard let realtime = realtime(server) else {
                throw options.error("realtime", "'\(server)' is not HOST:PORT or HOST:PORT/tls")
            }
            params["realtime"] = realtime
        }
        if options.has("no-realtime") { params["realtime"] = false }
        if options.has("keep-on-dismiss") { params["cancel_on_dismiss"] = false }
        if let seconds = try options.int("follow-up-seconds", in: 0...2_592_000) {
            params["follow_up_seconds"] = JSONValue(integerLiteral: seconds)
        }
        return params
    }

    /// `HOST:PORT` or `HOST:PORT/tls`; an IPv6 address in brackets.
    static func realtime(_ text: String) -> JSONValue? {
        let tls = text.hasSuffix("/tls")
        let address = tls ? text.dropLast(4) : text[...]
        guard let colon = address.lastIndex(of: ":"), let port = Int(address[address.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        var host = address[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains("/") else { return nil }
        return ["host": .string(String(host)), "port": JSONValue(integerLiteral: port), "tls": .bool(tls)]
    }
}
