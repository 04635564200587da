import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import Synchronization
import Testing

@testable import ControlCore

/// What a test wants the daemon to say; the server around it is the real one.
final class FakeDaemon: RPCHandler {
    typealias Answer = @Sendable (RPCRequest, RPCConnection) async -> RPCOutcome

    private struct State {
        var requests: [RPCRequest] = []
        var answers: [String: Answer] = [:]
    }

    let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    /// All that was asked, in order.
    var requests: [RPCRequest] { state.withLock { $0.requests } }

    /// The params of each call of a method, in order.
    func params(of method: String) -> [[String: JSONValue]] {
        requests.filter { $0.method == method }.map(\.params)
    }

    func on(_ method: String, _ answer: @escaping Answer) {
        state.withLock { $0.answers[method] = answer }
    }

    func on(_ method: String, _ result: JSONValue) {
        on(method) { _, _ in .success(RPCResult(result)) }
    }

    /// Each subscription gets the next of `scripts`: what follows its answer.
    func onSubscribe(lastSeq: Int, lastStored: Int? = nil, _ scripts: [[Notice]]) {
        let rest = Mutex(scripts[...])
        on("events.subscribe") { _, connection in
            let script = rest.withLock { $0.popFirst() } ?? []
            let stored = JSONValue(integerLiteral: lastStored ?? lastSeq)
            let result = RPCResult(["last_seq": JSONValue(integerLiteral: lastSeq), "last_stored_seq": stored]) {
                for notice in script { _ = connection.trySend(notification: notice.line) }
            }
            return .success(result)
        }
    }

    func handleNow(_ request: RPCRequest, on connection: RPCConnection) -> RPCOutcome? {
        state.withLock { $0.requests.append(request) }
        return nil
    }

    func handle(_ request: RPCRequest, on connection: RPCConnection) async -> RPCOutcome {
        guard let answer = state.withLock({ $0.answers[request.method] }) else { return .failure(.methodNotFound) }
        return await answer(request, connection)
    }

    func connectionClosed(_ connection: RPCConnection) {}
}

/// One line that a daemon sends unasked.
enum Notice {
    case event(Int, String, JSONValue = [:])
    case lagged(after: Int)

    var line: [UInt8] {
        switch self {
        case .event(let seq, let kind, let data):
            RPCLine.notification("event", params: eventParams(seq, kind, data).encoded)
        case .lagged(let after):
            RPCLine.notification(
                "events.lagged", params: JSONValue.object(["after": JSONValue(integerLiteral: after)]).encoded)
        }
    }
}

/// An event as the daemon tells it.
func eventParams(_ seq: Int, _ kind: String, _ data: JSONValue = [:]) -> JSONValue {
    [
        "seq": JSONValue(integerLiteral: seq), "at": "2026-12-01T08:15:30.250Z", "payment": "pay_1",
        "event": .string(kind), "data": data,
    ]
}

/// Runs a daemon around `body`, and stops it.
func withDaemon(_ body: (FakeDaemon, RPCServer) async throws -> Void) async throws {
    try await withDirectory { directory in
        let daemon = FakeDaemon(path: directory + "/s")
        let server = try RPCServer(listener: .bind(path: daemon.path, group: nil), handler: daemon)
        async let running: Void = server.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(daemon, server))
        } catch {
            result = .failure(error)
        }
        server.stop(grace: .zero)
        try await running
        try result.get()
    }
}

