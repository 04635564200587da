internal import Arguments
internal import JSON
internal import JSONRPC

/// One command of the tool: a row of ``Commands/all``.
struct Command: Sendable {
    let name: String
    /// What follows the name on the command line, for the help; `nil`: nothing does.
    let words: String?
    /// One line.
    let summary: String
    /// What only its own help says.
    let details: String?
    let options: [OptionSpec]
    let run: @Sendable (Session) async throws -> ExitCode

    init(
        _ name: String, words: String? = nil, _ summary: String, details: String? = nil,
        options: [OptionSpec] = [],
        run: @escaping @Sendable (Session) async throws -> ExitCode
    ) {
        self.name = name
        self.words = words
        self.summary = summary
        self.details = details
        self.options = options
        self.run = run
    }

    /// A command that calls one method with a payment, and shows the payment that it answers with.
    ///
    /// - parameter more: the method's other params, of the command's options.
    static func onPayment(
        _ name: String, _ method: String, _ summary: String, options: [OptionSpec] = [],
        more: @escaping @Sendable (ParsedOptions) throws -> [String: JSONValue] = { _ in [:] }
    ) -> Command {
        Command(name, words: "PAYMENT", summary, options: [tokenFile] + options) { session in
            var params = try more(session.options)
            params["payment"] = try session.selector()
            session.show(try await session.payment(method, params))
            return .success
        }
    }
}

// MARK: Options of several commands

extension Command {
    static let tokenFile = OptionSpec.value("token-file", "PATH", "read the payment's token from this file")
    static let timeout = OptionSpec.value("timeout", "SECONDS", "wait no longer than this; default: until the result")
}
