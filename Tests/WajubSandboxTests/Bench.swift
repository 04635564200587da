import Contract
import FoundationEssentials
import JSON
import WajubSandbox

/// A sandbox without sockets, on a clock that moves when a test says so.
struct Bench {
    static let start = Instant(nanoseconds: 1_000_000_000_000)
    static let wall = Date(timeIntervalSince1970: 1_800_000_000)

    var core: SandboxCore
    var now = start

    init(seed: UInt64 = 1) {
        core = SandboxCore(seed: seed, clock: SandboxClock(start: Self.start, wall: Self.wall))
    }

    mutating func receive(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, query: [String: String] = [:],
        _ body: JSONValue? = nil
    ) -> SandboxCore.Reception {
        var headers: [String: String] = [:]
        headers["authorization"] = token.map { "Bearer \($0)" }
        headers["idempotency-key"] = key
        return core.receive(
            SandboxRequest(
                method: method, path: path, query: query, headers: headers, body: body?.encoded ?? []
            ),
            at: now)
    }

    /// The answer; an empty one with status 0 when there is none now.
    mutating func ask(
        _ method: String, _ path: String, token: String? = nil, key: String? = nil, query: [String: String] = [:],
        _ body: JSONValue? = nil
    ) -> SandboxAnswer {
        guard case .deliver(.answer(let answer)) = receive(method, path, token: token, key: key, query: query, body)
        else { return SandboxAnswer(status: 0, json: [:]) }
        return answer
    }

    mutating func advance(_ seconds: Double) {
        now = now + .seconds(seconds)
        core.advance(to: now)
    }

    /// What is due by now and what was decided before.
    mutating func outputs() -> [SandboxCore.Output] {
        core.advance(to: now)
        return core.takeOutputs()
    }

    mutating func create(_ extras: JSONValue = [:]) -> (id: String, token: String, reference: String) {
        let body = JSONValue.object(["amount": 1500, "currency": "XAF"]).merging(extras)
        let json = ask("POST", "/payments", token: "sk_test_bench", body).json
        return (
            json?["transaction"]?["id"]?.string ?? "", json?["authorization_token"]?.string ?? "",
            json?["transaction"]?["reference"]?.string ?? ""
        )
    }

    mutating func pay(_ token: String, _ phone: String = "+237670000000", key: String = "key") -> SandboxAnswer {
        ask("POST", "/pay/process", token: token, key: key, Self.mobileMoney(phone))
    }

    static func mobileMoney(_ phone: String) -> JSONValue {
        ["channel": "cm.mobile", "data": ["phone": .string(phone), "country": "CM"]]
    }

    mutating func status(_ token: String) -> JSONValue {
        ask("GET", "/pay/status", token: token).json ?? [:]
    }

    mutating func merchantView(_ id: String) -> JSONValue {
        ask("GET", "/payments/\(id)", token: "sk_test_bench").json?["transaction"] ?? [:]
    }
}
