package import JSON

/// An HTTP answer.
package struct SandboxAnswer: Hashable, Sendable {
    package var status: Int
    /// Added to what the server sends anyway (`Content-Length`, `Connection`).
    package var headers: [String: String]
    package var body: [UInt8]
    /// How many bytes of the body are sent before the connection closes, `Content-Length` promising all of them;
    /// `nil` for a whole answer.
    package var cutAfter: Int?

    package init(status: Int, json: JSONValue) {
        self.status = status
        headers = ["Content-Type": "application/json"]
        body = json.encoded
    }

    package init(status: Int, html: String) {
        self.status = status
        headers = ["Content-Type": "text/html; charset=utf-8"]
        body = Array(html.utf8)
    }

    /// The body as JSON; `nil` when it is none.
    package var json: JSONValue? {
        try? JSONValue(parsing: body[...])
    }

    /// An error body as Wajub sends it (wire.md, "Common"): `message`, `error_code`, `errors`, and `code`, the status.
    static func error(
        _ status: Int, _ code: String?, _ message: String, errors: JSONValue? = nil, extra: JSONValue = [:]
    ) -> SandboxAnswer {
        let body = JSONValue.fields([
            "code": .integer(status), "status": "error", "message": .string(message),
            "error_code": code.map(JSONValue.string), "errors": errors,
        ])
        return SandboxAnswer(status: status, json: body.merging(extra))
    }

    /// A 422 that names one field.
    static func invalid(_ field: String, _ message: String) -> SandboxAnswer {
        error(422, "validation_error", message, errors: .object([field: [.string(message)]]))
    }
}
