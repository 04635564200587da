/// One option of a program: `--name`, or `--name VALUE`.
package struct OptionSpec: Sendable {
    /// Without the dashes, in lower case: `api-origin`.
    package let name: String
    /// What stands for each value in the help: `["PATH"]`. Empty: a flag.
    package let valueNames: [String]
    /// One sentence, with the default where there is one.
    package let help: String
    /// Whether an environment variable of the same name stands in: `--api-origin` is `WAJUBD_API_ORIGIN`.
    let hasVariable: Bool
    /// Whether each time it is given adds a value, where otherwise the last one wins.
    let isRepeated: Bool

    private init(_ name: String, _ valueNames: [String], _ help: String, variable: Bool, isRepeated: Bool = false) {
        self.name = name
        self.valueNames = valueNames
        self.help = help
        hasVariable = variable
        self.isRepeated = isRepeated
    }

    /// An option that is there or not. In the environment `1`, `true`, `yes`, `on` and `0`, `false`, `no`, `off` say
    /// which.
    package static func flag(_ name: String, _ help: String, variable: Bool = true) -> OptionSpec {
        OptionSpec(name, [], help, variable: variable)
    }

    /// An option with a value.
    package static func value(
        _ name: String, _ valueName: String, _ help: String, variable: Bool = true
    ) -> OptionSpec {
        OptionSpec(name, [valueName], help, variable: variable)
    }

    /// An option with several values, each a word of its own: `--tls CERT KEY`. No environment variable stands in for
    /// it.
    package static func values(_ name: String, _ valueNames: [String], _ help: String) -> OptionSpec {
        OptionSpec(name, valueNames, help, variable: false)
    }

    /// An option with a value that may be given many times; each counts. No environment variable stands in for it.
    package static func repeated(_ name: String, _ valueName: String, _ help: String) -> OptionSpec {
        OptionSpec(name, [valueName], help, variable: false, isRepeated: true)
    }
}

/// Why a command line is refused: one line that names the option (exit code 64).
package struct ArgumentError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
