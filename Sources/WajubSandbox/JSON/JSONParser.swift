/// A text that is no JSON, or nests deeper than ``JSONParser`` allows.
package struct JSONSyntaxError: Error, Hashable {
    /// The offending byte's offset.
    package let offset: Int
}

extension JSON {
    /// Parses one JSON text (RFC 8259).
    ///
    /// - throws: ``JSONSyntaxError``.
    package init(parsing bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes: Array(bytes))
        self = try parser.document()
    }
}

/// A recursive descent over bytes that keeps the text of numbers; FoundationEssentials has none that does.
struct JSONParser {
    private static let deepest = 32
    private let bytes: [UInt8]
    private var offset = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func document() throws(JSONSyntaxError) -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard offset == bytes.count else { throw error }
        return value
    }

    private var error: JSONSyntaxError { JSONSyntaxError(offset: offset) }
    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        offset += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSON {
        guard depth < Self.deepest else { throw error }
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try quoted())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ text: String, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        guard bytes[offset...].starts(with: text.utf8) else { throw error }
        offset += text.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSON {
        offset += 1
        var object: [String: JSON] = [:]
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(object) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error }
            let key = try quoted()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error }
            object[key] = try value(depth: depth + 1)
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(object) }
            guard take(UInt8(ascii: ",")) else { throw error }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSON {
        offset += 1
        var items: [JSON] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .array(items) }
        while true {
            items.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .array(items) }
            guard take(UInt8(ascii: ",")) else { throw error }
        }
    }

    private mutating func number() throws(JSONSyntaxError) -> JSON {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        let leadingZero = next == UInt8(ascii: "0")
        let whole = digits()
        guard whole == 1 || (whole > 1 && !leadingZero) else { throw error }
        if take(UInt8(ascii: ".")) {
            guard digits() > 0 else { throw error }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "-")) { _ = take(UInt8(ascii: "+")) }
            guard digits() > 0 else { throw error }
        }
        return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func digits() -> Int {
        let start = offset
        while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
        return offset - start
    }

    private mutating func quoted() throws(JSONSyntaxError) -> String {
        offset += 1
        var text: [UInt8] = []
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw error }
                return string
            case UInt8(ascii: "\\"): text += Array(String(try escaped()).utf8)
            case 0..<0x20: throw error
            default: text.append(byte)
            }
        }
        throw error
    }

    private mutating func escaped() throws(JSONSyntaxError) -> Unicode.Scalar {
        guard let byte = next else { throw error }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try codePoint()
        default: throw error
        }
    }

    private mutating func codePoint() throws(JSONSyntaxError) -> Unicode.Scalar {
        let high = try fourDigits()
        if let scalar = Unicode.Scalar(high) { return scalar }
        guard (0xD800...0xDBFF).contains(high), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error }
        let low = try fourDigits()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        else { throw error }
        return scalar
    }

    private mutating func fourDigits() throws(JSONSyntaxError) -> UInt32 {
        guard offset + 4 <= bytes.count,
            let value = UInt32(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
        else { throw error }
        offset += 4
        return value
    }
}
