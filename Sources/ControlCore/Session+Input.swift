internal import Arguments
internal import JSON
internal import JSONRPC

/// What a person or a script types in. None of it is repeated, in no error and no output.
extension Session {
    /// Whether what is missing is asked for; a script is told what is missing instead.
    var canAsk: Bool { input.isTerminal && !isJSON }

    /// The next line of standard input; on a terminal, after the question.
    ///
    /// - throws: `noInput`, also where the line is empty.
    func line(_ question: Question) async throws(ControlFailure) -> String {
        guard let line = try await input.read(question, Withdrawal()), !line.isEmpty else {
            throw LineInput.missing(question, "standard input")
        }
        return line
    }

    /// Asks until there is an answer.
    func ask(_ question: Question) async throws(ControlFailure) -> String {
        while true {
            if let line = try await input.read(question, Withdrawal()), !line.isEmpty { return line }
        }
    }

    /// Asks for one of several things, by its number or a name.
    ///
    /// - parameter names: what else each answers to; its label in any case.
    /// - returns: its position.
    func choose(_ what: String, _ labels: [String], or names: [[String]] = []) async throws(ControlFailure) -> Int {
        let list = labels.enumerated().map { "  \($0.offset + 1)  \(Render.text(.string($0.element)) ?? "")\n" }
        let question = Question(what.lowercased(), prompt: list.joined() + "\(what), 1-\(labels.count)")
        while true {
            let answer = try await ask(question)
            if let number = Int(answer), labels.indices.contains(number - 1) { return number - 1 }
            let known = zip(labels, names.isEmpty ? labels.map { _ in [] } : names).map { [$0] + $1 }
            let wanted = answer.lowercased()
            if let position = known.firstIndex(where: { $0.contains { $0.lowercased() == wanted } }) { return position }
        }
    }

    /// A value of the command line: `-` is the next line of standard input, `@PATH` the first line of a file.
    func personal(_ value: String, _ question: Question) async throws(ControlFailure) -> String {
        if value == "-" { return try await line(question) }
        if value.hasPrefix("@") { return try LineInput.file(String(value.dropFirst()), question) }
        return value
    }

    /// An option with such a value; `nil` where it was not given.
    func personal(option name: String, _ question: Question) async throws -> String? {
        guard let value = try options.string(name) else { return nil }
        return try await personal(value, question)
    }

    /// The `--field NAME=VALUE` of the command line; `VALUE` may be `-` or `@PATH`.
    func fields() async throws -> [String: String] {
        var fields: [String: String] = [:]
        for field in options.values("field") ?? [] {
            // Only a name like ours is repeated: without its `=` it may be the value.
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { throw options.error("field", "is not NAME=VALUE") }
            let (name, value) = (String(parts[0]), String(parts[1]))
            guard !value.isEmpty else { throw options.error("field", "the value is empty") }
            guard fields[name] == nil else { throw options.error("field", "a name is given twice") }
            if PayerField.isSecret(name) && value != "-" && !value.hasPrefix("@") {
                console.complaint(
                    "warning: every user of this machine can read a code on the command line; use --field \(name)=-")
            }
            let question = PayerField.question(name)
            fields[name] = try await personal(value, question)
        }
        return fields
    }
}

// MARK: Options

extension Command {
    static let field = OptionSpec.repeated("field", "NAME=VALUE", "one field that is asked for, as often as needed")

    /// - parameter values: which.
    static func personalHelp(_ values: String) -> String {
        "Every user of the machine can read a command line. So \(values) may be -, which reads the next line of standard "
            + "input, or @PATH, the first line of a file."
    }
}
