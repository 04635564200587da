import JSON
import JSONRPC
import StageSupport
import Testing

/// A confirmation step: what it shows, a wrong answer and the right one.
struct StepKind: CustomTestStringConvertible, Sendable {
    let kind: String
    let state: String
    let wrong: [String: JSONValue]
    let right: [String: JSONValue]

    var testDescription: String { kind }
    var path: String { "/pay/verify/\(kind)" }

    static let all = [
        StepKind(kind: "otp", state: "OTP_REQUIRED", wrong: ["code": "000000"], right: ["code": "123456"]),
        StepKind(kind: "pin", state: "PIN_REQUIRED", wrong: ["pin": "0000"], right: ["pin": "1234"]),
        StepKind(
            kind: "phone", state: "PHONE_REQUIRED", wrong: ["phone": "670000000"], right: ["phone": "+237670000000"]),
        StepKind(
            kind: "birthday", state: "BIRTHDAY_REQUIRED", wrong: ["birthday": "1980-02-29"],
            right: ["birthday": "1990-12-31"]),
        StepKind(kind: "3ds", state: "3DS_REQUIRED", wrong: ["code": "000000"], right: ["code": "123456"]),
    ]

    static let address = StepKind(
        kind: "address", state: "ADDRESS_REQUIRED", wrong: [:],
        right: ["address": "1 rue X", "city": "Douala", "state": "Littoral", "zip_code": "00237"])
}

extension Paying.Hands {
    /// "Confirmation steps" of seed 000.
    @Suite struct Steps {
        /// A payment whose card asks for a step.
        private func asked(_ scene: Scene, _ step: String = "3ds", _ terms: [String: JSONValue] = [:]) async throws
            -> Checkout
        {
            let checkout = try await scene.checkout(terms.merging(["card_step": .string(step)]) { $1 })
            try await checkout.pay(Checkout.card())
            _ = try await scene.events(until: "step")
            return checkout
        }

        @Test("A wrong answer keeps the step, with the attempts left; the right one pays", arguments: StepKind.all)
        func wrongThenRight(step: StepKind) async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await asked(scene, step.kind)
                let shown = try await checkout.status()
                #expect(shown["state"]?.string == step.state)
                #expect(shown["screen"]?["kind"] == "step")
                #expect(shown["screen"]?["step"]?["kind"]?.string == step.kind)
                #expect(shown["screen"]?["step"]?["attempts_left"] == 3)

                let wrong = try await checkout.verify(step.wrong)
                #expect(wrong["state"]?.string == step.state)
                #expect(wrong["error"]?["code"] == "invalid_code")
                #expect(wrong["screen"]?["step"]?["attempts_left"] == 2)
                #expect(wrong["attempt"]?["undecided"] == true)

