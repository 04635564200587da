/// The options of one program or sub-command. Pure: words and environment come in as arguments.
package struct OptionParser: Sendable {
    /// What it understands, in the order of the help.
    package let specs: [OptionSpec]
    /// `WAJUBD_`; `nil`: the environment is not looked at.
    let variablePrefix: String?

    package init(_ specs: [OptionSpec], variablePrefix: String? = nil) {
        precondition(Set(specs.map(\.name)).count == specs.count, "an option is declared twice")
        self.specs = specs
        self.variablePrefix = variablePrefix
    }

    /// Reads a command line, the program's own name left out.
    ///
    /// An option given twice: the last one wins, so that what a unit file says can be overridden behind it; of one that
    /// may be repeated, each counts. An option of the command line wins over the environment; an empty variable counts
    /// as not set. `--` ends the options. A value that begins with `--` is given as `--name=--value`.
    ///
    /// - parameter stopsAtFirstWord: leave everything from the first positional word on alone: a sub-command follows.
    /// - throws: a line that names the option.
    package func parse(
        _ words: [String], environment: [String: String], stopsAtFirstWord: Bool = false
    ) throws(ArgumentError) -> ParsedOptions {
        var parsed = ParsedOptions(specs: specs)
        try readVariables(environment, into: &parsed)
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                parsed.words += rest
                break
            }
            if !word.hasPrefix("-") || word == "-" {
                parsed.words.append(word)
                guard stopsAtFirstWord else { continue }
                parsed.words += rest
                break
            }
            try read(word, &rest, into: &parsed)
        }
        return parsed
    }

    private func read(
        _ word: String, _ rest: inout ArraySlice<String>, into parsed: inout ParsedOptions
    ) throws(ArgumentError) {
        // Only what stands before `=` may be repeated in an error: the rest may be a secret.
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let given = String(parts[0])
        guard let spec = specs.first(where: { "--" + $0.name == given }) else { throw unknown(given) }
        if parts.count > 1 {
            guard spec.valueNames.count == 1 else {
                throw ArgumentError("\(given): takes \(spec.valueNames.isEmpty ? "no value" : "its values as words")")
            }
            return parsed.set(spec, [String(parts[1])], source: given)
        }
        var values: [String] = []
        for valueName in spec.valueNames {
            guard let value = rest.first, !value.hasPrefix("--") else {
                throw ArgumentError("\(given): \(valueName) is missing")
            }
            values.append(value)
            rest.removeFirst()
        }
        parsed.set(spec, values, source: given)
    }

    private func readVariables(
        _ environment: [String: String], into parsed: inout ParsedOptions
    ) throws(ArgumentError) {
        for spec in specs {
            guard let name = variable(of: spec), let value = environment[name], !value.isEmpty else { continue }
            guard spec.valueNames.isEmpty else {
                parsed.set(spec, [value], source: name)
                continue
            }
            switch value.lowercased() {
            case "1", "true", "yes", "on": parsed.set(spec, [], source: name)
            case "0", "false", "no", "off": break
            case _: throw ArgumentError("\(name): must be 1 or 0")
            }
        }
    }

    /// The environment variable that stands in for an option; nil where there is no such option, or no variable for it.
    package func variable(named name: String) -> String? {
        specs.first { $0.name == name }.flatMap(variable(of:))
    }

    /// The environment variable of an option.
    func variable(of spec: OptionSpec) -> String? {
        guard spec.hasVariable, let variablePrefix else { return nil }
        return variablePrefix + String(spec.name.uppercased().map { $0 == "-" ? "_" : $0 })
    }
}

// MARK: Suggestions

extension OptionParser {
    private func unknown(_ given: String) -> ArgumentError {
        let name = String(given.drop { $0 == "-" })
        let ranked = specs.map { (name: $0.name, distance: distance(name, $0.name)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }),
            best.distance <= max(1, best.name.count / 3)
        else { return ArgumentError("\(given): no such option; see --help") }
        return ArgumentError("\(given): no such option; did you mean --\(best.name)?")
    }

    /// How many letters must be put in, taken out or changed; the beginning of a name is one away from it.
    private func distance(_ given: String, _ name: String) -> Int {
        if !given.isEmpty && name.hasPrefix(given) { return 1 }
        let (given, name) = (Array(given.prefix(64)), Array(name))
        var row = Array(0...name.count)
        for (position, letter) in given.enumerated() {
            var diagonal = row[0]
            row[0] = position + 1
            for column in name.indices {
                let changed = diagonal + (name[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[name.count]
    }
}