func withDirectory(_ body: (String) async throws -> Void) async throws {
    var template = Array("/tmp/ctl-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    let directory = String(cString: made)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try await body(directory)
}

/// What a run of the tool left behind.
struct Run {
    let status: ExitCode
    /// All of standard output.
    let output: String
    /// The lines of standard error.
    let complaints: [String]

    var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// The output's lines as JSON; a line that is none as its text.
    var json: [JSONValue] {
        lines.map { (try? JSONValue(parsing: Array($0.utf8)[...])) ?? .string($0) }
    }
}

/// Types lines: at a terminal when it is asked, or into a pipe.
final class Typist: Sendable {
    private let state: Mutex<(lines: ArraySlice<String>, asked: [Question])>
    private let isTerminal: Bool

    private let ends: Bool
    private let thinks: @Sendable () async -> Void

    /// - parameter thinks: what happens between each question and its answer.
    init(
        lines: [String], isTerminal: Bool = false, ends: Bool = false,
        thinks: @escaping @Sendable () async -> Void = {}
    ) {
        state = Mutex((lines[...], []))
        self.isTerminal = isTerminal
        self.ends = ends
        self.thinks = thinks
    }

    convenience init(_ lines: String..., isTerminal: Bool = false) {
        self.init(lines: lines, isTerminal: isTerminal)
    }

    /// A person who ends the input behind this line.
    convenience init(endsAfter line: String) {
        self.init(lines: [line], isTerminal: true, ends: true)
    }

    /// Every question, in order.
    var asked: [Question] { state.withLock { $0.asked } }
    var prompts: [String] { asked.map(\.prompt) }

    /// Of what it was not told to type, a person at a terminal thinks until the question is taken back.
    var input: Input {
        Input(isTerminal: isTerminal) { [self] (question, withdrawal) async throws(ControlFailure) in
            let line = state.withLock { state in
                state.asked.append(question)
                return state.lines.popFirst()
            }
            await thinks()
            if let line { return line }
            guard isTerminal && !ends else { throw LineInput.missing(question, "standard input") }
            await withCheckedContinuation { continuation in withdrawal.onWithdrawn { continuation.resume() } }
            return nil
        }
    }
}

/// Runs the tool as `main` does, with surroundings of the test's own.
func wajubctl(
    _ arguments: String..., environment: [String: String] = [:], isTerminal: Bool = false, secret: String? = nil,
    typist: Typist = Typist(), ticks: @escaping @Sendable () async -> Void? = { nil },
    onOutput: @escaping @Sendable (String) -> Void = { _ in }
) async -> Run {
    await wajubctl(
        words: arguments, environment: environment, isTerminal: isTerminal, secret: secret, typist: typist,
        ticks: ticks, onOutput: onOutput)
}

func wajubctl(
    words: [String], environment: [String: String] = [:], isTerminal: Bool = false, secret: String? = nil,
    typist: Typist = Typist(), ticks: @escaping @Sendable () async -> Void? = { nil },
    patience: @escaping @Sendable () async -> Void = untilCancelled,
    onOutput: @escaping @Sendable (String) -> Void = { _ in }
) async -> Run {
    let written = Mutex((output: "", complaints: [String]()))
    let console = Console(isTerminal: isTerminal) { text in
        written.withLock { $0.output += text }
        onOutput(text)
    } complaint: { text in
        written.withLock { $0.complaints.append(text) }
    }
    let surroundings = Surroundings(
        environment: environment, console: console,
        input: (secret.map { Typist($0) } ?? typist).input, ticks: ticks,
        patience: patience)
    let status = await ControlProgram.run(words, in: surroundings)
    return written.withLock { Run(status: status, output: $0.output, complaints: $0.complaints) }
}

/// A patience that never ends by itself.
let untilCancelled: @Sendable () async -> Void = {
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    withExtendedLifetime(end) {}
}

/// A payment as the daemon shows it.
func payment(_ more: JSONValue = [:]) -> JSONValue {
    let base: [String: JSONValue] = [
        "id": "pay_1", "reference": "order-17", "amount": "15000", "currency": "XAF", "state": "PENDING",
        "method": "mobile_money", "status": "pending", "presentation": 1, "seq": 7,
        "watch": ["active": true, "realtime": "connected", "reads": 3, "signals": 1],
        "advice": ["reason": "Not paid yet."],
    ]
    return .object(base.merging(more.object ?? [:]) { $1 })
}

func settled(_ status: String, seq: Int = 9) -> JSONValue {
    payment([
        "seq": JSONValue(integerLiteral: seq),
        "result": ["status": .string(status), "at": "2026-12-01T08:16:00.000Z"],
    ])
}
