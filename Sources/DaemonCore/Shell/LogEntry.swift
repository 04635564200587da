internal import Platform

/// How one line of the log is written down. Whatever the values hold, it stays one line.
enum LogEntry {
    /// The most characters of a value; the rest is cut off, and `…` says so.
    static let longestValue = 2_048

    /// The fields of one journal entry: for a person the message, data included; for `journalctl WAJUB_PAYMENT=…` each
    /// value on its own.
    static func journalFields(
        _ level: Log.Level, _ sentence: StaticString, _ fields: [(String, String)]
    ) -> [String] {
        ["MESSAGE=\(sentence)\(tail(fields))", "PRIORITY=\(priority(level))", "SYSLOG_IDENTIFIER=wajubd"]
            + fields.map { "WAJUB_\($0.0.uppercased())=\(escaped(bounded($0.1)))" }
    }

    /// `level: sentence name=value`, without a line break.
    static func line(_ level: Log.Level, _ sentence: StaticString, _ fields: [(String, String)]) -> String {
        "\(level): \(sentence)\(tail(fields))"
    }

    /// As syslog counts (syslog(3)). A fault is a critical condition; warnings there are none.
    static func priority(_ level: Log.Level) -> Int {
        switch level {
        case .fault: 2
        case .error: 3
        case .notice: 5
        case .info: 6
        case .debug: 7
        }
    }

    private static func tail(_ fields: [(String, String)]) -> String {
        fields.map { " \($0.0)=\(quoted(bounded($0.1)))" }.joined()
    }

    private static func bounded(_ value: String) -> String {
        let start = value.unicodeScalars.prefix(longestValue)
        return start.endIndex == value.unicodeScalars.endIndex ? value : String(start) + "…"
    }

    /// Quotes what is not one plain word, so that names and values can be told apart again.
    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"\\=".utf8.contains($0) }
        return isPlain ? value : "\"" + escaped(value, quotes: true) + "\""
    }

    /// Writes what would break the line, move a terminal's cursor or turn the text around as `\n` or `\u{1B}`.
    private static func escaped(_ value: String, quotes: Bool = false) -> String {
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            switch (scalar, scalar.properties.generalCategory) {
            case ("\n", _): text += "\\n".unicodeScalars
            case ("\r", _): text += "\\r".unicodeScalars
            case ("\t", _): text += "\\t".unicodeScalars
            case ("\"", _) where quotes, ("\\", _) where quotes: text += ["\\", scalar]
            case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator):
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
            case _: text.append(scalar)
            }
        }
        return String(text)
    }
}
