internal import Glibc
package import JSON
internal import JSONRPC
package import PlatformTestSupport
internal import Transport

/// A running `wajub-sandbox`, and what a merchant's server and a test say to it.
package final class Sandbox: Sendable {
    package let process: ChildProcess
    package let origin: String
    package let realtime: String
    private let transport: Transport

    init(process: ChildProcess, origin: String, realtime: String, caFile: String? = nil) throws {
        (self.process, self.origin, self.realtime) = (process, origin, realtime)
        transport = try Transport(TransportConfiguration(caFile: caFile, userAgent: "merchant"))
    }

    package func stop() async {
        await transport.shutdown()
        process.signal(SIGTERM)
        await process.ended()
    }

    /// Asks the sandbox something, and returns its JSON whatever the status.
    @discardableResult
    package func ask(_ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
        var headers = [("Authorization", "Bearer sk_test_stage")]
        if body != nil { headers.append(("Content-Type", "application/json")) }
        let answer = await transport.send(
            HTTPRequest(
                method: body == nil ? .get : .post, url: origin + path,
                headers: headers.map { (name: $0.0, value: $0.1) },
                body: body?.encoded, timeout: .seconds(60)))
        return try JSONValue(parsing: try answer.get().body[...])
    }

    /// A payment as a merchant's server makes it.
    package struct Payment: Sendable {
        package let id: String
        package let reference: String
        package let token: String
    }

    /// Makes a payment of 15,000 XAF; `more` adds to the request.
    package func pay(_ more: [String: JSONValue] = [:]) async throws -> Payment {
        let request: [String: JSONValue] = ["amount": 15000, "currency": "XAF"]
        let answer = try await ask("/payments", .object(request.merging(more) { $1 }))
        guard let token = answer["authorization_token"]?.string, let id = answer["transaction"]?["id"]?.string,
            let reference = answer["transaction"]?["reference"]?.string
        else { throw Stage.StageError("the sandbox made no payment") }
        return Payment(id: id, reference: reference, token: token)
    }

    /// Moves a payment as a provider would.
    package func drive(_ payment: Payment, to status: String, _ more: [String: JSONValue] = [:]) async throws {
        let body: [String: JSONValue] = ["status": .string(status)]
        try await ask("/sandbox/payments/\(payment.id)/status", .object(body.merging(more) { $1 }))
    }

    /// Asks for a fault (`protocol.md`, "The sandbox").
    ///
    /// - parameter phase: `before` or `after` Wajub saw the request; nil: as `wajub-sandbox --help` says.
    package func fault(_ fault: JSONValue, on path: String, times: Int? = nil, phase: String? = nil) async throws {
        var body: [String: JSONValue] = ["match": ["path": .string(path)], "fault": fault]
        body["times"] = times.map { JSONValue(integerLiteral: $0) }
        body["phase"] = phase.map(JSONValue.string)
        let answer = try await ask("/sandbox/faults", .object(body))
        guard answer["id"] != nil else { throw Stage.StageError("the sandbox took no fault: \(answer)") }
    }

    /// Lets go what faults hold: late requests arrive, late answers leave.
    package func release() async throws {
        guard try await ask("/sandbox/release", [:])["released"] != nil else {
            throw Stage.StageError("the sandbox released nothing")
        }
    }

    /// The number of the last request that arrived.
    package func lastRequest() async throws -> Int {
        try await ask("/sandbox/log?path=/none")["last"]?.int ?? 0
    }

    /// The requests that arrived after entry `after`, oldest first.
    package func requests(to path: String, after: Int = 0) async throws -> [JSONValue] {
        try await ask("/sandbox/log?path=\(path)&after=\(after)")["requests"]?.array ?? []
    }

    /// Has the realtime server do something (`wajub-sandbox --help`, `POST /sandbox/realtime`).
    package func realtime(_ action: String, _ more: [String: JSONValue] = [:]) async throws {
        let body: [String: JSONValue] = ["action": .string(action)]
        let answer = try await ask("/sandbox/realtime", .object(body.merging(more) { $1 }))
        guard answer["counts"] != nil else {
            throw Stage.StageError("the realtime server did not \(action): \(answer)")
        }
    }

    /// Waits until a request to `path` has arrived that is later than entry `after`; returns the last entry's number.
    @discardableResult
    package func request(to path: String, after: Int = 0) async throws -> Int {
        try await ask("/sandbox/log?path=\(path)&after=\(after)&wait_seconds=86400")["last"]?.int ?? 0
    }

    /// Waits until so many channels are subscribed to.
    package func subscribed(_ count: Int = 1) async throws {
        try await ask("/sandbox/realtime?subscriptions=\(count)&wait_seconds=86400")
    }

    /// Presses a button of the provider's page as the payer does.
    package func press(_ button: Button, _ payment: Payment) async throws {
        // The answer is a page, to which `ask` has nothing to say.
        _ = try await transport.send(
            HTTPRequest(
                method: .post, url: origin + "/pages/\(payment.id)/\(button.rawValue)", timeout: .seconds(60))
        ).get()
    }

    package enum Button: String, Sendable {
        case approve, decline
    }

    /// What the merchant's server sees: the transaction, with `charges`, `attempts`, `idempotency_keys`.
    package func view(_ payment: Payment) async throws -> JSONValue {
        try await ask("/payments/\(payment.id)")["transaction"] ?? .null
    }

    /// How often the payer was charged.
    package func charges(_ payment: Payment) async throws -> Int {
        try await view(payment)["charges"]?.int ?? -1
    }
}
