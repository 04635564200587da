internal import Contract
internal import JSON

extension Fault {
    private static let known: Set<String> = [
        "drop", "silence", "delay_seconds", "status", "error_code", "message", "errors", "body", "retry_after", "html",
        "truncate", "wrong", "headers", "phase",
    ]
    private static let portal = """
        <!DOCTYPE html><html><head><title>Free Wi-Fi</title></head>\
        <body><h1>Welcome</h1><p>Please accept the terms to go online.</p></body></html>
        """

    /// Reads the body of `POST /sandbox/faults`.
    init(id: String, _ body: JSONValue) throws(InvalidField) {
        let match = body["match"] ?? [:]
        guard let fault = body["fault"], let fields = fault.object, !fields.isEmpty else {
            throw InvalidField("fault", "A fault is required.")
        }
        if let unknown = fields.keys.sorted().first(where: { !Self.known.contains($0) }) {
            throw InvalidField(unknown, "No such fault.")
        }
        let loss = try Self.loss(fault)
        let usual: Phase = loss == .none ? .after : .before
        var phase = usual
        if let asked = body.given("phase") ?? fault.given("phase") {
            guard let word = asked.string.flatMap(Phase.init) else {
                throw InvalidField("phase", "Use before or after.")
            }
            phase = word
        }
        var times: Int?
        if let asked = body.given("times") {
            guard let count = asked.int, count > 0 else {
                throw InvalidField("times", "Use a positive number or null.")
            }
            times = count
        }
        self.init(
            id: id, path: match["path"]?.string, method: match["method"]?.string, payment: match["payment"]?.string,
            phase: phase, delay: try Terms.seconds("delay_seconds", fault, 0...3_600) ?? .zero, loss: loss,
            truncates: fault["truncate"]?.bool ?? false, patch: fault.given("wrong"), headers: Self.headers(fault),
            timesLeft: times)
    }

    private static func loss(_ fault: JSONValue) throws(InvalidField) -> Loss {
        if fault["drop"]?.bool == true { return .dropped }
        if fault["silence"]?.bool == true { return .silence }
        let status = fault["status"]?.int
        if let status, !(200...599).contains(status) { throw InvalidField("status", "Use 200 to 599.") }
        if let page = fault.given("html"), page != false {
            return .replaced(SandboxAnswer(status: status ?? 200, html: page.string ?? portal))
        }
        guard let status else {
            guard fault.given("status") == nil else { throw InvalidField("status", "Use 200 to 599.") }
            return .none
        }
        if let body = fault.given("body") {
            var answer = SandboxAnswer(status: status, json: body)
            // A string is sent as it is: it need not be JSON.
            if let text = body.string { answer.body = Array(text.utf8) }
            return .replaced(answer)
        }
        return .replaced(
            .error(
                status, fault["error_code"]?.string, fault["message"]?.string ?? "The sandbox was asked to fail.",
                errors: fault.given("errors")))
    }

    private static func headers(_ fault: JSONValue) -> [String: String] {
        var headers = (fault["headers"]?.object ?? [:]).compactMapValues(\.string)
        switch fault["retry_after"] {
        case .number(let seconds)?: headers["Retry-After"] = "\(seconds)"
        case .string(let date)?: headers["Retry-After"] = date
        case .null?, .bool?, .array?, .object?, nil: break
        }
        // A header's value is one line; what cannot be sent is not.
        return headers.filter { name, value in (name + value).unicodeScalars.allSatisfy { (" "..."~").contains($0) } }
    }
}
