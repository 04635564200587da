package import Arguments
internal import FoundationEssentials
internal import Platform

/// What a command line of `wajub-sandbox` asks for.
package enum SandboxInvocation: Hashable, Sendable {
    case serve(SandboxOptions)
    /// To be told a text, for `--help` and `--version`.
    case tell(String)

    /// Reads the command line.
    ///
    /// - throws: `ArgumentError`, exit code 64.
    package init(arguments: [String]) throws(ArgumentError) {
        let parsed = try SandboxOptions.parser.parse(arguments, environment: [:])
        self =
            if parsed.has("help") {
                .tell(SandboxHelp.text)
            } else if parsed.has("version") {
                .tell("wajub-sandbox \(Version.text)")
            } else {
                .serve(try SandboxOptions(parsed))
            }
    }
}

extension SandboxOptions {
    static let parser = OptionParser([
        .value("port", "N", "The API's port; 0, the default, is any free one."),
        .value("ws-port", "N", "The Pusher server's port; 0, the default, is any free one."),
        .value("speed", "N", "Sandbox seconds in a real second, for every wait and date (1)."),
        .value("seed", "N", "The same tokens and ids in every run."),
        .values("tls", ["CERT", "KEY"], "PEM files: https and wss."),
        .flag("help", "Print this and exit."),
        .flag("version", "Print the version and exit."),
    ])

    init(_ parsed: ParsedOptions) throws(ArgumentError) {
        if let word = parsed.words.first { throw ArgumentError("\(word): no argument is expected") }
        self.init()
        port = try UInt16(parsed.int("port", in: 0...65_535) ?? 0)
        webSocketPort = try UInt16(parsed.int("ws-port", in: 0...65_535) ?? 0)
        speed = try parsed.double("speed", in: 0.001...1_000) ?? 1
        seed = try parsed.int("seed", in: 0...Int.max).map(UInt64.init)
        if let files = parsed.values("tls") {
            let texts = try files.map { (file) throws(ArgumentError) in
                do {
                    return try String(contentsOfFile: file, encoding: .utf8)
                } catch {
                    throw parsed.error("tls", "cannot read \(file)")
                }
            }
            tls = TLSIdentity(certificate: texts[0], key: texts[1])
        }
    }
}
