import JSON
import JSONRPC
import StageSupport
import Testing

/// A way in which the answer to a payment request gets lost.
struct LostAnswer: CustomTestStringConvertible, Sendable {
    let name: String
    let fault: JSONValue
    /// Whether Wajub saw the request all the same.
    var arrived = false
    var times = 1
    /// How often the request leaves; nil where that hangs on which of two comes first.
    var tries: Int? = 2
    /// How long the provider takes; longer than the tries.
    var settles = 12

    var testDescription: String { "\(name)\(arrived ? ", after it arrived" : "")\(times > 1 ? ", twice" : "")" }

    private static let running: JSONValue = [
        "status": 409, "error_code": "payment_in_progress", "errors": ["idempotency_key": ["It is still running."]],
    ]

    static let all = [
        LostAnswer(name: "a dropped connection", fault: ["drop": true]),
        LostAnswer(name: "a dropped connection", fault: ["drop": true], times: 2, tries: 3),
        LostAnswer(name: "a dropped connection", fault: ["drop": true], arrived: true),
        LostAnswer(name: "a dropped connection", fault: ["drop": true], arrived: true, times: 2, tries: 3),
        LostAnswer(name: "502", fault: ["status": 502]),
        LostAnswer(name: "502", fault: ["status": 502], arrived: true),
        LostAnswer(name: "503", fault: ["status": 503]),
        LostAnswer(name: "503 with Retry-After", fault: ["status": 503, "retry_after": 2], times: 2, tries: 3),
        LostAnswer(name: "504", fault: ["status": 504]),
        LostAnswer(name: "504", fault: ["status": 504], arrived: true),
        LostAnswer(name: "a proxy's page", fault: ["status": 502, "html": "<h1>Bad Gateway</h1>"], arrived: true),
        LostAnswer(name: "a captive portal's page", fault: ["html": true]),
        LostAnswer(name: "a captive portal's page", fault: ["html": true], arrived: true),
        LostAnswer(name: "truncated JSON", fault: ["truncate": true], arrived: true),
        LostAnswer(name: "an empty body", fault: ["status": 200, "body": ""], arrived: true),
        LostAnswer(name: "no JSON object", fault: ["status": 200, "body": "[]"], arrived: true),
        LostAnswer(name: "409 in progress", fault: running, times: 2, tries: 3),
        LostAnswer(name: "409 in progress", fault: running, arrived: true, times: 2, tries: 3),
    ]

    /// Those that take half a minute and more.
    static let slow = [
        LostAnswer(name: "silence", fault: ["silence": true]),
        LostAnswer(name: "silence", fault: ["silence": true], arrived: true, settles: 50),
        LostAnswer(name: "35 s on the way there", fault: ["delay_seconds": 35]),
        // 30 s, then 409 at 31, 33 and 37, and the first answer at 45; on a busy machine at 37 already.
        LostAnswer(name: "40 s on the way back", fault: ["delay_seconds": 40], arrived: true, tries: nil, settles: 70),
    ]
}

extension Paying.Outages {
    /// Each accepted attempt of these payments charges: a second key would show as a second charge.
    @Suite struct LostAnswers {
        private static let path = "/pay/process"

        private func terms(_ seconds: Int) -> [String: JSONValue] {
            ["refuse_parallel_attempts": false, "settle_after_seconds": JSONValue(integerLiteral: seconds)]
        }

        private func rehearse(_ lost: LostAnswer, speed: Int) async throws {
            try await Scene.with(speed: speed) { scene in
                let checkout = try await scene.checkout(terms(lost.settles))
                try await scene.sandbox.fault(
                    lost.fault, on: Self.path, times: lost.times, phase: lost.arrived ? "after" : "before")
                try await checkout.pay()
                _ = try await checkout.settled()
                try await scene.sandbox.release()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: lost.tries)
                let view = try await scene.sandbox.view(checkout.payment)
                #expect(view["attempts"] == 1)
                let kinds = try await scene.events().map(\.kind)
                #expect(kinds.count { $0 == "payment_started" } == 1)
                #expect(!kinds.contains("error"))
            }
        }

        @Test(
            "A lost answer is asked for again with the same key and bytes, and is charged once",
            arguments: LostAnswer.all)
        func asksAgain(lost: LostAnswer) async throws {
            try await rehearse(lost, speed: 30)
        }

        @Test("So is one that takes longer than 30 s", arguments: LostAnswer.slow)
        func outwaits(lost: LostAnswer) async throws {
            try await rehearse(lost, speed: 50)
        }

        @Test("A 500 is not asked again; reads find out what became of it", arguments: [500, 501, 507])
        func serverError(status: Int) async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout(terms(15))
                try await scene.sandbox.fault(
                    ["status": JSONValue(integerLiteral: status)], on: Self.path, times: 1, phase: "after")
                try await checkout.pay()
                _ = try await scene.events { ["PENDING", "USSD_REQUIRED"].contains($0.state) }
                let pending = try await checkout.status()
                #expect(pending["attempt"]?["phase"] == "unanswered")
                #expect(pending["advice"]?["safe_to_take_other_payment"] == false)
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: 1)
            }
        }

        @Test(
            "Every answer lost after the request arrived: no failure, Pay stays closed, reads tell the outcome",
            arguments: [["drop": true], ["status": 503]] as [JSONValue])
        func allLost(fault: JSONValue) async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await scene.checkout(terms(75))
                try await scene.sandbox.fault(fault, on: Self.path, phase: "after")
                try await checkout.pay()
                // What the reads show, once all tries are lost.
                try await scene.reached("USSD_REQUIRED")
                #expect(try await checkout.status()["attempt"]?["phase"] == "unanswered")
                #expect(try await checkout.refusal("pay", Checkout.number()).data?["code"] == "attempt_undecided")
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
                try await checkout.expectOneRequest(tries: 3)
                #expect(try await !scene.events().contains { $0.kind == "error" })
            }
        }
    }
}
