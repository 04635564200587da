internal import Arguments
internal import JSON
internal import JSONRPC
internal import Synchronization

/// What a command works with: its words and options, the daemon, the console.
final class Session: Sendable {
    let options: ParsedOptions
    let socket: String
    let console: Console
    /// How text for a person is set off.
    let style: Style
    let isJSON: Bool
    /// Returns when a live line is to be drawn again; `nil` when it is not.
    let ticks: @Sendable () async -> Void?
    /// Returns when nobody would wait any longer for a payment to load.
    let patience: @Sendable () async -> Void
    let input: Input
    private let connection = Mutex(RPCClient?.none)

    init(
        options: ParsedOptions, socket: String, console: Console, style: Style, isJSON: Bool, surroundings: Surroundings
    ) {
        self.options = options
        self.socket = socket
        self.console = console
        self.style = style
        self.isJSON = isJSON
        ticks = surroundings.ticks
        patience = surroundings.patience
        input = surroundings.input
    }

    /// The daemon, connected to when it is first needed: what is wrong with the command line is told before.
    func client() throws(RPCClientError) -> RPCClient {
        try connection.withLock { client throws(RPCClientError) in
            if let client { return client }
            let fresh = try RPCClient(path: socket)
            client = fresh
            return fresh
        }
    }

    func call(_ method: String, _ params: [String: JSONValue] = [:]) async throws -> JSONValue {
        try await client().call(method, params)
    }

    func close() {
        connection.withLock { $0 }?.close()
    }
}

// MARK: Words

extension Session {
    private static let token = Question("token", isSecret: true)

    /// The payment that the command's word names, or a token in a file.
    func selector() throws -> JSONValue {
        if let path = try options.string("token-file") {
            guard options.words.isEmpty else { throw ArgumentError("--token-file: PAYMENT is given already") }
            return ["token": .string(try LineInput.file(path, Self.token))]
        }
        return Self.selector(try onlyWord("PAYMENT"))
    }

    /// `pay_…` is the daemon's id; `ref:…`, and whatever else, a reference.
    static func selector(_ word: String) -> JSONValue {
        if word.hasPrefix("pay_") { return .string(word) }
        return ["reference": .string(word.hasPrefix("ref:") ? String(word.dropFirst(4)) : word)]
    }

    /// The token to hand off: from a file, from standard input, or from the command line, where others can see it.
    func tokenToHandOff() async throws -> String {
        if let path = try options.string("token-file") {
            guard options.words.isEmpty else { throw ArgumentError("--token-file: TOKEN is given already") }
            return try LineInput.file(path, Self.token)
        }
        let word = try onlyWord("TOKEN")
        if word == "-" { return try await line(Self.token) }
        console.complaint(
            "warning: every user of this machine can read a token on the command line; use - or --token-file")
        return word
    }

    func onlyWord(_ name: String) throws(ArgumentError) -> String {
        guard let word = options.words.first, !word.isEmpty else { throw ArgumentError("\(name): is missing") }
        // Not repeated: it may be a token.
        guard options.words.count == 1 else { throw ArgumentError("\(name): is one word, not \(options.words.count)") }
        return word
    }
}

// MARK: Answers

extension Session {
    /// Shows a payment: for a person, or as JSON.
    func show(_ payment: JSONValue) {
        if isJSON { return json(payment) }
        Render.payment(payment, style).forEach(console.line)
    }

    /// One JSON value on a line of its own.
    func json(_ value: JSONValue) {
        console.line(String(decoding: value.encoded, as: UTF8.self))
    }

    /// - throws: `badAnswer`, where an answer lacks what the protocol promises.
    static func member(_ name: String, of answer: JSONValue) throws(ControlFailure) -> JSONValue {
        guard let value = answer[name], !value.isNull else {
            throw ControlFailure(
                status: .badAnswer, message: "the daemon's answer has no \(name): is it of another version?")
        }
        return value
    }

    /// Calls a method that answers with a payment.
    func payment(_ method: String, _ params: [String: JSONValue]) async throws -> JSONValue {
        try Self.member("payment", of: try await call(method, params))
    }
}
