internal import Arguments
internal import Contract
internal import FoundationEssentials
internal import Platform
internal import WajubWatch

/// The options of the daemon (`protocol.md`, "Options of the daemon"): a flag wins over the environment, the environment over
/// the configuration file, whose lines are `name = value` with the names of the flags.
struct DaemonOptions: Equatable, Sendable {
    /// Where realtime comes from, for every payment.
    enum RealtimeServer: Equatable, Sendable {
        case session
        case off
        case server(host: String, port: Int, tls: Bool)
    }

    var socket: String
    var stateDirectory: String
    var apiOrigin: String
    var caFile: String?
    var realtime: RealtimeServer
    var language: Language?
    var country: String?
    var retentionDays: Int
    var followUp: Duration
    var logLevel: Log.Level
    var speed: Double
    var isCheck: Bool
    var isVersion: Bool
    var isHelp: Bool

    static let parser = OptionParser(
        [
            .value("socket", "PATH", "where the socket is; default $RUNTIME_DIRECTORY/wajubd.sock, else /run/wajubd/wajubd.sock"),
            .value("state-directory", "DIR", "where the store is; default $STATE_DIRECTORY, else /var/lib/wajubd"),
            .value("api-origin", "URL", "Wajub's API; default https://api.wajub.com; http on loopback only"),
            .value("ca-file", "PEM", "certificates to trust in place of the system's"),
            .value("realtime", "off|URL", "off, or ws[s]://host:port in place of the server that the session names"),
            .value("locale", "LOCALE", "the language of messages where the till names none"),
            .value("country", "CC", "the till's country, two letters"),
            .value("retention-days", "N", "how long settled payments are kept; default 30"),
            .value("follow-up-seconds", "N", "how long reads go on after a watch; default 0: not at all"),
            .value("log-level", "LEVEL", "fault, error, notice, info or debug; default notice"),
            .value("speed", "N", "run the clock N times faster; for sandboxes, with an origin on loopback"),
            .value("config", "PATH", "the configuration file; default /etc/wajubd/wajubd.conf, which may be missing"),
            .flag("check", "validate options and store, then exit", variable: false),
            .flag("version", "print the version", variable: false),
            .flag("help", "print this", variable: false),
        ], variablePrefix: "WAJUBD_")

    static let defaultConfigurationFile = "/etc/wajubd/wajubd.conf"

    /// The text of `--help`.
    static var help: String {
        parser.help(
            usage: "wajubd [OPTION]...",
            summary: "Takes payments' authorization tokens over a Unix socket, watches the payments, and knows how they ended.")
    }

    /// - parameter readFile: the text of a file; nil if there is none.
    /// - throws: one line that names the option.
    static func parse(
        _ arguments: [String], environment: [String: String],
        readFile: (String) throws(ArgumentError) -> String? = ConfigurationFile.read
    ) throws(ArgumentError) -> DaemonOptions {
        let first = try parser.parse(arguments, environment: environment)
        let path = try first.string("config")
        let text = try readFile(path ?? defaultConfigurationFile)
        if let path, text == nil { throw first.error("config", "there is no \(path)") }
        let file = try ConfigurationFile.variables(text ?? "", parser: parser)
        return try DaemonOptions(
            try parser.parse(arguments, environment: file.merging(environment.filter { !$0.value.isEmpty }) { $1 }),
            environment: environment)
    }

    private init(_ parsed: ParsedOptions, environment: [String: String]) throws(ArgumentError) {
        if let word = parsed.words.first { throw ArgumentError("\(word): wajubd takes options only; see --help") }
        let runtime = Self.firstDirectory(environment["RUNTIME_DIRECTORY"]) ?? "/run/wajubd"
        socket = try parsed.string("socket") ?? runtime + "/wajubd.sock"
        stateDirectory =
            try parsed.string("state-directory") ?? Self.firstDirectory(environment["STATE_DIRECTORY"]) ?? "/var/lib/wajubd"
        let origin: APIOrigin
        let originText = try parsed.string("api-origin") ?? "https://api.wajub.com"
        do throws(APIOriginError) {
            origin = try APIOrigin(originText)
        } catch {
            throw parsed.error("api-origin", error.reason)
        }
        apiOrigin = origin.text
        caFile = try parsed.string("ca-file")
        if let caFile, !FileManager.default.isReadableFile(atPath: caFile) {
            throw parsed.error("ca-file", "\(caFile) cannot be read")
        }
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

    private static func firstDirectory(_ list: String?) -> String? {
        list?.split(separator: ":").first.map(String.init)
    }

    private static func realtime(_ parsed: ParsedOptions) throws(ArgumentError) -> RealtimeServer {
        guard let text = try parsed.string("realtime") else { return .session }
        if text == "off" { return .off }
        guard let server = RealtimeServer(url: text) else {
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

extension DaemonOptions.RealtimeServer {
    /// `ws://host:port` or `wss://host:port`.
    init?(url: String) {
        let tls = url.hasPrefix("wss://")
        guard tls || url.hasPrefix("ws://") else { return nil }
        let rest = url.dropFirst(tls ? 6 : 5)
        guard let colon = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        let host = String(rest[..<colon])
        guard HostName.isPlain(host) else { return nil }
        self = .server(host: host, port: port, tls: tls)
    }
}
