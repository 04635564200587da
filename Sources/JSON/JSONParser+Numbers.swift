internal import FoundationEssentials

/// A number as it stands in the text.
package struct JSONNumber {
    /// The whole number it is, where it has no fraction, no exponent and at most 18 digits: nearly always.
    package let small: Int?
    /// Where it has no fraction and no exponent.
    package let isInteger: Bool
    package let text: ArraySlice<UInt8>
    /// Where the text ends in the whole, for errors.
    let endOffset: Int
}

extension JSONParser {
    /// Reads a number, at its sign or first digit.
    package mutating func number() throws(JSONParseError) -> JSONNumber {
        let start = index
        let negative = bytes[index] == UInt8(ascii: "-")
        if negative { index += 1 }
        let first = index
        let magnitude = try digits()
        let count = index - first
        // RFC 8259, 6: no leading zeros.
        guard count == 1 || bytes[first] != UInt8(ascii: "0") else { throw .unexpected(offset: offset - count) }
        var isInteger = true
        if index < bytes.endIndex, bytes[index] == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            _ = try digits()
        }
        if index < bytes.endIndex, bytes[index] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            if index < bytes.endIndex, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            _ = try digits()
        }
        let small = isInteger && count <= 18 ? (negative ? -magnitude : magnitude) : nil
        return JSONNumber(small: small, isInteger: isInteger, text: bytes[start..<index], endOffset: offset)
    }

    /// Reads one digit or more. Their value, which means something for 18 of them at most.
    private mutating func digits() throws(JSONParseError) -> Int {
        let start = index
        var value = 0
        while index < bytes.endIndex, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            value = value &* 10 &+ Int(bytes[index] - UInt8(ascii: "0"))
            index += 1
        }
        guard index > start else { throw unexpected }
        return value
    }
}

extension JSONNumber {
    /// The exact value.
    ///
    /// - throws: `numberOutOfRange` where `Decimal` (38 digits, exponents from -128 to 127) would have to round.
    func decimal() throws(JSONParseError) -> Decimal {
        if let small { return Decimal(small) }
        let (digits, exponent) = try scientific()
        guard !digits.isEmpty else { return 0 }
        // `Decimal` holds any 38 digits; the text is rebuilt so that its own parser never meets an absurd exponent.
        guard digits.count <= 38, exponent >= -127, exponent + digits.count <= 127,
            let value = Decimal(string: String(decoding: digits, as: UTF8.self) + "e\(exponent)")
        else { throw .numberOutOfRange(offset: endOffset) }
        return text.first == UInt8(ascii: "-") ? -value : value
    }

    /// The significant digits as one whole number, and the power of ten that it is multiplied with.
    private func scientific() throws(JSONParseError) -> (digits: ArraySlice<UInt8>, exponent: Int) {
        let parts = text.split(maxSplits: 1) { $0 | 0x20 == UInt8(ascii: "e") }
        var exponent = 0
        if parts.count > 1 {
            guard let given = Int(String(decoding: parts[1], as: UTF8.self)), abs(given) < 1_000_000 else {
                throw .numberOutOfRange(offset: endOffset)
            }
            exponent = given
        }
        if let point = parts[0].firstIndex(of: UInt8(ascii: ".")) {
            exponent -= parts[0].endIndex - point - 1
        }
        let isDigit = { (byte: UInt8) in byte != UInt8(ascii: ".") && byte != UInt8(ascii: "-") }
        var digits = parts[0].filter(isDigit).drop { $0 == UInt8(ascii: "0") }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        return (digits, exponent)
    }
}