                #expect(try await checkout.verify(step.right)["state"] == "SUCCESS")
                try await checkout.expectPaidOnce()
                let states = try await scene.events().compactMap(\.state)
                #expect(states.suffix(5) == [step.state, "VERIFYING", step.state, "VERIFYING", "SUCCESS"])
            }
        }

        @Test("An address is asked for as a whole: what is missing is named, and nothing is sent")
        func address() async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await asked(scene, "address")
                var fields = StepKind.address.right
                for missing in ["zip_code", "state", "city", "address"] {
                    fields[missing] = nil
                    let refused = try await checkout.refusal("verify", ["fields": .object(fields)])
                    #expect(refused.code == .invalidParams)
                }
                #expect(try await scene.sandbox.requests(to: StepKind.address.path).isEmpty)
                #expect(try await checkout.verify(StepKind.address.right)["status"] == "succeeded")
                try await checkout.expectPaidOnce()
            }
        }

        @Test("Too many wrong answers: a certain failure, back to the methods, and the next press is another attempt")
        func tooManyAttempts() async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await asked(scene, "otp")
                for left in [2, 1] {
                    let wrong = try await checkout.verify(["code": "000000"])
                    #expect(wrong["screen"]?["step"]?["attempts_left"]?.int == left)
                }
                let failed = try await checkout.verify(["code": "000000"])
                #expect(failed["state"] == "FAILED")
                #expect(failed["error"]?["code"] == "too_many_attempts")
                #expect(failed["error"]?["certainty"] == "definite")
                #expect(failed["error"]?["retryable"] == true)
                #expect(failed["advice"]?["can_cancel"] == true)
                #expect(
                    try await checkout.refusal("verify", ["fields": ["code": "123456"]]).data?["code"]
                        == "no_step_pending")
                try await checkout.pay()
                _ = try await checkout.settled()
                #expect(try await scene.sandbox.charges(checkout.payment) == 1)
            }
        }

        @Test(
            "A step that expired is a certain failure, whether a read tells it or the answer", arguments: [true, false])
        func expired(byRead: Bool) async throws {
            // A step lasts ten minutes.
            try await Scene.with(speed: byRead ? 400 : 10) { scene in
                let checkout = try await asked(scene, "otp")
                if !byRead {
                    try await scene.sandbox.fault(
                        ["status": 410, "error_code": "step_expired"], on: "/pay/verify/otp", times: 1)
                    try await checkout.verify(["code": "123456"])
                }
                try await scene.reached("FAILED")
                let failed = try await checkout.status()
                #expect(failed["error"]?["code"] == "step_expired")
                #expect(failed["error"]?["certainty"] == "definite")
                #expect(failed["attempt"]?["undecided"] == false)
                #expect(try await scene.sandbox.charges(checkout.payment) == 0)
            }
        }

        @Test("A new code is refused in the first 60 s and asked for after them; then they begin anew")
        func resend() async throws {
            try await Scene.with(speed: 40) { scene in
                let checkout = try await asked(scene, "otp")
                let early = try await checkout.refusal("resend")
                #expect(early.data?["code"] == "resend_too_early")
                let wait = try #require(early.data?["retry_after_seconds"]?.double)
                #expect(wait > 0 && wait <= 60)
                #expect(try await scene.sandbox.requests(to: "/pay/verify/resend").isEmpty)

                while try await checkout.status()["screen"]?["step"]?["resend_in_seconds"]?.double ?? 0 > 0 {}
                try await checkout.ask("resend")
                #expect(try await scene.sandbox.requests(to: "/pay/verify/resend").map { $0["status"] } == [200])
                #expect(try await checkout.refusal("resend").data?["code"] == "resend_too_early")
                #expect(try await checkout.verify(["code": "123456"])["status"] == "succeeded")
            }
        }

        @Test("An accepted answer whose payment is still processing is watched to its end")
        func acceptedAndProcessing() async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await asked(scene, "otp", ["settle_after_seconds": 10])
                let accepted = try await checkout.verify(["code": "123456"])
                #expect(accepted["state"] == "PENDING")
                #expect(accepted["attempt"]?["undecided"] == true)
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
            }
        }

        @Test(
            "The answer to a step that gets lost fails nothing: the step is there, or the reads tell the end",
            arguments: [["drop": true], ["html": true], ["status": 502], ["status": 500]] as [JSONValue],
            ["before", "after"])
        func lostAnswer(fault: JSONValue, phase: String) async throws {
            try await Scene.with(speed: 10) { scene in
                let checkout = try await asked(scene, "otp")
                try await scene.sandbox.fault(fault, on: "/pay/verify/otp", times: 1, phase: phase)
                let lost = try await checkout.verify(["code": "123456"])
                #expect(lost["state"] != "FAILED")
                if phase == "before" {
                    #expect(lost["state"] == "OTP_REQUIRED")
                    #expect(lost["error"]?["certainty"] == "indefinite")
                    try await checkout.verify(["code": "123456"])
                }
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
            }
        }

        @Test("A step answered again after its first answer was accepted and lost is no failure: the payment goes on")
        func answeredAgain() async throws {
            try await Scene.with(speed: 20) { scene in
                let checkout = try await asked(scene, "otp", ["settle_after_seconds": 60])
                try await scene.sandbox.fault(["drop": true], on: "/pay/verify/otp", times: 1, phase: "after")
                let lost = try await checkout.verify(["code": "123456"])
                #expect(lost["attempt"]?["undecided"] == true)
                // Wajub knows the step no more: 410, and money moves.
                if lost["state"] == "OTP_REQUIRED" {
                    let again = try await checkout.verify(["code": "123456"])
                    #expect(again["state"] != "FAILED")
                    #expect(again["attempt"]?["undecided"] == true)
                    #expect(again["advice"]?["can_cancel"] == false)
                }
                _ = try await checkout.settled()
                try await checkout.expectPaidOnce()
            }
        }
    }
}
