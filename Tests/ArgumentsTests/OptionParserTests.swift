import Arguments
import Testing

private enum Level: String, CaseIterable { case fault, error, notice }

private let parser = OptionParser(
    [
        .value("socket", "PATH", "where the socket is"), .value("api-origin", "URL", "where Wajub is"),
        .value("speed", "N", "how fast time runs"), .value("retention-days", "N", "how long payments are kept"),
        .value("log-level", "LEVEL", "what is logged"), .flag("check", "look, and end"),
        .values("tls", ["CERT", "KEY"], "serve TLS"),
        .repeated("field", "NAME=VALUE", "one more field"), .flag("help", "this text", variable: false),
    ], variablePrefix: "WAJUBD_")

private func parse(_ words: [String], _ environment: [String: String] = [:]) throws -> ParsedOptions {
    try parser.parse(words, environment: environment)
}

private func failure(_ words: [String], _ environment: [String: String] = [:]) -> String? {
    do throws(ArgumentError) {
        _ = try parser.parse(words, environment: environment)
        return nil
    } catch {
        return error.description
    }
}

@Suite("Command lines")
struct OptionParserTests {
    @Test(
        "a value follows its option, as a word or behind an equals sign",
        arguments: [
            ["--socket", "/a"], ["--socket=/a"], ["--check", "--socket", "/a", "--speed", "2"],
        ])
    func values(_ words: [String]) throws {
        #expect(try parse(words).string("socket") == "/a")
    }

    @Test("a value behind an equals sign may begin with dashes and hold equals signs")
    func equals() throws {
        #expect(try parse(["--socket=--a=b"]).string("socket") == "--a=b")
    }

    @Test("an option that was not given has no value")
    func absent() throws {
        let options = try parse([])
        #expect(try options.string("socket") == nil)
        #expect(try options.int("retention-days", in: 1...9) == nil)
        #expect(!options.has("check"))
        #expect(options.words.isEmpty)
    }

    @Test("the last of an option given twice wins")
    func twice() throws {
        #expect(try parse(["--speed=1", "--speed", "3"]).string("speed") == "3")
    }

    @Test("an option that may be repeated keeps every value, in order")
    func repeated() throws {
        let options = try parse(["--field", "a=1", "--check", "--field=b=2=3", "--field", "a=1"])
        #expect(options.values("field") == ["a=1", "b=2=3", "a=1"])
        #expect(try parse([]).values("field") == nil)
    }

    @Test("words are kept in order, a single dash is one, and everything behind two dashes is")
    func words() throws {
        #expect(try parse(["a", "--check", "-", "--", "--speed", "--"]).words == ["a", "-", "--speed", "--"])
    }

    @Test("reading stops at a sub-command when asked to")
    func subcommand() throws {
        let options = try parser.parse(["--speed", "2", "pay", "--phone"], environment: [:], stopsAtFirstWord: true)
        #expect(options.words == ["pay", "--phone"])
        #expect(options.has("speed"))
    }

    @Test("an option takes as many words as it has values")
    func severalValues() throws {
        #expect(try parse(["--tls", "c", "k", "w"]).values("tls") == ["c", "k"])
        #expect(failure(["--tls", "c"]) == "--tls: KEY is missing")
        #expect(failure(["--tls=c"]) == "--tls: takes its values as words")
    }

    @Test(
        "a refusal is one line that names the option",
        arguments: [
            (["--socket"], "--socket: PATH is missing"), (["--socket", "--check"], "--socket: PATH is missing"),
            (["--check=1"], "--check: takes no value"), (["--colour"], "--colour: no such option; see --help"),
            (["--sokcet", "/a"], "--sokcet: no such option; did you mean --socket?"),
            (["-socket"], "-socket: no such option; did you mean --socket?"),
            (["--api"], "--api: no such option; did you mean --api-origin?"),
            (["-h"], "-h: no such option; did you mean --help?"),
            (["--tokn=secret"], "--tokn: no such option; see --help"),
        ])
    func refusals(_ words: [String], _ message: String) {
        #expect(failure(words) == message)
    }
}

@Suite("Environment of a command line")
struct OptionVariableTests {
    @Test("a variable stands in for an option, and the option wins")
    func variable() throws {
        let environment = ["WAJUBD_API_ORIGIN": "http://a", "WAJUBD_SPEED": "2"]
        let options = try parse(["--speed", "4"], environment)
        #expect(try options.string("api-origin") == "http://a")
        #expect(try options.string("speed") == "4")
    }

