/// A phone number as somebody typed, pasted or scanned it, reduced to its digits.
struct TypedNumber: HidesPhone {
    /// ASCII digits, without `+` or `00`.
    private(set) var digits = ""
    /// Whether it began with `+` or `00`: the dial code is in it.
    private(set) var isInternational = false
    /// Whether there was nothing in it but digits and what people put between them.
    private(set) var isReadable = true

    /// Longer than any number with its prefixes: the rest is not looked at.
    private static let longest = 24

    init(_ text: String) {
        for scalar in text.unicodeScalars where isReadable {
            take(scalar)
        }
        // Also `000`, which some countries dial abroad with; no dial code begins with 0.
        if !isInternational, digits.hasPrefix("00") {
            isInternational = true
            digits = String(digits.drop { $0 == "0" })
        }
    }

    /// Whether nothing was typed: spaces and dashes are nothing.
    var isEmpty: Bool { isReadable && digits.isEmpty }

    /// The same digits, taken to begin with a dial code.
    var dialledAbroad: TypedNumber {
        var number = self
        number.isInternational = true
        return number
    }

    private mutating func take(_ scalar: Unicode.Scalar) {
        if let digit = Self.digit(scalar) {
            digits.unicodeScalars.append(digit)
            isReadable = digits.utf8.count <= Self.longest
        } else if Self.isPlus(scalar) {
            isReadable = digits.isEmpty && !isInternational
            isInternational = true
        } else {
            isReadable = Self.isSeparator(scalar)
        }
    }

    /// The ASCII digit of a decimal digit of any script: Arabic-Indic, Persian, full-width, ….
    private static func digit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
    }

    private static func isPlus(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "+" || scalar == "\u{FF0B}"
    }

    /// Spaces of every width, dashes, dots, slashes, parentheses, and the invisible marks that come along with a paste.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation { return true }
        switch scalar {
        case ".", "/", "(", ")", "\u{B7}", "\u{2212}", "\u{FF08}", "\u{FF09}", "\u{FF0E}", "\u{FF0F}": return true
        default: return scalar.properties.generalCategory == .format
        }
    }
}
