/// What the payer answers a confirmation step with, checked before it is sent. A secret: it prints as a placeholder.
package struct StepFields: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    package let values: [String: String]

    /// - throws: ``FieldRefusal`` for a field that is missing, malformed, or none of the step's.
    package init(_ given: [String: String], for kind: Step.Kind) throws(FieldRefusal) {
        if let stranger = given.keys.filter({ !kind.fields.contains($0) }).min() {
            throw FieldRefusal(stranger, "this step asks for \(kind.fields.joined(separator: ", "))")
        }
        var values: [String: String] = [:]
        for field in kind.fields {
            let text = given[field].map(\.trimmed) ?? ""
            if text.isEmpty { throw FieldRefusal(field, "is required") }
            if let reason = Self.fault(of: text, in: field) { throw FieldRefusal(field, reason) }
            values[field] = text
        }
        self.values = values
    }

    private static func fault(of text: String, in field: String) -> String? {
        switch field {
        case "pin": isDigits(text, 3...12) ? nil : "must be 3 to 12 digits"
        case "phone":
            isDigits(text.drop { $0 == "+" }.filter { !" -.()".contains($0) }, 6...15) ? nil : "must be a phone number"
        case "birthday": isDate(text) ? nil : "must be a date as YYYY-MM-DD"
        default:
            text.count <= 255 && !text.hasControlCharacters
                ? nil : "must have at most 255 characters, none a control character"
        }
    }

    private static func isDigits(_ text: String, _ count: ClosedRange<Int>) -> Bool {
        count.contains(text.utf8.count) && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    }

    private static func isDate(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, isDigits(parts[0], 4...4), isDigits(parts[1], 2...2), isDigits(parts[2], 2...2),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return (1...[31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]).contains(day)
    }

    package var description: String { "step fields" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A field that cannot be sent as it is. Never holds what was typed.
package struct FieldRefusal: Error, Hashable, Sendable {
    package let field: String
    package let reason: String

    package init(_ field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }
}

extension String {
    /// Without white space at either end.
    var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
