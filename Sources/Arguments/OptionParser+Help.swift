extension OptionParser {
    private static let columns = 100
    /// Where the explanations stand at most; an option that reaches further has its own on the next line.
    private static let maximumIndent = 38

    /// The text of `--help`: `usage` and `summary`, then each option with its variable, ending in a newline.
    package func help(usage: String, summary: String) -> String {
        let heads = specs.map { "  " + (["--" + $0.name] + $0.valueNames).joined(separator: " ") + "  " }
        let indent = min(heads.map(\.count).max() ?? 0, Self.maximumIndent)
        var lines = ["Usage: \(usage)", ""] + wrap(summary, to: Self.columns) + ["", "Options:"]
        for (spec, head) in zip(specs, heads) {
            let text = spec.help + (variable(of: spec).map { " [\($0)]" } ?? "")
            let margin = String(repeating: " ", count: indent)
            let texts = wrap(text, to: Self.columns - indent)
            if head.count <= indent {
                lines.append(head + margin.dropFirst(head.count) + texts[0])
                lines += texts.dropFirst().map { margin + $0 }
            } else {
                lines.append(String(head.dropLast(2)))
                lines += texts.map { margin + $0 }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Breaks at spaces; line breaks of the text stay. At least one line.
    private func wrap(_ text: String, to width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph in
            var lines = [""]
            for word in paragraph.split(separator: " ") {
                let last = lines.count - 1
                if lines[last].isEmpty {
                    lines[last] = String(word)
                } else if lines[last].count + 1 + word.count <= width {
                    lines[last] += " " + word
                } else {
                    lines.append(String(word))
                }
            }
            return lines
        }
    }
}
