extension JSONParser {
    /// Reads a string, at its opening quote.
    package mutating func string() throws(JSONParseError) -> String {
        index += 1
        let start = index
        var union: UInt8 = 0
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let content = bytes[start..<index]
                // Validation is the slow part, and nearly every name and value is ASCII.
                let text = union < 0x80 ? String(decoding: content, as: UTF8.self) : try unicode(content)
                index += 1
                return text
            }
            if byte == UInt8(ascii: "\\") { return try escapedString(from: start) }
            guard byte >= 0x20 else { throw unexpected }
            union |= byte
            index += 1
        }
        throw .incomplete
    }

    /// The rarer kind: the string from `start`, its first backslash at `index`.
    private mutating func escapedString(from start: Int) throws(JSONParseError) -> String {
        var content = Array(bytes[start..<index])
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let text = try unicode(content[...])
                index += 1
                return text
            }
            guard byte >= 0x20 else { throw unexpected }
            index += 1
            if byte == UInt8(ascii: "\\") { try escape(into: &content) } else { content.append(byte) }
        }
        throw .incomplete
    }

    /// Reads what follows a backslash.
    private mutating func escape(into content: inout [UInt8]) throws(JSONParseError) {
        guard index < bytes.endIndex else { throw .incomplete }
        switch bytes[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(bytes[index])
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            index += 1
            content.append(contentsOf: Array(String(try scalar()).utf8))
            return
        default: throw unexpected
        }
        index += 1
    }

    /// Reads the digits of one `\u` escape, or of the two that make a surrogate pair.
    private mutating func scalar() throws(JSONParseError) -> Character {
        var code = UInt32(try hex4())
        if (0xD800..<0xDC00).contains(code) {
            guard index + 1 < bytes.endIndex, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
            else { throw .notUnicode(offset: offset) }
            index += 2
            let low = UInt32(try hex4())
            guard (0xDC00..<0xE000).contains(low) else { throw .notUnicode(offset: offset) }
            code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = Unicode.Scalar(code) else { throw .notUnicode(offset: offset) }
        return Character(scalar)
    }

    private mutating func hex4() throws(JSONParseError) -> UInt16 {
        var code: UInt16 = 0
        for _ in 0..<4 {
            guard index < bytes.endIndex else { throw .incomplete }
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else { throw unexpected }
            code = code << 4 | UInt16(digit)
            index += 1
        }
        return code
    }

    private func unicode(_ content: ArraySlice<UInt8>) throws(JSONParseError) -> String {
        guard let text = String(validating: content, as: UTF8.self) else { throw .notUnicode(offset: offset) }
        return text
    }
}
