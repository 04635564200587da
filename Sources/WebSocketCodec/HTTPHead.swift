/// The head of an HTTP/1.1 request or response, as far as a WebSocket upgrade needs it.
package struct HTTPHead: Equatable, Sendable {
    /// One header field; names compare without regard to case.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String
    }

    /// How far a head has arrived.
    package enum Progress: Equatable, Sendable {
        case needsMore
        /// The head, and how many bytes it took; what follows is not HTTP's any more.
        case complete(HTTPHead, byteCount: Int)
        /// Not a head, or longer than ``maxBytes``.
        case malformed
    }

    /// The longest head accepted.
    package static let maxBytes = 16 << 10

    /// The first line.
    package let startLine: String
    package let fields: [Field]

    /// The value of the first field with this name.
    package func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Whether a comma-separated field lists a token, in any case.
    package func lists(_ token: String, in name: String) -> Bool {
        fields.filter { $0.name.lowercased() == name.lowercased() }
            .flatMap { $0.value.split(separator: ",") }
            .contains { Self.trimmed($0).lowercased() == token.lowercased() }
    }

    /// The status code, if this is a response's head.
    package var status: Int? {
        let parts = startLine.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3 else {
            return nil
        }
        return Int(parts[1])
    }

    /// The method and the target, if this is a request's head.
    package var request: (method: String, target: String)? {
        let parts = startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "HTTP/1.1", !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    /// Reads a head from the start of a connection's bytes; lines end in CR LF, folded lines are refused.
    package static func parse(_ bytes: [UInt8]) -> Progress {
        let end: [UInt8] = [13, 10, 13, 10]
        guard let start = bytes.prefix(maxBytes).firstRange(of: end)?.lowerBound else {
            return bytes.count < maxBytes ? .needsMore : .malformed
        }
        guard let text = String(validating: bytes[..<start], as: UTF8.self) else { return .malformed }
        var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        let startLine = String(lines.removeFirst())
        var fields: [Field] = []
        for line in lines {
            guard let colon = line.firstIndex(of: ":"), line.startIndex < colon else { return .malformed }
            let name = line[..<colon]
            let value = trimmed(line[line.index(after: colon)...])
            guard name.allSatisfy(isToken), !value.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" })
            else {
                return .malformed
            }
            fields.append(Field(name: String(name), value: String(value)))
        }
        return .complete(HTTPHead(startLine: startLine, fields: fields), byteCount: start + end.count)
    }

    private static func isToken(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
