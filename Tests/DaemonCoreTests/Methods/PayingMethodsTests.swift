import Contract
import JSON
import JSONRPC
import Platform
import Testing
import WajubWatch
import WajubWatchTestSupport

@testable import DaemonCore

/// `protocol.md`, "Methods": paying.
@Suite("Paying over the socket", .timeLimit(.minutes(10)))
struct PayingMethodsTests {
    private static let phone: JSONValue = ["phone": "+237 6 77 12 34 56"]

    /// A payment that is ready, and nothing keeps its request back.
    private static func ready(_ counter: Counter) async throws -> JSONValue {
        let payment = try await counter.loaded()
        _ = try await counter.payment("payment.status", ["payment": payment["id"] ?? .null, "refresh": true])
        return payment["id"] ?? .null
    }

    @Test("payment.pay answers with the attempt, undecided, and a second one is refused with attempt_undecided")
    func pay() async throws {
        try await Counter.with { counter in
            let id = try await Self.ready(counter)
            counter.till.wajub.hold(.process)
            let paid = try await counter.payment("payment.pay", ["payment": id, "mobile_money": Self.phone])
            #expect(paid["state"] == "PROCESSING" && paid["method"] == "mobile_money")
            let attempt = try #require(paid["attempt"])
            #expect(attempt["number"] == 1 && attempt["channel"] == "cm.mobile" && attempt["undecided"] == true)
            #expect(attempt["phase"] == "sent" && attempt["tries"] == 1)
            #expect(
                Set(attempt.object?.keys.map { $0 } ?? []) == [
                    "number", "method", "channel", "phase", "undecided", "tries", "started_at",
                ])
            let again = try await counter.refusal("payment.pay", ["payment": id, "mobile_money": Self.phone])
            #expect(again?.data?["code"] == "attempt_undecided")
            let cancel = try await counter.refusal("payment.cancel", ["payment": id])
            #expect(cancel?.data?["code"] == "attempt_undecided")
            await counter.till.wajub.called(.process)
            let body = counter.till.wajub.posts.first?.body?.revealed ?? ""
            #expect(body.contains(#""data":{"country":"CM","phone":"+237677123456"}"#))
            counter.till.wajub.release(.process)
        }
    }

    @Test(
        "Parameters are checked, and the one that is wrong is named",
        arguments: [
            ([:], "mobile_money"), (["mobile_money": [:], "card": [:]], "card"),
            (["mobile_money": "x"], "mobile_money"),
            (["mobile_money": ["phone": 5]], "phone"), (["mobile_money": ["number": "5"]], "number"),
            (["card": ["fields": ["a": 1]]], "a"), (["card": ["fields": []]], "fields"), (["card": [:]], "card"),
            (["wallet": [:]], "channel"), (["wallet": ["channel": "ci.djamo"]], "channel"),
            (["channel": "cm.mobile"], "data"), (["channel": "cm.mobile", "data": "x"], "data"),
            (["channel": "nowhere", "data": [:]], "channel"), (["data": [:]], "mobile_money"),
            (["mobile_money": ["phone": "+237677123456"], "data": [:]], "data"),
            (["mobile_money": ["phone": "+237677123456"], "return_url": "http://shop.example"], "return_url"),
            (["mobile_money": ["phone": "+237677123456"], "return_url": "https://"], "return_url"),
            (["mobile_money": ["phone": "+237677123456"], "tip": 5], "tip"),
        ] as [([String: JSONValue], String)])
    func parameters(given: [String: JSONValue], wrong: String) async throws {
        try await Counter.with { counter in
            let id = try await Self.ready(counter)
            let refusal = try await counter.refusal("payment.pay", given.merging(["payment": id]) { first, _ in first })
            #expect(refusal?.code == .invalidParams)
            #expect(refusal?.data?["param"] == .string(wrong))
            #expect(counter.till.wajub.posts.isEmpty)
        }
    }

    @Test("The contract's own checks answer with its codes, in the payment's language")
    func checks() async throws {
        try await Counter.with { counter in
            let payment = try await counter.loaded("token-1", ["locale": "fr"])
            let refusal = try await counter.refusal(
                "payment.pay", ["payment": payment["id"] ?? .null, "mobile_money": ["phone": ""]])
            #expect(refusal?.data?["code"] == "phone_required" && refusal?.data?["param"] == "phone")
            #expect(refusal?.data?["message"] == "Saisissez un numéro de téléphone.")
        }
    }

    @Test("Where several refusals apply: payment_ended, not_ready, attempt_undecided, then parameters of the payment")
    func order() async throws {
        try await Counter.with { counter in
            counter.till.wajub.hold(.session)
            let payment = try await counter.payment("payment.watch", ["token": "token-1"])
            let id = payment["id"] ?? .null
            for method in [
                "payment.pay", "payment.verify", "payment.resend", "payment.returned", "payment.start_client_session",
            ] {
                var params: [String: JSONValue] = ["payment": id]
                if method == "payment.verify" { params["fields"] = "none" }
                #expect(try await counter.refusal(method, params)?.data?["code"] == "not_ready")
            }
            counter.till.wajub.release(.session)
            _ = try await counter.payment("payment.close", ["payment": id, "reason": "host_gone"])
            #expect(
                try await counter.refusal("payment.pay", ["payment": id])?.data?["code"] == "payment_ended")
            #expect(
                try await counter.refusal("payment.verify", ["payment": id, "fields": [:]])?.data?["code"]
                    == "payment_ended")
        }
    }

    @Test("A step is shown, told, answered, and its wrong answer is no error answer")
    func step() async throws {
        try await Counter.with { counter in
            let id = try await Self.ready(counter)
            counter.till.wajub.answer(with: .demand(.step(Step(.otp, id: "step_1", attemptsLeft: 3, hint: "SMS"))))
            #expect(
                try await counter.refusal("payment.verify", ["payment": id, "fields": ["code": "1"]])?.data?["code"]
                    == "no_step_pending")
            _ = try await counter.payment("payment.pay", ["payment": id, "mobile_money": Self.phone])
            var shown: JSONValue = .null
            while shown["screen"]?["kind"] != "step" {
                shown = try await counter.payment("payment.status", ["payment": id])
            }
            let step = try #require(shown["screen"]?["step"])
            #expect(
                step["kind"] == "otp" && step["id"] == "step_1" && step["attempts_left"] == 3
                    && step["resend_in_seconds"] == 60)
            let early = try await counter.refusal("payment.resend", ["payment": id])
            #expect(early?.data?["code"] == "resend_too_early" && early?.data?["retry_after_seconds"] == 60)
            let wrong = try await counter.refusal("payment.verify", ["payment": id, "fields": ["pin": "1234"]])
            #expect(wrong?.code == .invalidParams && wrong?.data?["param"] == "pin")

            counter.till.wajub.miss(
                .verify, .refused(APIRefusal(httpStatus: 422, code: .invalidCode, attemptsLeft: 2)))
            let kept = try await counter.payment("payment.verify", ["payment": id, "fields": ["code": "000000"]])
            #expect(kept["error"]?["code"] == "invalid_code" && kept["state"] == "OTP_REQUIRED")
            #expect(kept["screen"]?["step"]?["attempts_left"] == 2)
            counter.till.wajub.miss(.verify, nil)
            counter.till.wajub.answer(with: nil)
            counter.till.wajub.set(.succeeded)
            let paid = try await counter.payment("payment.verify", ["payment": id, "fields": ["code": "123456"]])
            #expect(paid["result"]?["status"] == "complete" && paid["screen"] == nil)
        }
    }

    @Test("payment.returned reads the status at once")
    func returned() async throws {
        try await Counter.with { counter in
            let id = try await Self.ready(counter)
            counter.till.wajub.set(.succeeded)
            let payment = try await counter.payment("payment.returned", ["payment": id])
            #expect(payment["result"]?["status"] == "complete")
            // Who comes back late finds what a read was faster to tell.
            let late = try await counter.payment("payment.returned", ["payment": id])
            #expect(late["result"] == payment["result"])
        }
    }

    @Test("The events of a payment that was paid here, in the contract's order")
    func events() async throws {
        try await Counter.with { counter in
            let id = try await Self.ready(counter)
            counter.till.wajub.set(.succeeded)
            _ = try await counter.payment("payment.pay", ["payment": id, "mobile_money": Self.phone])
            _ = try await counter.payment("payment.wait", ["payment": id])
            let kinds = try counter.till.kinds(of: id.string ?? "")
            #expect(
                kinds == [
                    "accepted", "ready", "state", "payment_started", "state", "progress", "progress", "state",
                    "success",
                    "complete",
                ])
        }
    }
}
