import JSON
import JSONRPC
import Testing

@testable import ControlCore

/// A payment that asks the payer for one more thing.
func asked(_ kind: String, id: String = "step_1", attempts: Int? = 3, _ more: JSONValue = [:]) -> JSONValue {
    var step: [String: JSONValue] = ["kind": .string(kind), "id": .string(id)]
    step["attempts_left"] = attempts.map { JSONValue(integerLiteral: $0) }
    let base: [String: JSONValue] = ["state": "OTP_REQUIRED", "screen": ["kind": "step", "step": .object(step)]]
    return payment(.object(base.merging(more.object ?? [:]) { $1 }))
}

@Suite("Steps", .timeLimit(.minutes(10)))
struct StepTests {
    private static let kinds: [(kind: String, typed: [String], prompts: [String], fields: JSONValue)] = [
        ("otp", ["1234"], ["Code (not shown; 3 attempts left)"], ["code": "1234"]),
        ("3ds", ["1234"], ["Code (not shown; 3 attempts left)"], ["code": "1234"]),
        ("pin", ["", "99"], Array(repeating: "PIN (not shown; 3 attempts left)", count: 2), ["pin": "99"]),
        ("phone", ["670"], ["Phone number (3 attempts left)"], ["phone": "670"]),
        ("birthday", ["2000-01-31"], ["Birthday, YYYY-MM-DD (3 attempts left)"], ["birthday": "2000-01-31"]),
        (
            "address", ["1 Rue", "Douala", "", "Littoral", "BP 1"],
            ["Address (3 attempts left)", "City", "State or region", "State or region", "Zip code"],
            ["address": "1 Rue", "city": "Douala", "state": "Littoral", "zip_code": "BP 1"]
        ),
    ]

    @Test("verify asks for what the step wants, and shows the payment", arguments: kinds)
    func verify(kind: String, typed: [String], prompts: [String], fields: JSONValue) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": asked(kind)])
            daemon.on("payment.verify", ["payment": payment()])
            let typist = Typist(lines: typed, isTerminal: true)
            let run = await wajubctl("verify", "pay_1", "--socket", daemon.path, typist: typist)
            #expect(run.status == .success)
            #expect(run.lines.first == "payment    pay_1")
            #expect(typist.prompts == prompts)
            #expect(daemon.params(of: "payment.verify") == [["payment": "pay_1", "fields": fields]])
        }
    }

    @Test("a script says the fields, from standard input if it likes, and gets the payment as JSON")
    func script() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": asked("otp")])
            daemon.on("payment.verify", ["payment": payment()])
            let run = await wajubctl(
                "verify", "order-17", "--field", "code=-", "--json", "--socket", daemon.path, typist: Typist("1234"))
            #expect(run.status == .success)
            #expect(run.json == [payment()])
            #expect(run.complaints.isEmpty)
            let params: [String: JSONValue] = ["payment": ["reference": "order-17"], "fields": ["code": "1234"]]
            #expect(daemon.params(of: "payment.verify") == [params])
        }
    }

    @Test(
        "without a terminal the missing field is named",
        arguments: [
            ("otp", "--field code=VALUE: is missing; the payer is asked for a step of the kind otp"),
            ("address", "--field address=VALUE: is missing; the payer is asked for a step of the kind address"),
            ("face", "--field: is missing; the payer is asked for what this version does not know"),
        ])
    func missing(kind: String, complaint: String) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": asked(kind)])
            let run = await wajubctl("verify", "pay_1", "--socket", daemon.path)
            #expect(run.status == .usage)
            #expect(run.complaints == [complaint])
        }
    }

    @Test("a wrong answer keeps the step: the error is shown, and the status is 1")
    func wrong() async throws {
        try await withDaemon { daemon, _ in
            let error: JSONValue = ["code": "invalid_code", "message": "This code is not right."]
            daemon.on("payment.status", ["payment": asked("otp")])
            daemon.on("payment.verify", ["payment": asked("otp", attempts: 2, ["error": error])])
            let run = await wajubctl(
                "verify", "pay_1", "--socket", daemon.path, typist: Typist("1234", isTerminal: true))
            #expect(run.status == .refused)
            #expect(run.lines.contains("error      This code is not right. [invalid_code]"))
        }
    }

    @Test("an error of before is none of a right answer, even where another step follows")
    func staleError() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": asked("pin")])
            daemon.on("payment.verify", ["payment": asked("otp", id: "step_2", ["error": ["code": "declined"]])])
            let run = await wajubctl(
                "verify", "pay_1", "--socket", daemon.path, typist: Typist("1234", isTerminal: true))
            #expect(run.status == .success)
        }
    }

    @Test("a step that failed for good leaves the payment open")
    func expired() async throws {
        try await withDaemon { daemon, _ in
            let error: JSONValue = ["code": "step_expired", "message": "This step has expired."]
            daemon.on("payment.status", ["payment": asked("otp")])
            daemon.on("payment.verify", ["payment": payment(["state": "FAILED", "error": error])])
            let run = await wajubctl(
                "verify", "pay_1", "--field", "code=-", "--socket", daemon.path, typist: Typist("1234"))
            #expect(run.status == .open)
        }
    }

    @Test("verify where nothing is asked for is told, and sends nothing")
    func nothing() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": payment()])
            let run = await wajubctl("verify", "pay_1", "--socket", daemon.path, typist: Typist(isTerminal: true))
            #expect(run.status == .refused)
            #expect(run.complaints == ["the payer is asked for nothing now"])
        }
    }

    @Test(
        "resend, returned and cancel name the payment and show it, its error as well",
        arguments: ["resend", "returned", "cancel"])
    func plain(command: String) async throws {
        try await withDaemon { daemon, _ in
            let error: JSONValue = ["code": "server_error", "message": "Not now."]
            daemon.on("payment." + command, ["payment": payment(["error": error])])
            let run = await wajubctl(command, "order-17", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(run.lines.contains("error      Not now. [server_error]"))
            #expect(daemon.params(of: "payment." + command) == [["payment": ["reference": "order-17"]]])
        }
    }

    @Test("a resend that is too early says when")
    func tooEarly() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.resend") { _, _ in
                let data: JSONValue = ["code": "resend_too_early", "retry_after_seconds": 42]
                return .failure(RPCError(.serverError, "Too early.", data: data))
            }
            let run = await wajubctl("resend", "pay_1", "--socket", daemon.path)
            #expect(run.status == .refused)
            #expect(run.complaints == ["Too early. [resend_too_early, again in 42 s]"])
        }
    }
}
