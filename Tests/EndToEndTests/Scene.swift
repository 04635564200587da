import Glibc
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Synchronization
import Testing

/// The real programs, from a till's socket to Wajub's answers. One test at a time: each runs several processes.
@Suite(.serialized, .timeLimit(.minutes(10)))
enum EndToEnd {}

/// One test's programs: a sandbox, and the daemons that the test starts, kills and starts again.
final class Scene: Sendable {
    let stage: Stage
    let sandbox: Sandbox
    private let speed: Int
    private let daemons = Mutex<[ChildProcess]>([])

    private init(stage: Stage, sandbox: Sandbox, speed: Int) {
        (self.stage, self.sandbox, self.speed) = (stage, sandbox, speed)
    }

    /// Runs a test, then stops all programs, removes their directory, and looks for faults in the daemons' logs.
    static func with(speed: Int = 1, _ body: (Scene) async throws -> Void) async throws {
        let stage = try Stage()
        let sandbox = try await stage.startSandbox(["--speed", "\(speed)"])
        try await with(stage, sandbox, speed: speed, body)
    }

    /// The same with a stage that is made up already.
    static func with(_ stage: Stage, _ sandbox: Sandbox, speed: Int, _ body: (Scene) async throws -> Void) async throws
    {
        let scene = Scene(stage: stage, sandbox: sandbox, speed: speed)
        do {
            try await body(scene)
        } catch {
            await scene.close()
            throw error
        }
        await scene.close()
    }

    private func close() async {
        for daemon in daemons.withLock({ $0 }) {
            daemon.signal(SIGTERM)
            await daemon.ended()
            _ = await daemon.errors.first { _ in false }
            let faults = daemon.errors.lines.filter { $0.hasPrefix("fault:") || $0.contains("Fatal error") }
            #expect(faults.isEmpty, "the daemon logged a fault")
        }
        await sandbox.stop()
        #expect(throws: Never.self) { try stage.clear() }
    }

    /// Starts a daemon with all of its log, and waits until it is ready.
    @discardableResult
    func start(
        _ arguments: [String] = [], speed: Int? = nil, log: String = "debug", environment: [String: String] = [:],
        wrapper: [String] = []
    ) async throws -> ChildProcess {
        let daemon = try await stage.startDaemon(
            origin: sandbox.origin, ["--speed", "\(speed ?? self.speed)", "--log-level", log] + arguments,
            environment: environment, wrapper: wrapper)
        daemons.withLock { $0.append(daemon) }
        return daemon
    }

    /// `kill -9`.
    func kill(_ daemon: ChildProcess) async {
        daemon.signal(SIGKILL)
        #expect(await daemon.ended() == .killed(by: SIGKILL))
    }

    /// SIGTERM, which ends in order.
    func stop(_ daemon: ChildProcess) async {
        daemon.signal(SIGTERM)
        #expect(await daemon.ended() == .exited(0))
    }

    /// Waits for a program's end; returns how it ended and all that it said.
    func end(of process: ChildProcess) async -> (ending: ChildProcess.Ending, errors: [String]) {
        let ending = await process.ended()
        _ = await process.errors.first { _ in false }
        return (ending, process.errors.lines)
    }
}

/// An event as the till gets it.
struct TillEvent: Hashable {
    let seq: Int
    let payment: String
    let kind: String
    let data: JSONValue

    init?(_ notification: RPCClient.Notification) {
        guard notification.method == "event", let seq = notification.params["seq"]?.int,
            let payment = notification.params["payment"]?.string, let kind = notification.params["event"]?.string
        else { return nil }
        self.init(seq: seq, payment: payment, kind: kind, data: notification.params["data"] ?? .null)
    }

    private init(seq: Int, payment: String, kind: String, data: JSONValue) {
        (self.seq, self.payment, self.kind, self.data) = (seq, payment, kind, data)
    }
}

extension Scene {
    /// The events after `after`, over a connection of their own, up to the `count`th of this kind.
    func events(after: Int = 0, until kind: String = "complete", count: Int = 1) async throws -> [TillEvent] {
        let till = try stage.till()
        _ = try await till.call("events.subscribe", ["after": JSONValue(integerLiteral: after)])
        var events: [TillEvent] = []
        for await notification in till.notifications {
            events.append(try #require(TillEvent(notification)))
            if events.count(where: { $0.kind == kind }) == count { return events }
        }
        throw Stage.StageError("the stream ended before \(kind): \(events)")
    }
}

extension RPCClient {
    /// Hands a payment off; returns its id.
    @discardableResult
    func watch(_ payment: Sandbox.Payment, _ more: [String: JSONValue] = [:]) async throws -> JSONValue {
        let params: [String: JSONValue] = ["token": .string(payment.token)]
        return try #require(try await call("payment.watch", params.merging(more) { $1 })["payment"]?["id"])
    }

    /// The payment once its result is settled.
    func settled(_ id: JSONValue) async throws -> JSONValue {
        try #require(try await call("payment.wait", ["payment": id])["payment"])
    }

    func status(_ id: JSONValue) async throws -> JSONValue {
        try #require(try await call("payment.status", ["payment": id])["payment"])
    }

    /// The payment after one live read.
    func refreshed(_ id: JSONValue) async throws -> JSONValue {
        try #require(try await call("payment.status", ["payment": id, "refresh": true])["payment"])
    }
}
