internal import Arguments
internal import FoundationEssentials
internal import JSONRPC

/// What a command works with: its options, the daemon, the console.
final class Session: Sendable {
    let options: ParsedOptions
    let client: RPCClient
    let console: Console
    let readSecret: @Sendable () -> String?
    let isJSON: Bool

    init(
        options: ParsedOptions, client: RPCClient, console: Console, readSecret: @escaping @Sendable () -> String?, isJSON: Bool
    ) {
        self.options = options
        self.client = client
        self.console = console
        self.readSecret = readSecret
        self.isJSON = isJSON
    }

    /// The payment that the command's word names: an id, a reference, or a token in a file.
    func selector() throws(ArgumentError) -> JSONValue {
        if let path = try options.string("token-file") {
            guard options.words.isEmpty else { throw ArgumentError("--token-file: names a payment already") }
            return ["token": .string(try token(in: path))]
        }
        guard let word = options.words.first else { throw ArgumentError("PAYMENT: is missing") }
        if let stranger = options.words.dropFirst().first { throw ArgumentError("\(stranger): one word too many") }
        if word.hasPrefix("ref:") { return ["reference": .string(String(word.dropFirst(4)))] }
        return word.hasPrefix("pay_") ? .string(word) : ["reference": .string(word)]
    }

    /// The token to hand off: from a file, from standard input for `-`, or from the command line, where others can see it.
    func tokenToHandOff() throws(ArgumentError) -> String {
        if let path = try options.string("token-file") { return try token(in: path) }
        guard let word = options.words.first else { throw ArgumentError("TOKEN: is missing; - reads it from standard input") }
        if let stranger = options.words.dropFirst().first { throw ArgumentError("\(stranger): one word too many") }
        if word == "-" {
            guard let token = readSecret(), !token.isEmpty else { throw ArgumentError("-: there is no token on standard input") }
            return token
        }
        console.complain("warning: a token on the command line is seen by every user of this machine; use - or --token-file")
        return word
    }

    private func token(in path: String) throws(ArgumentError) -> String {
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw ArgumentError("--token-file: \(path) cannot be read")
        }
        guard let line = text.split(whereSeparator: \.isNewline).first else {
            throw ArgumentError("--token-file: \(path) is empty")
        }
        return String(line)
    }

    /// Shows a payment: for a person, or as JSON.
    func show(_ payment: JSONValue) {
        if isJSON { return json(payment) }
        Render.payment(payment).forEach(console.line)
    }

    func json(_ value: JSONValue) {
        console.line(String(decoding: value.encoded, as: UTF8.self))
    }
}
