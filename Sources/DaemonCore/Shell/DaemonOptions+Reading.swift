internal import Arguments
internal import Contract
internal import FoundationEssentials
internal import Platform

extension DaemonOptions {
    /// Reads the options; `--help` and `--version` are answered whatever else is wrong.
    ///
    /// - parameter readFile: the text of the configuration file; nil if there is none.
    /// - throws: one line that names the option as it was given: flag, variable, or line of the file (exit code 64).
    static func parse(
        _ arguments: [String], environment: [String: String],
        readFile: (String) throws(ArgumentError) -> String? = ConfigurationFile.read
    ) throws(ArgumentError) -> DaemonOptions {
        let first = try parser.parse(arguments, environment: environment)
        if first.has("help") || first.has("version") {
            let asked = ["help", "version"].filter { first.has($0) }.map { "--" + $0 }
            return try DaemonOptions(try parser.parse(asked, environment: [:]), environment: [:])
        }
        let given = try first.string("config")
        let path = given ?? defaultConfigurationFile
        let text = try readFile(path)
        if given != nil, text == nil { throw first.error("config", "there is no \(path)") }
        let settings = try ConfigurationFile.settings(text ?? "", path: path, parser: parser)
            .filter { environment[$0.key]?.isEmpty ?? true }
        do throws(ArgumentError) {
            let variables = environment.merging(settings.mapValues(\.value)) { $1 }
            return try DaemonOptions(try parser.parse(arguments, environment: variables), environment: environment)
        } catch {
            throw ConfigurationFile.renamed(error, settings)
        }
    }

    private init(_ parsed: ParsedOptions, environment: [String: String]) throws(ArgumentError) {
        if let word = parsed.words.first { throw ArgumentError("\(word): wajubd takes options only; see --help") }
        let runtime = Self.firstDirectory(environment["RUNTIME_DIRECTORY"]) ?? "/run/wajubd"
        let state = Self.firstDirectory(environment["STATE_DIRECTORY"]) ?? "/var/lib/wajubd"
        let origin = try Self.origin(parsed)
        socket = try parsed.string("socket") ?? runtime + "/wajubd.sock"
        stateDirectory = try parsed.string("state-directory") ?? state
        apiOrigin = origin
        caFile = try Self.caFile(parsed)
        realtime = try Self.realtime(parsed)
        language = try Self.language(parsed)
        country = try Self.country(parsed)
        retentionDays = try parsed.int("retention-days", in: 1...36_500) ?? 30
        followUp = .seconds(try parsed.int("follow-up-seconds", in: 0...2_592_000) ?? 0)
        logLevel = try Self.logLevel(parsed)
        speed = try parsed.double("speed", in: 0.001...100_000) ?? 1
        if speed != 1, !origin.isLoopback {
            throw parsed.error("speed", "is for a sandbox on loopback, not for \(origin.text)")
        }
        (isCheck, isVersion, isHelp) = (parsed.has("check"), parsed.has("version"), parsed.has("help"))
    }

    /// systemd separates the directories of a unit by colons; the first is ours.
    private static func firstDirectory(_ list: String?) -> String? {
        list?.split(separator: ":").first.map(String.init)
    }
}

// MARK: Rules of single options

extension DaemonOptions {
    private static func origin(_ parsed: ParsedOptions) throws(ArgumentError) -> APIOrigin {
        let text = try parsed.string("api-origin") ?? "https://api.wajub.com"
        do throws(APIOriginError) {
            return try APIOrigin(text)
        } catch {
            throw parsed.error("api-origin", error.reason)
        }
    }

    private static func caFile(_ parsed: ParsedOptions) throws(ArgumentError) -> String? {
        guard let path = try parsed.string("ca-file") else { return nil }
        var isDirectory = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            throw parsed.error("ca-file", "there is no \(path)")
        }
        guard !isDirectory, FileManager.default.isReadableFile(atPath: path) else {
            throw parsed.error("ca-file", "\(path) cannot be read")
        }
        return path
    }

    private static func realtime(_ parsed: ParsedOptions) throws(ArgumentError) -> PaymentOptions.Realtime {
        guard let text = try parsed.string("realtime") else { return .session }
        if text == "off" { return .off }
        guard let server = PaymentOptions.Realtime(url: text) else {
            throw parsed.error("realtime", "'\(text)' is neither off nor ws[s]://host:port")
        }
        return server
    }

    private static func language(_ parsed: ParsedOptions) throws(ArgumentError) -> Language? {
        guard let text = try parsed.string("locale") else { return nil }
        guard let language = Language(locale: text) else { throw parsed.error("locale", "'\(text)' names no language") }
        return language
    }

    private static func country(_ parsed: ParsedOptions) throws(ArgumentError) -> String? {
        guard let text = try parsed.string("country") else { return nil }
        guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            throw parsed.error("country", "'\(text)' is not two letters")
        }
        return text.uppercased()
    }

    private static func logLevel(_ parsed: ParsedOptions) throws(ArgumentError) -> Log.Level {
        guard let text = try parsed.string("log-level") else { return .notice }
        guard let level = Log.Level.allCases.first(where: { "\($0)" == text }) else {
            throw parsed.error("log-level", "'\(text)' is none of fault, error, notice, info, debug")
        }
        return level
    }
}

extension PaymentOptions.Realtime {
    /// `ws://host:port` or `wss://host:port`; an IPv6 address stands in brackets.
    init?(url: String) {
        let tls = url.hasPrefix("wss://")
        guard tls || url.hasPrefix("ws://"), let authority = Authority(url.dropFirst(tls ? 6 : 5)),
            let port = authority.port
        else { return nil }
        self = .server(host: authority.host, port: port, tls: tls)
    }
}
