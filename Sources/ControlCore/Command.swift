internal import Arguments

/// One command of the tool: a row of the table in `Commands.swift`.
struct Command: Sendable {
    let name: String
    /// What follows the name on the command line.
    let words: String
    let summary: String
    let options: [OptionSpec]
    let run: @Sendable (Session) async throws -> ExitStatus

    init(
        _ name: String, _ words: String, _ summary: String, options: [OptionSpec] = [],
        run: @escaping @Sendable (Session) async throws -> ExitStatus
    ) {
        self.name = name
        self.words = words
        self.summary = summary
        self.options = options
        self.run = run
    }
}
