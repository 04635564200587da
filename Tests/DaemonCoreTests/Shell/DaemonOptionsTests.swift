import Contract
import Platform
import Testing

@testable import DaemonCore

/// An option, three values of it, and how to look at it.
struct OptionRow: Sendable, CustomTestStringConvertible {
    let name: String
    let standard: String
    let values: [String]
    var others: [String] = []
    let look: @Sendable (DaemonOptions) -> String

    var testDescription: String { name }
    var variable: String { "WAJUBD_" + name.uppercased().replacing("-", with: "_") }

    static let all: [OptionRow] = [
        OptionRow(name: "socket", standard: "/run/wajubd/wajubd.sock", values: ["/a", "/b", "/c"]) { $0.socket },
        OptionRow(name: "state-directory", standard: "/var/lib/wajubd", values: ["/a", "/b", "/c"]) {
            $0.stateDirectory
        },
        OptionRow(
            name: "api-origin", standard: "https://api.wajub.com",
            values: ["https://a.test", "http://127.0.0.1:81", "http://[::1]:82"]
        ) { $0.apiOrigin.text },
        OptionRow(name: "ca-file", standard: "nil", values: ["/etc/passwd", "/etc/group", "/etc/os-release"]) {
            $0.caFile ?? "nil"
        },
        OptionRow(name: "realtime", standard: "session", values: ["off", "ws://a:1", "wss://b:2"]) {
            switch $0.realtime {
            case .session: "session"
            case .off: "off"
            case .server(let host, let port, let tls): "\(tls ? "wss" : "ws")://\(host):\(port)"
            }
        },
        OptionRow(name: "locale", standard: "nil", values: ["en", "fr", "en"]) { $0.language?.rawValue ?? "nil" },
        OptionRow(name: "country", standard: "nil", values: ["CM", "CI", "SN"]) { $0.country ?? "nil" },
        OptionRow(name: "retention-days", standard: "30", values: ["1", "2", "3"]) { "\($0.retentionDays)" },
        OptionRow(name: "follow-up-seconds", standard: "0", values: ["1", "2", "3"]) {
            "\($0.followUp.components.seconds)"
        },
        OptionRow(name: "log-level", standard: "notice", values: ["debug", "info", "fault"]) { "\($0.logLevel)" },
        OptionRow(
            name: "speed", standard: "1.0", values: ["2.0", "3.0", "4.0"],
            others: ["--api-origin", "http://localhost:8080"]
        ) { "\($0.speed)" },
    ]
}

@Suite("Options of the daemon")
struct DaemonOptionsTests {
    @Test(
        "An option that nobody gives is the default; the file wins over it, a variable over the file, a flag over all",
        arguments: OptionRow.all)
    func precedence(row: OptionRow) throws {
        func value(file: String?, variable: String?, flag: String?) throws -> String {
            let options = try DaemonOptions.parse(
                row.others + (flag.map { ["--" + row.name, $0] } ?? []),
                environment: variable.map { [row.variable: $0] } ?? [:],
                readFile: { _ in file.map { "\(row.name) = \($0)\n" } })
            return row.look(options)
        }
        let (first, second, third) = (row.values[0], row.values[1], row.values[2])
        #expect(try value(file: nil, variable: nil, flag: nil) == row.standard)
        #expect(try value(file: first, variable: nil, flag: nil) == first)
        #expect(try value(file: first, variable: second, flag: nil) == second)
        #expect(try value(file: first, variable: nil, flag: third) == third)
        #expect(try value(file: nil, variable: second, flag: third) == third)
        #expect(try value(file: first, variable: second, flag: third) == third)
        #expect(try value(file: first, variable: "", flag: nil) == first)
    }

    @Test("What systemd made is used where no option says otherwise, the first directory of a list")
    func systemdDirectories() throws {
        let environment = ["RUNTIME_DIRECTORY": "/run/till:/run/other", "STATE_DIRECTORY": "/var/lib/till:/srv"]
        let options = try DaemonOptions.parse([], environment: environment, readFile: { _ in nil })
        #expect(options.socket == "/run/till/wajubd.sock")
        #expect(options.stateDirectory == "/var/lib/till")
        let given = try DaemonOptions.parse(
            ["--socket=/s"], environment: environment.merging(["WAJUBD_STATE_DIRECTORY": "/d"]) { $1 },
            readFile: { _ in nil })
        #expect(given.socket == "/s")
        #expect(given.stateDirectory == "/d")
    }

    @Test("Empty variables of systemd count as not set")
    func emptySystemdDirectories() throws {
        let environment = ["RUNTIME_DIRECTORY": "", "STATE_DIRECTORY": ""]
        let options = try DaemonOptions.parse([], environment: environment, readFile: { _ in nil })
        #expect(options.socket == "/run/wajubd/wajubd.sock")
        #expect(options.stateDirectory == "/var/lib/wajubd")
    }

    @Test("A country and a locale are taken as people write them")
    func spelling() throws {
        let options = try DaemonOptions.parse(
            ["--country", "cm", "--locale", "fr_CM.UTF-8"], environment: [:], readFile: { _ in nil })
        #expect(options.country == "CM")
        #expect(options.language == .fr)
    }

    @Test("The help, the version and the check are asked for by flags alone")
    func questions() throws {
        let check = try DaemonOptions.parse(["--check"], environment: [:], readFile: { _ in nil })
        #expect(check.isCheck && !check.isHelp && !check.isVersion)
        let environment = ["WAJUBD_CHECK": "1", "WAJUBD_HELP": "1", "WAJUBD_VERSION": "1"]
        let none = try DaemonOptions.parse([], environment: environment, readFile: { _ in nil })
        #expect(!none.isCheck && !none.isHelp && !none.isVersion)
    }

    @Test("The help and the version are answered whatever else is wrong", arguments: ["--help", "--version"])
    func helpAlways(flag: String) throws {
        let options = try DaemonOptions.parse(
            [flag, "--speed", "x"], environment: ["WAJUBD_LOG_LEVEL": "loud"], readFile: { _ in "nonsense" })
        #expect(options.isHelp == (flag == "--help"))
        #expect(options.isVersion == (flag == "--version"))
    }

    @Test("The help names every option with its variable, in lines of at most 100 columns")
    func help() {
        for row in OptionRow.all {
            #expect(DaemonOptions.help.contains("--\(row.name) "))
            #expect(DaemonOptions.help.contains("[\(row.variable)]") || row.name == "socket")
        }
        for name in ["--config PATH", "--check", "--version", "--help"] {
            #expect(DaemonOptions.help.contains(name))
        }
        #expect(DaemonOptions.help.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }
}
