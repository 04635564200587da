internal import FoundationEssentials

/// Why bytes are not JSON. Says where, never what: the text may hold a token.
package enum JSONParseError: Error, Hashable, Sendable {
    /// At this offset stands something that JSON does not allow there.
    case unexpected(offset: Int)
    /// The text ends too early.
    case incomplete
    /// A string that is not UTF-8, or half a surrogate pair, ending at this offset.
    case notUnicode(offset: Int)
    /// More significant digits, or a larger exponent, than `Decimal` carries, ending at this offset.
    case numberOutOfRange(offset: Int)
    /// Nested deeper than ``JSONParser/maximumDepth``.
    case tooDeep

    /// One sentence for a person.
    package var message: String {
        switch self {
        case .unexpected(let offset): "not JSON at byte \(offset)"
        case .incomplete: "not JSON: it ends too early"
        case .notUnicode(let offset): "not JSON: a string that ends at byte \(offset) is not Unicode"
        case .numberOutOfRange(let offset): "not usable JSON: the number that ends at byte \(offset) is out of range"
        case .tooDeep: "not usable JSON: nested deeper than \(JSONParser.maximumDepth)"
        }
    }
}

extension JSONValue {
    /// Reads one JSON text; white space around it is allowed. The last of two equal names wins.
    ///
    /// - throws: where it is not JSON (RFC 8259), not UTF-8, nested deeper than 64, or holds a number past `Decimal`.
    package init(parsing bytes: ArraySlice<UInt8>) throws(JSONParseError) {
        var parser = JSONParser(bytes)
        self = try parser.value()
        try parser.end()
    }
}

/// A strict reader of RFC 8259 over bytes.
///
/// Written here because each request passes through it on the server's one thread: `JSONDecoder` needs a type that tries
/// each kind of value in turn, and does not bound what it builds.
package struct JSONParser {
    /// How many arrays and objects may stand inside each other; the parser recurses once for each.
    static let maximumDepth = 64

    let bytes: ArraySlice<UInt8>
    var index: Int
    private var depth = 0

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    var offset: Int { index - bytes.startIndex }

    var unexpected: JSONParseError {
        index < bytes.endIndex ? .unexpected(offset: offset) : .incomplete
    }

    /// The next byte after white space, not taken; `nil` at the end.
    package mutating func peek() -> UInt8? {
        while index < bytes.endIndex {
            let byte = bytes[index]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            index += 1
        }
        return nil
    }

    package mutating func end() throws(JSONParseError) {
        guard peek() == nil else { throw unexpected }
    }

    package mutating func value() throws(JSONParseError) -> JSONValue {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"):
            var members: [String: JSONValue] = [:]
            try object { name, parser throws(JSONParseError) in members[name] = try parser.value() }
            return .object(members)
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            return .number(try number().decimal())
        case .some, nil: throw unexpected
        }
    }

    /// Reads an object; `member` is called after each name, and must read the value.
    package mutating func object(
        _ member: (_ name: String, _ parser: inout JSONParser) throws(JSONParseError) -> Void
    ) throws(JSONParseError) {
        try enter()
        if peek() == UInt8(ascii: "}") { return leave() }
        while true {
            guard peek() == UInt8(ascii: "\"") else { throw unexpected }
            let name = try string()
            guard peek() == UInt8(ascii: ":") else { throw unexpected }
            index += 1
            try member(name, &self)
            let separator = peek()
            if separator == UInt8(ascii: "}") { return leave() }
            guard separator == UInt8(ascii: ",") else { throw unexpected }
            index += 1
        }
    }

    private mutating func array() throws(JSONParseError) -> [JSONValue] {
        try enter()
        var elements: [JSONValue] = []
        if peek() == UInt8(ascii: "]") {
            leave()
            return elements
        }
        while true {
            elements.append(try value())
            let separator = peek()
            if separator == UInt8(ascii: "]") { break }
            guard separator == UInt8(ascii: ",") else { throw unexpected }
            index += 1
        }
        leave()
        return elements
    }

    private mutating func enter() throws(JSONParseError) {
        guard depth < Self.maximumDepth else { throw .tooDeep }
        depth += 1
        index += 1
    }

    private mutating func leave() {
        depth -= 1
        index += 1
    }

    private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONParseError) -> JSONValue {
        for position in 0..<text.utf8CodeUnitCount {
            guard index < bytes.endIndex, bytes[index] == text.utf8Start[position] else { throw unexpected }
            index += 1
        }
        return value
    }
}
