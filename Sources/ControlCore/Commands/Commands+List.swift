internal import Arguments
internal import JSON
internal import JSONRPC

extension Commands {
    /// What one answer of `payment.list` holds at most (`protocol.md`).
    private static let pageSize = 500

    static let list = Command(
        "list", "list payments, newest first",
        options: [
            .flag("settled", "only those with a result"), .flag("unsettled", "only those without"),
            .value("limit", "N", "how many; default 50"),
        ]
    ) { session in
        let options = session.options
        if options.has("settled") && options.has("unsettled") {
            throw options.error("unsettled", "contradicts --settled")
        }
        var params: [String: JSONValue] = [:]
        if options.has("settled") || options.has("unsettled") { params["settled"] = .bool(options.has("settled")) }
        var left = try options.int("limit", in: 1...1_000_000) ?? 50
        var isFirst = true
        while left > 0 {
            params["limit"] = JSONValue(integerLiteral: min(left, pageSize))
            let page = try await session.call("payment.list", params)
            let payments = try Session.member("payments", of: page).array ?? []
            if session.isJSON {
                payments.forEach(session.json)
            } else {
                Render.list(payments, session.style, withHead: isFirst).forEach(session.console.line)
            }
            left -= payments.count
            isFirst = false
            guard let next = page["next"], !next.isNull, !payments.isEmpty else { break }
            params["before"] = next
        }
        return .success
    }
}
