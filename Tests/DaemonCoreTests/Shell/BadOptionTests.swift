import Contract
import Testing

@testable import DaemonCore

/// A bad option, and the one line that the daemon says about it.
struct BadOption: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    var environment: [String: String] = [:]
    var file: String?
    let message: String

    var testDescription: String { message }

    static let flags: [BadOption] = [
        BadOption(arguments: ["--sokcet", "x"], message: "--sokcet: no such option; did you mean --socket?"),
        BadOption(arguments: ["--socket"], message: "--socket: PATH is missing"),
        BadOption(arguments: ["--socket="], message: "--socket: the value is empty"),
        BadOption(arguments: ["--check=1"], message: "--check: takes no value"),
        BadOption(arguments: ["serve"], message: "serve: wajubd takes options only; see --help"),
        BadOption(arguments: ["--state-directory="], message: "--state-directory: the value is empty"),
        BadOption(arguments: ["--api-origin", "api.wajub.com"], message: "--api-origin: must begin with https://"),
        BadOption(
            arguments: ["--api-origin", "http://api.wajub.com"],
            message: "--api-origin: must be https, except on loopback"),
        BadOption(
            arguments: ["--api-origin", "http://127.0.0.1.example.com"],
            message: "--api-origin: must be https, except on loopback"),
        BadOption(
            arguments: ["--api-origin", "https://api.wajub.com/v2"],
            message: "--api-origin: must be an origin: a scheme and a host, no path, user or query"),
        BadOption(
            arguments: ["--api-origin", "https://a:0"], message: "--api-origin: names no host, or no usable port"),
        BadOption(arguments: ["--ca-file", "/nowhere.pem"], message: "--ca-file: there is no /nowhere.pem"),
        BadOption(arguments: ["--ca-file", "/etc"], message: "--ca-file: /etc cannot be read"),
        BadOption(arguments: ["--realtime", "on"], message: "--realtime: 'on' is neither off nor ws[s]://host:port"),
        BadOption(arguments: ["--locale", "1"], message: "--locale: '1' names no language"),
        BadOption(arguments: ["--country", "Cameroon"], message: "--country: 'Cameroon' is not two letters"),
        BadOption(arguments: ["--country", "É"], message: "--country: 'É' is not two letters"),
        BadOption(
            arguments: ["--retention-days", "0"], message: "--retention-days: must be from 1 to 36500, not 0"),
        BadOption(arguments: ["--retention-days", "1.5"], message: "--retention-days: '1.5' is not a whole number"),
        BadOption(
            arguments: ["--follow-up-seconds", "-1"], message: "--follow-up-seconds: must be from 0 to 2592000, not -1"),
        BadOption(
            arguments: ["--log-level", "loud"],
            message: "--log-level: 'loud' is none of fault, error, notice, info, debug"),
        BadOption(arguments: ["--speed", "fast"], message: "--speed: 'fast' is not a number"),
        BadOption(
            arguments: ["--speed", "0", "--api-origin", "http://localhost"],
            message: "--speed: must be from 0.001 to 100000.0, not 0.0"),
        BadOption(
            arguments: ["--speed", "2"],
            message: "--speed: is for a sandbox on loopback, not for https://api.wajub.com"),
        BadOption(arguments: ["--config", "/nowhere.conf"], message: "--config: there is no /nowhere.conf"),
    ]

    static let elsewhere: [BadOption] = [
        BadOption(
            arguments: [], environment: ["WAJUBD_COUNTRY": "C"], message: "WAJUBD_COUNTRY: 'C' is not two letters"),
        BadOption(
            arguments: ["--api-origin", "https://a.test"], environment: ["WAJUBD_SPEED": "2"],
            message: "WAJUBD_SPEED: is for a sandbox on loopback, not for https://a.test"),
        BadOption(
            arguments: [], environment: ["WAJUBD_CONFIG": "/nowhere.conf"],
            message: "WAJUBD_CONFIG: there is no /nowhere.conf"),
        BadOption(
            arguments: [], file: "# till 4\n\nlog-level = loud",
            message:
                "/etc/wajubd/wajubd.conf, line 3: log-level: 'loud' is none of fault, error, notice, info, debug"),
        BadOption(
            arguments: [], file: "speed = 2",
            message:
                "/etc/wajubd/wajubd.conf, line 1: speed: is for a sandbox on loopback, not for https://api.wajub.com"),
        BadOption(
            arguments: [], file: "country = CM\nlocale fr",
            message: "/etc/wajubd/wajubd.conf, line 2: is not name = value"),
        BadOption(
            arguments: [], file: "colour = red",
            message: "/etc/wajubd/wajubd.conf, line 1: names no option that a file can set: colour"),
        BadOption(
            arguments: [], file: "help = 1",
            message: "/etc/wajubd/wajubd.conf, line 1: names no option that a file can set: help"),
        BadOption(
            arguments: [], file: "config = /etc/other",
            message: "/etc/wajubd/wajubd.conf, line 1: names no option that a file can set: config"),
        BadOption(
            arguments: [], file: "locale =", message: "/etc/wajubd/wajubd.conf, line 1: locale: the value is empty"),
    ]
}

@Suite("Bad options")
struct BadOptionTests {
    @Test("A bad option is refused with one line that names it as it was given", arguments: BadOption.flags)
    func flag(bad: BadOption) { check(bad) }

    @Test("A bad variable or line of the file is refused under its own name", arguments: BadOption.elsewhere)
    func elsewhere(bad: BadOption) { check(bad) }

    private func check(_ bad: BadOption) {
        let error = #expect(throws: (any Error).self) {
            try DaemonOptions.parse(
                bad.arguments, environment: bad.environment,
                readFile: { $0 == DaemonOptions.defaultConfigurationFile ? bad.file : nil })
        }
        #expect(error.map { "\($0)" } == bad.message)
        #expect(!bad.message.contains("\n"))
    }

    @Test("A bad value that something stronger overrides does no harm")
    func overridden() throws {
        let options = try DaemonOptions.parse(
            ["--country", "CM"], environment: ["WAJUBD_COUNTRY": "?", "WAJUBD_LOCALE": "fr"],
            readFile: { _ in "locale = ?" })
        #expect(options.country == "CM")
        #expect(options.language == .fr)
    }

    @Test(
        "A realtime server is ws or wss, a host and a port, and an IPv6 address stands in brackets",
        arguments: [
            "ws://a", "ws://a:", "ws://:80", "ws://a:0", "ws://a:65536", "ws://a:+80", "ws://a:8 0", "http://a:80",
            "ws://a:80/", "ws://a/b:80", "ws://u@a:80", "ws://a:b:80", "ws://::1:80", "ws://[]:80", "ws://[::1:80",
            "wss://a b:80", "OFF", "wss://[[::1]]:80",
        ])
    func badRealtime(text: String) {
        #expect(PaymentOptions.Realtime(url: text) == nil)
    }

    @Test("A realtime server on an IPv6 address keeps its brackets")
    func addressWithBrackets() {
        #expect(
            PaymentOptions.Realtime(url: "ws://[::1]:8080") == .server(host: "[::1]", port: 8080, tls: false))
    }
}
