internal import JSON

/// An HTTP request, received whole.
package struct SandboxRequest: Hashable, Sendable {
    package let method: String
    /// Without the query; not decoded.
    package let path: String
    package let query: [String: String]
    /// By lower-case name.
    package let headers: [String: String]
    package let body: [UInt8]

    package init(
        method: String, path: String, query: [String: String] = [:], headers: [String: String] = [:], body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The credential after the word `Bearer `, which the API insists on (wire.md, "Common").
    var bearer: String? {
        guard let header = headers["authorization"], header.hasPrefix("Bearer ") else { return nil }
        return String(header.dropFirst("Bearer ".count))
    }

    /// The body as a JSON object; an absent body is the empty object, anything else is `nil`.
    var json: JSONValue? {
        if body.isEmpty { return [:] }
        guard let json = try? JSONValue(parsing: body[...]), case .object = json else { return nil }
        return json
    }

    /// The fields of an `application/x-www-form-urlencoded` body.
    var form: [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[Self.decoded(parts[0])] = parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
        return fields
    }

    /// A `+` is a space, `%` and two digits a byte; anything else is itself.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
