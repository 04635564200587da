import Contract
import Platform
import Testing

@testable import DaemonCore

@Suite("Reading the configuration again")
struct ReloadTests {
    private func reloaded(
        from before: String, to after: String?, arguments: [String] = []
    ) throws -> (old: DaemonOptions, new: ReloadedOptions) {
        let old = try DaemonOptions.parse(arguments, environment: [:], readFile: { _ in before })
        return (old, try old.reloaded(arguments, environment: [:], readFile: { _ in after }))
    }

    @Test("The log level, the retention, the follow-up, the language and the country hold at once")
    func atOnce() throws {
        let (_, new) = try reloaded(
            from: "",
            to: "log-level=debug\nretention-days=7\nfollow-up-seconds=60\nlocale=fr\ncountry=CM")
        #expect(new.options.logLevel == .debug)
        #expect(new.options.retentionDays == 7)
        #expect(new.options.followUp == .seconds(60))
        #expect(new.options.language == .fr)
        #expect(new.options.country == "CM")
        #expect(new.needsRestart == [])
    }

    @Test("Everything else stays as it is and is named as waiting for a restart")
    func needsRestart() throws {
        let (old, new) = try reloaded(
            from: "",
            to: """
                socket = /s
                state-directory = /d
                api-origin = http://127.0.0.1:8080
                ca-file = /etc/passwd
                realtime = off
                speed = 2
                """)
        #expect(new.options == old)
        let names = ["socket", "state-directory", "api-origin", "ca-file", "realtime", "speed"]
        #expect(new.needsRestart == names)
    }

    @Test("A file that says the same changes nothing")
    func same() throws {
        let (old, new) = try reloaded(from: "country=CM\nsocket=/s", to: "socket=/s\ncountry=CM")
        #expect(new == ReloadedOptions(options: old, needsRestart: []))
    }

    @Test("A line that was taken out is the default again, and so is a file")
    func takenOut() throws {
        #expect(try reloaded(from: "log-level=debug", to: "").new.options.logLevel == .notice)
        #expect(try reloaded(from: "log-level=debug", to: nil).new.options.logLevel == .notice)
    }

    @Test("A flag still wins over what the file says now")
    func flagWins() throws {
        let (_, new) = try reloaded(from: "", to: "log-level=debug", arguments: ["--log-level", "error"])
        #expect(new.options.logLevel == .error)
    }

    @Test("A change that waits is still named after another reload, and no more once it is taken back")
    func stillWaiting() throws {
        let (_, new) = try reloaded(from: "", to: "socket=/s\nlocale=fr")
        func again(_ text: String) throws -> ReloadedOptions {
            try new.options.reloaded([], environment: [:], readFile: { _ in text })
        }
        #expect(try again("socket=/s").needsRestart == ["socket"])
        #expect(try again("").needsRestart == [])
    }

    @Test("A file with a fault changes nothing at all, and the line is named")
    func fault() {
        let error = #expect(throws: (any Error).self) {
            try reloaded(from: "", to: "log-level=debug\ncountry=?")
        }
        #expect(error.map { "\($0)" } == "/etc/wajubd/wajubd.conf, line 2: country: '?' is not two letters")
    }
}
