internal import JSON
internal import JSONRPC

/// What a person sees: values in, lines out. What is absent or of another kind is left out.
enum Render {
    /// Columns for a help text; each line ends with a line break.
    static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  \(padded($0.0, width))  \($0.1)\n" }.joined()
    }

    /// Labels and what they label, aligned.
    static func labelled(_ rows: [(label: String, text: String?)]) -> [String] {
        let present = rows.compactMap { row in row.text.flatMap { $0.isEmpty ? nil : (row.label, $0) } }
        let width = present.map(\.0.count).max() ?? 0
        return present.map { "\(padded($0.0, width))  \($0.1)" }
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Text of the daemon, or that came through it, fit for a terminal: without what would steer it, on one line.
    static func text(_ value: JSONValue?) -> String? {
        guard let text = value?.string else { return nil }
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: " "
                    case _: scalar
                    }
                }))
    }

    /// Any value on one line.
    static func anything(_ value: JSONValue) -> String {
        text(value) ?? text(.string(String(decoding: value.encoded, as: UTF8.self))) ?? ""
    }

    static func amount(_ value: JSONValue?) -> String? {
        text(value?["amount"]).map { [$0, text(value?["currency"])].joined() }
    }

    /// `4 s`, `14 min 20 s`, `2 h 5 min`, `3 d 4 h`; a started second counts.
    static func duration(_ seconds: Double) -> String {
        let whole = Int(min(max(seconds, 0), 1e12).rounded(.up))
        func pair(_ large: Int, _ largeName: String, _ small: Int, _ smallName: String) -> String {
            small == 0 ? "\(large) \(largeName)" : "\(large) \(largeName) \(small) \(smallName)"
        }
        switch whole {
        case ..<60: return "\(whole) s"
        case ..<3_600: return pair(whole / 60, "min", whole % 60, "s")
        case ..<86_400: return pair(whole / 3_600, "h", whole % 3_600 / 60, "min")
        case _: return pair(whole / 86_400, "d", whole % 86_400 / 3_600, "h")
        }
    }

    /// An RFC 3339 time as it is read: `2026-12-01 08:15:30 UTC`.
    static func time(_ value: JSONValue?) -> String? {
        guard let text = text(value) else { return nil }
        guard text.count >= 19, text.hasSuffix("Z") else { return text }
        return text.prefix(19).replacing(10, with: " ") + " UTC"
    }

    /// The time of day of an RFC 3339 time, with its milliseconds.
    static func timeOfDay(_ value: JSONValue?) -> String {
        String((text(value) ?? "").drop { $0 != "T" }.dropFirst().prefix(12))
    }
}

extension [String?] {
    /// What is there, with `separator` between.
    func joined(_ separator: String = " ") -> String {
        compactMap(\.self).filter { !$0.isEmpty }.joined(separator: separator)
    }
}

extension Substring {
    fileprivate func replacing(_ position: Int, with text: String) -> String {
        prefix(position) + text + dropFirst(position + 1)
    }
}
