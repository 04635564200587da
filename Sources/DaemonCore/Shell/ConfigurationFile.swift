internal import Arguments
internal import FoundationEssentials

/// The configuration file: `name = value` lines with the names of the flags, `#` for a comment.
enum ConfigurationFile {
    /// The file's text; nil if there is none.
    ///
    /// - throws: when it is there and cannot be read.
    static func read(_ path: String) throws(ArgumentError) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ArgumentError("--config: \(path) cannot be read")
        }
    }

    /// The lines as environment variables, so that they take the place of those that are not set.
    ///
    /// - throws: a line that cannot be understood, by its number.
    static func variables(_ text: String, parser: OptionParser) throws(ArgumentError) -> [String: String] {
        var variables: [String: String] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            guard let equals = content.firstIndex(of: "=") else {
                throw ArgumentError("--config: line \(index + 1) is not name = value")
            }
            let name = trimmed(content[..<equals])
            guard let variable = parser.variable(named: name), name != "config" else {
                throw ArgumentError("--config: line \(index + 1) names no option: \(name)")
            }
            variables[variable] = trimmed(content[content.index(after: equals)...])
        }
        return variables
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0.isWhitespace }
        return String(String(start.reversed().drop { $0.isWhitespace }.reversed()))
    }
}
