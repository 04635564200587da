internal import Arguments
internal import FoundationEssentials
internal import Glibc
internal import JSONRPC
internal import Platform

/// `wajubctl` from its command line to its exit code.
package enum ControlProgram {
    static let globals = OptionParser(
        [
            .value("socket", "PATH", "the daemon's socket; default /run/wajubd/wajubd.sock"),
            .flag("json", "print the daemon's JSON, one object a line"),
            .flag("version", "print the version", variable: false),
            .flag("help", "print this, or a command's help", variable: false),
        ], variablePrefix: "WAJUBD_")

    /// Runs one command and returns the exit code.
    package static func run(
        _ arguments: [String], environment: [String: String], console: Console,
        readSecret: @escaping @Sendable () -> String? = { SecretInput.read() }
    ) async -> Int32 {
        do {
            return try await start(arguments, environment, console, readSecret).rawValue
        } catch let error as ArgumentError {
            console.complain(error.description)
            return ExitStatus.usage.rawValue
        } catch let error as RPCClientError {
            return explain(error, console).rawValue
        } catch {
            console.complain("\(error)")
            return ExitStatus.refused.rawValue
        }
    }

    private static func start(
        _ arguments: [String], _ environment: [String: String], _ console: Console, _ readSecret: @escaping @Sendable () -> String?
    ) async throws -> ExitStatus {
        let global = try globals.parse(arguments, environment: environment, stopsAtFirstWord: true)
        if global.has("version") {
            console.line("wajubctl \(Version.text)")
            return .success
        }
        guard let name = global.words.first else {
            console.output(help)
            return global.has("help") ? .success : .usage
        }
        guard let command = Commands.all.first(where: { $0.name == name }) else {
            throw ArgumentError("\(name): no such command; see wajubctl --help")
        }
        // The global options are understood behind the command as well.
        let parser = OptionParser(command.options + globals.specs, variablePrefix: "WAJUBD_")
        let options = try parser.parse(Array(global.words.dropFirst()), environment: environment)
        if global.has("help") || options.has("help") {
            console.output(parser.help(usage: "wajubctl \(name) \(command.words) [OPTION]...", summary: command.summary))
            return .success
        }
        let behind = try OptionParser(command.options + globals.specs).parse(Array(global.words.dropFirst()), environment: [:])
        let socket = try behind.string("socket") ?? global.string("socket") ?? defaultSocket(environment)
        let session = Session(
            options: options, client: try RPCClient(path: socket), console: console, readSecret: readSecret,
            isJSON: global.has("json") || options.has("json"))
        defer { session.client.close() }
        return try await command.run(session)
    }

    private static func defaultSocket(_ environment: [String: String]) -> String {
        let directory = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init) ?? "/run/wajubd"
        return directory + "/wajubd.sock"
    }

    /// The text of `--help`: commands, options and exit codes.
    static var help: String {
        let names = Commands.all.map { "  \($0.name) \($0.words)" }
        let width = names.map(\.count).max() ?? 0
        let commands = zip(names, Commands.all).map { "\(Render.padded($0, width))  \($1.summary)" }
        let codes = ExitStatus.allCases.map { "  \(Render.padded("\($0.rawValue)", 4))  \($0.meaning)" }
        let head = globals.help(
            usage: "wajubctl [OPTION]... COMMAND [ARGUMENT]...",
            summary: "Talks to wajubd: hands payments off, waits for their outcome, shows what happened.\n"
                + "PAYMENT is an id (pay_…) or a reference.")
        return head + "\nCommands:\n" + commands.joined(separator: "\n") + "\n\nExit codes:\n" + codes.joined(separator: "\n") + "\n"
    }

    private static func explain(_ error: RPCClientError, _ console: Console) -> ExitStatus {
        switch error {
        case .refused(let refusal):
            let code = refusal.data?["code"]?.string ?? refusal.data?["param"]?.string
            console.complain(refusal.message + (code.map { " [\($0)]" } ?? ""))
            return .refused
        case .unreachable(_, let cause):
            console.complain("\(error)")
            if cause.code == EACCES { console.complain("only members of the group wajub may talk to the daemon") }
            console.complain("see: systemctl status wajubd")
            return .unreachable
        case .connectionLost, .malformedAnswer:
            console.complain("\(error)")
            return .unreachable
        }
    }
}

/// Reads a secret from standard input: one line, unseen on a terminal.
package enum SecretInput {
    package static func read() -> String? {
        var before = termios()
        let isTerminal = tcgetattr(0, &before) == 0
        if isTerminal {
            print("Token: ", terminator: "")
            fflush(nil)
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            tcsetattr(0, TCSAFLUSH, &silent)
        }
        defer {
            if isTerminal {
                tcsetattr(0, TCSAFLUSH, &before)
                print("")
            }
        }
        return readLine()
    }
}
