import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

/// Paying with the real programs: five lanes beside each other, each with one test at a time.
@Suite(.timeLimit(.minutes(10)))
enum Paying {
    /// What gets lost between the daemon and Wajub.
    @Suite(.serialized) enum Outages {}
    /// What passes with time alone.
    @Suite(.serialized) enum Waits {}
    /// What is left of a killed daemon, and what is left of the payer's data.
    @Suite(.serialized) enum Kills {}
    /// What Wajub answers, and what it is told.
    @Suite(.serialized) enum Answers {}
    /// What payers and cashiers do.
    @Suite(.serialized) enum Hands {}
}

/// A payment that was handed off and has loaded: ready for Pay.
struct Checkout: Sendable {
    let scene: Scene
    let daemon: ChildProcess
    let till: RPCClient
    let payment: Sandbox.Payment
    let id: JSONValue

    /// A number of MTN Cameroon; its last six digits choose the outcome (`wajub-sandbox --help`).
    static func number(_ outcome: String = "000000") -> [String: JSONValue] {
        ["mobile_money": ["phone": .string("+237670" + outcome), "country": "CM"]]
    }

    static func card(_ number: String = "4242424242424242") -> [String: JSONValue] {
        ["card": ["fields": ["number": .string(number)]]]
    }

    /// Asks for something about the payment; returns the payment.
    @discardableResult
    func ask(_ method: String, _ params: [String: JSONValue] = [:]) async throws -> JSONValue {
        let answer = try await till.call("payment.\(method)", params.merging(["payment": id]) { $1 })
        return try #require(answer["payment"])
    }

    @discardableResult
    func pay(_ means: [String: JSONValue] = number()) async throws -> JSONValue {
        try await ask("pay", means)
    }

    @discardableResult
    func verify(_ fields: [String: JSONValue]) async throws -> JSONValue {
        try await ask("verify", ["fields": .object(fields)])
    }

    func status() async throws -> JSONValue { try await till.status(id) }

    func settled() async throws -> JSONValue { try await till.settled(id) }

    /// The error that something is refused with.
    func refusal(_ method: String, _ params: [String: JSONValue] = [:]) async throws -> RPCError {
        do {
            let payment = try await ask(method, params)
            throw Stage.StageError("\(method) was not refused: \(payment)")
        } catch RPCClientError.refused(let error) {
            return error
        }
    }

    /// `kill -9`, then whatever happens meanwhile, then another daemon on the same store.
    func restarted(_ meanwhile: () async throws -> Void = {}) async throws -> Checkout {
        await scene.kill(daemon)
        try await meanwhile()
        let next = try await scene.start()
        return Checkout(scene: scene, daemon: next, till: try scene.stage.till(), payment: payment, id: id)
    }

    /// Takes the payment to its end as a cashier does: waits, and presses Pay again where it opened again.
    @discardableResult
    func finish(after seq: Int = 0) async throws -> JSONValue {
        let last = try await scene.events(after: seq) { $0.kind == "complete" || $0.isNetworkError }.last
        if last?.isNetworkError == true { try await pay() }
        return try await settled()
    }

    // MARK: What is true of every rehearsal

    /// The payment requests that arrived.
    func requests() async throws -> [JSONValue] { try await scene.sandbox.requests(to: "/pay/process") }

    /// Paid, once, and never called failed on the way.
    func expectPaidOnce(keys: Int = 1) async throws {
        let settled = try await settled()
        #expect(settled["result"]?["status"] == "complete")
        #expect(settled["attempt"]?["undecided"] == false)
        let view = try await scene.sandbox.view(payment)
        #expect(view["charges"] == 1)
        #expect(view["idempotency_keys"]?.int == keys)
        let events = try await scene.events()
        #expect(events.map(\.seq) == Array(1...events.count))
        #expect(events.count { $0.kind == "complete" } == 1)
        if keys == 1 { #expect(!events.contains { $0.state == "FAILED" }) }
    }

    /// However often it was sent, it was one request: the same key and the same bytes.
    func expectOneRequest(tries: Int? = nil) async throws {
        let requests = try await requests()
        #expect(Set(requests.map { $0["idempotency_key"] }).count == 1)
        #expect(Set(requests.map { $0["body_digest"] }).count == 1)
        if let tries { #expect(requests.count == tries) }
    }
}

extension Scene {
    /// Starts a daemon and has it load a payment with these terms (`wajub-sandbox --help`), up to its first read.
    func checkout(_ terms: [String: JSONValue] = [:], _ arguments: [String] = []) async throws -> Checkout {
        let daemon = try await start(arguments)
        return try await checkout(terms, of: daemon)
    }

    /// The same with a daemon that runs already.
    func checkout(_ terms: [String: JSONValue] = [:], of daemon: ChildProcess) async throws -> Checkout {
        let payment = try await sandbox.pay(terms)
        let till = try stage.till()
        let id = try await till.watch(payment)
        _ = try await events { $0.kind == "ready" && $0.payment == id.string }
        _ = try await till.refreshed(id)
        return Checkout(scene: self, daemon: daemon, till: till, payment: payment, id: id)
    }

    /// The events after `after`, over a connection of their own, up to the first that is the last.
    func events(after: Int = 0, until isLast: (TillEvent) -> Bool) async throws -> [TillEvent] {
        let till = try stage.till()
        _ = try await till.call("events.subscribe", ["after": JSONValue(integerLiteral: after)])
        var events: [TillEvent] = []
        for await notification in till.notifications {
            let event = try #require(TillEvent(notification))
            events.append(event)
            if isLast(event) { return events }
        }
        throw Stage.StageError("the stream ended: \(events)")
    }

    /// Waits until the payment is in a state; returns that event.
    @discardableResult
    func reached(_ state: String, after: Int = 0) async throws -> TillEvent {
        try #require(try await events(after: after) { $0.state == state }.last)
    }
}

extension TillEvent {
    /// The state that the event tells.
    var state: String? { kind == "state" ? data["state"]?.string : nil }

    /// Pay is open again after 60 s of silence.
    var isNetworkError: Bool { kind == "error" && data["code"] == "network_error" }
}
