internal import Arguments
internal import Platform

/// What a command line asks for.
enum Invocation {
    /// Help or version.
    case text(String)
    case command(Command, (Surroundings) -> Session)

    /// - throws: a line that names the word or option; no part of it is a token.
    init(_ arguments: [String], _ environment: [String: String]) throws(ArgumentError) {
        let variables = ["WAJUBD_SOCKET": environment["WAJUBD_SOCKET"] ?? ""]
        let globals = OptionParser(ControlProgram.globals, variablePrefix: "WAJUBD_")
        let global = try globals.parse(arguments, environment: variables, stopsAtFirstWord: true)
        if global.has("version") {
            self = .text(Self.version)
            return
        }
        var words = global.words
        let wantsHelp = global.has("help") || words.first == "help"
        if words.first == "help" { words.removeFirst() }
        guard let name = words.first else {
            guard wantsHelp else { throw ArgumentError("COMMAND: is missing; see wajubctl --help") }
            self = .text(Self.help(globals))
            return
        }
        guard let command = Commands.all.first(where: { $0.name == name }) else { throw Self.unknown(name) }
        if wantsHelp {
            self = .text(Self.help(of: command))
            return
        }
        // The global options are understood behind the command as well; there they win.
        let parser = OptionParser(command.options + ControlProgram.globals)
        let options = try parser.parse(Array(words.dropFirst()), environment: [:])
        if options.has("help") {
            self = .text(Self.help(of: command))
            return
        }
        if options.has("version") {
            self = .text(Self.version)
            return
        }
        if command.words == nil && !options.words.isEmpty { throw ArgumentError("\(name): takes no words") }
        let (before, behind) = (try global.string("socket"), try options.string("socket"))
        let socket = behind ?? before ?? Self.defaultSocket(environment)
        let isJSON = global.has("json") || options.has("json")
        self = .command(command) { surroundings in
            Session(
                options: options, socket: socket, console: surroundings.console,
                style: Style(isTerminal: surroundings.console.isTerminal, environment: environment), isJSON: isJSON,
                surroundings: surroundings)
        }
    }

    private static func unknown(_ name: String) -> ArgumentError {
        // What is no command may be a token in the wrong place: only a word like ours is repeated.
        let isPlain = name.utf8.count <= 16 && name.allSatisfy { $0.isLowercase || $0 == "-" }
        return ArgumentError((isPlain ? "\(name): " : "") + "no such command; see wajubctl --help")
    }

    private static func defaultSocket(_ environment: [String: String]) -> String {
        let directory = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init) ?? "/run/wajubd"
        return directory + "/wajubd.sock"
    }

    // MARK: Help

    private static var version: String { "wajubctl \(Version.text)\n" }

    private static func help(_ globals: OptionParser) -> String {
        let head = globals.help(
            usage: "wajubctl [OPTION]... COMMAND [WORD]...",
            summary: "Talks to wajubd: hands payments off, waits for their outcome, shows what happened.\n"
                + "PAYMENT is an id (pay_…) or a reference; ref:… is a reference in any case.")
        let commands = Commands.all.map { ([$0.name, $0.words].compactMap(\.self).joined(separator: " "), $0.summary) }
        let codes = ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }
        return head + "\nCommands:\n" + Render.table(commands) + "\nExit codes:\n" + Render.table(codes)
    }

    private static func help(of command: Command) -> String {
        let words = ["wajubctl", command.name, command.words, "[OPTION]..."].compactMap(\.self).joined(separator: " ")
        return OptionParser(command.options + ControlProgram.globals).help(
            usage: words, summary: [command.summary, command.details].joined("\n"))
    }
}
