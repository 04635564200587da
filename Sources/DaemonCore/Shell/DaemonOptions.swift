internal import Arguments
internal import Contract
internal import Platform

/// The options of the daemon (`protocol.md`, "Options of the daemon"): a flag wins over the environment, the environment
/// over the configuration file, whose lines are `name = value` with the names of the flags.
struct DaemonOptions: Equatable, Sendable {
    /// The path of the socket, where none is passed by socket activation.
    var socket: String
    /// Where the store is.
    var stateDirectory: String
    var apiOrigin: APIOrigin
    /// Certificates to trust in place of the system's; readable when the options were read.
    var caFile: String?
    /// Where realtime comes from, where the till names no server of its own.
    var realtime: PaymentOptions.Realtime
    /// The language of messages where the till names none.
    var language: Language?
    /// The till's country, two capitals.
    var country: String?
    /// How long settled payments are kept.
    var retentionDays: Int
    /// How long reads go on after a watch; zero: not at all.
    var followUp: Duration
    /// What is less important than this is not logged.
    var logLevel: Log.Level
    /// How many times faster than real time the daemon's clock runs; 1 except on loopback.
    var speed: Double
    /// Validate options and store, then exit.
    var isCheck: Bool
    /// Print the version; the other options were not looked at.
    var isVersion: Bool
    /// Print the help; the other options were not looked at.
    var isHelp: Bool

    static let parser = OptionParser(
        [
            .value(
                "socket", "PATH",
                "where the socket is; default $RUNTIME_DIRECTORY/wajubd.sock, else /run/wajubd/wajubd.sock"),
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
            summary: "Takes payments' authorization tokens over a Unix socket, watches the payments, "
                + "and knows how they ended.")
    }
}