    @Test("an empty variable counts as not set")
    func empty() throws {
        #expect(!(try parse([], ["WAJUBD_SOCKET": "", "WAJUBD_CHECK": ""]).has("socket")))
    }

    @Test("a flag's variable says yes or no", arguments: [("1", true), ("YES", true), ("0", false), ("off", false)])
    func flag(_ value: String, _ isSet: Bool) throws {
        #expect(try parse([], ["WAJUBD_CHECK": value]).has("check") == isSet)
    }

    @Test("a refused variable is called by its own name")
    func refused() throws {
        #expect(failure([], ["WAJUBD_CHECK": "perhaps"]) == "WAJUBD_CHECK: must be 1 or 0")
        let options = try parse([], ["WAJUBD_SPEED": "x"])
        #expect(throws: ArgumentError("WAJUBD_SPEED: 'x' is not a number")) { try options.double("speed", in: 1...9) }
    }

    @Test("options without a variable, and parsers without a prefix, do not look")
    func none() throws {
        #expect(!(try parse([], ["WAJUBD_HELP": "1"]).has("help")))
        let blind = OptionParser([.flag("check", "")])
        #expect(!(try blind.parse([], environment: ["CHECK": "1"]).has("check")))
    }
}

@Suite("Values of options")
struct ParsedOptionsTests {
    @Test("numbers and choices are read")
    func read() throws {
        let options = try parse(["--speed=2.5", "--retention-days", "30", "--log-level=notice"])
        #expect(try options.double("speed", in: 1...9) == 2.5)
        #expect(try options.int("retention-days", in: 1...99) == 30)
        #expect(try options.choice("log-level", of: Level.self) == .notice)
    }

    @Test("what is no number, or outside its range, is refused by name")
    func numbers() throws {
        let options = try parse(["--speed", "x", "--retention-days=0"])
        #expect(throws: ArgumentError("--speed: 'x' is not a number")) { try options.double("speed", in: 1...9) }
        #expect(throws: ArgumentError("--speed: 'x' is not a whole number")) { try options.int("speed", in: 1...9) }
        #expect(throws: ArgumentError("--retention-days: must be from 1 to 9, not 0")) {
            try options.int("retention-days", in: 1...9)
        }
        #expect(throws: ArgumentError("--retention-days: must be at least 1, not 0")) {
            try options.int("retention-days", in: 1...Int.max)
        }
    }

    @Test("infinity and not-a-number are no numbers", arguments: ["nan", "inf", "1e999", ""])
    func notFinite(_ text: String) throws {
        let options = try parse(["--speed=" + text])
        #expect(throws: ArgumentError.self) { try options.double("speed", in: 0...(.greatestFiniteMagnitude)) }
    }

    @Test("a choice that is none lists what there is")
    func choice() throws {
        let options = try parse(["--log-level", "loud"])
        #expect(throws: ArgumentError("--log-level: 'loud' is none of fault, error, notice")) {
            try options.choice("log-level", of: Level.self)
        }
    }

    @Test("an empty value is refused")
    func empty() throws {
        let options = try parse(["--socket="])
        #expect(throws: ArgumentError("--socket: the value is empty")) { try options.string("socket") }
    }
}

@Suite("Help of a command line")
struct OptionHelpTests {
    @Test("each option stands with its values, its sentence and its variable, within 100 columns")
    func help() {
        let long = OptionParser(
            [
                .value("a", "N", Array(repeating: "word", count: 40).joined(separator: " ")),
                .value("a-very-long-name-of-an-option-indeed", "VALUE", "short"),
                .flag("help", "this", variable: false),
            ], variablePrefix: "P_")
        let text = long.help(usage: "p [options]", summary: "Does a thing.")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(text.hasPrefix("Usage: p [options]\n\nDoes a thing.\n\nOptions:\n  --a N "))
        #expect(lines.allSatisfy { $0.count <= 100 })
        #expect(text.contains("[P_A]"))
        #expect(text.contains("\n  --a-very-long-name-of-an-option-indeed VALUE\n"))
        #expect(text.contains("short [P_A_VERY_LONG_NAME_OF_AN_OPTION_INDEED]\n"))
        #expect(text.hasSuffix(" this\n"))
    }
}
