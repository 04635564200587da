internal import FoundationEssentials

extension JSONValue {
    /// This value as text: one line, the names of objects sorted.
    package var text: String { String(decoding: encoded, as: UTF8.self) }

    /// This value as one line of JSON, the names of objects sorted.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        write(into: &bytes)
        return bytes
    }

    /// Appends this value as one line of JSON, the names of objects sorted.
    package func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        // JSON has no NaN (RFC 8259, 6).
        case .number(let value): bytes.append(contentsOf: (value.isNaN ? "null" : value.description).utf8)
        case .string(let text): bytes.appendJSON(text)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (position, element) in elements.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (position, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.appendJSON(member.key)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension [UInt8] {
    /// Appends `text` as a JSON string, escaping what must be and nothing else.
    package mutating func appendJSON(_ text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case UInt8(ascii: "\n"): append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\t"): append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                append(contentsOf: (byte < 0x10 ? "\\u000\(digits)" : "\\u00\(digits)").utf8)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
