import Testing

@testable import Contract

/// Seed 000, "Confirmation steps"; `wire.md`, "Steps".
@Suite("Confirmation steps")
struct StepTests {
    private static func asked(_ kind: Step.Kind = .otp, attemptsLeft: Int? = 3) -> Sheet {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .demand(.step(Step(kind, id: "step_1", attemptsLeft: attemptsLeft))))
        return sheet
    }

    private static func verifying(_ kind: Step.Kind = .otp) -> Sheet {
        var sheet = asked(kind)
        sheet.send(.verifyRequested)
        return sheet
    }

    @Test(
        "Each step has a state and is told",
        arguments: [
            (Step.Kind.otp, CheckoutState.otpRequired), (.pin, .pinRequired), (.phone, .phoneRequired),
            (.birthday, .birthdayRequired), (.address, .addressRequired), (.threeDS, .threeDSRequired),
        ])
    func states(kind: Step.Kind, state: CheckoutState) {
        let sheet = Self.asked(kind)
        #expect(sheet.machine.state == state && sheet.machine.screen?.kind == .step)
        #expect(sheet.kinds == [.progress, .state, .step])
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    @Test("Reads that say processing or pending keep the step")
    func readsKeepIt() {
        var sheet = Self.asked()
        sheet.untilRead()
        sheet.read(.processing)
        #expect(sheet.machine.state == .otpRequired)
        sheet.untilRead()
        sheet.read(.pending)
        #expect(sheet.machine.state == .otpRequired)
    }

    @Test("An answer is checked by Wajub: VERIFYING, and nothing else is taken meanwhile")
    func verify() {
        var sheet = Self.verifying()
        #expect(sheet.machine.state == .verifying && sheet.calls == [.verify])
        #expect(sheet.kinds == [.state, .progress])
        #expect(sheet.machine.refusalToVerify() == .noStepPending)
        sheet.send(.verifyRequested)
        #expect(sheet.actions.isEmpty)
    }

    @Test("A wrong answer keeps the screen, with the attempts left")
    func wrong() throws {
        var sheet = Self.verifying()
        sheet.send(.stepMissed(Sheet.refusal(422, ErrorCode(rawValue: "invalid_code"), attemptsLeft: 2)))
        #expect(sheet.machine.state == .otpRequired && sheet.machine.pendingStep?.attemptsLeft == 2)
        #expect(sheet.kinds == [.progress, .state, .step, .error])
        #expect(sheet.errors.first?.certainty == .indefinite)
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    @Test(
        "An expired step or too many wrong answers is a retryable failure, back to the methods", arguments: [402, 410])
    func forGood(status: Int) {
        var sheet = Self.verifying()
        sheet.send(
            .stepMissed(
                Sheet.refusal(status, status == 402 ? ErrorCode(rawValue: "too_many_attempts") : .stepExpired)))
        #expect(sheet.machine.state == .failed && sheet.machine.attempt?.phase == .refused)
        #expect(sheet.errors.first?.code == (status == 402 ? ErrorCode(rawValue: "too_many_attempts") : .stepExpired))
        #expect(sheet.errors.first?.certainty == .definite && sheet.errors.first?.retryable == true)
        #expect(sheet.machine.canCancel && sheet.machine.result == nil)
    }

    @Test("An accepted answer whose payment is still processing moves to PENDING and keeps watching")
    func accepted() {
        var sheet = Self.verifying(.threeDS)
        sheet.machine.attempt?.method = .card
        sheet.machine.method = .card
        sheet.send(.stepAnswered(PayAnswer(transaction: Sheet.transaction(.processing))))
        #expect(sheet.machine.state == .pending && sheet.machine.pendingStep == nil)
        #expect(sheet.machine.attempt?.isUndecided == true && sheet.machine.nextWake != nil)
    }

    @Test("An accepted answer that paid is a success")
    func paid() {
        var sheet = Self.verifying()
        sheet.send(.stepAnswered(PayAnswer(transaction: Sheet.transaction(.succeeded))))
        #expect(sheet.machine.result?.status == .complete)
    }

    @Test(
        "An answer that gets none keeps the step, is no failure, and reads the status",
        arguments: [Sheet.silence, Sheet.server(500), Sheet.server(503)])
    func silence(failure: CallFailure) {
        var sheet = Self.verifying()
        sheet.send(.stepMissed(failure))
        #expect(sheet.machine.state == .otpRequired && sheet.calls == [.status])
        #expect(sheet.errors.first?.certainty == .indefinite && sheet.machine.attempt?.isUndecided == true)
    }

    @Test("A refusal that is not the step's is watched as PENDING", arguments: [400, 401, 404, 418])
    func elsewhere(status: Int) {
        var sheet = Self.verifying()
        sheet.send(.stepMissed(Sheet.refusal(status)))
        #expect(sheet.machine.state == .pending && sheet.machine.attempt?.isUndecided == true)
        #expect(sheet.errors.isEmpty && sheet.calls == [.status])
    }

    @Test("Resend is offered 60 seconds after the screen opens, and 60 seconds after the last code")
    func resend() {
        var sheet = Self.asked()
        #expect(sheet.machine.refusalToResend(at: sheet.now) == .resendTooEarly)
        #expect(sheet.machine.pendingStep?.resendWait(at: sheet.now) == .seconds(60))
        sheet.send(.resendRequested)
        #expect(sheet.actions.isEmpty)
        sheet.wait(.seconds(60))
        sheet.send(.resendRequested)
        #expect(sheet.calls == [.resend])
        sheet.send(.resendAnswered(Step(.otp, id: "step_2", attemptsLeft: 3)))
        #expect(sheet.machine.pendingStep?.id == "step_2")
        #expect(sheet.kinds == [.progress, .step])
        #expect(sheet.machine.refusalToResend(at: sheet.now) == .resendTooEarly)
    }

    @Test("A code that cannot be resent keeps the step, unless it expired", arguments: [429, 422, 410])
    func resendMissed(status: Int) {
        var sheet = Self.asked()
        sheet.wait(.seconds(60))
        sheet.send(.resendRequested)
        sheet.send(.resendMissed(Sheet.refusal(status, status == 410 ? .stepExpired : .rateLimited)))
        #expect(sheet.machine.state == (status == 410 ? .failed : .otpRequired))
        #expect(sheet.errors.count == 1)
    }

    @Test("Without a step there is nothing to answer or to resend")
    func nothingPending() {
        let sheet = Sheet.ready()
        #expect(sheet.machine.refusalToVerify() == .noStepPending)
        #expect(sheet.machine.refusalToResend(at: sheet.now) == .noStepPending)
    }

    @Test("A second step in the answer is shown as well")
    func chained() {
        var sheet = Self.verifying(.pin)
        let next = Demand.step(Step(.otp, id: "step_2"))
        sheet.send(.stepAnswered(PayAnswer(transaction: Sheet.transaction(.processing), action: .demand(next))))
        #expect(sheet.machine.state == .otpRequired && sheet.machine.pendingStep?.id == "step_2")
    }

    @Test(
        "Fields are checked before they are sent",
        arguments: [
            (Step.Kind.otp, [:], "code"), (.otp, ["code": "  "], "code"), (.otp, ["code": "1", "pin": "1"], "pin"),
            (.pin, ["pin": "12a4"], "pin"), (.pin, ["pin": "1"], "pin"), (.phone, ["phone": "call me"], "phone"),
            (.birthday, ["birthday": "2001-02-30"], "birthday"), (.birthday, ["birthday": "1/1/1990"], "birthday"),
            (.address, ["address": "a", "city": "b", "state": "c"], "zip_code"),
            (.threeDS, ["code": "1\u{7}2"], "code"),
        ] as [(Step.Kind, [String: String], String)])
    func fields(kind: Step.Kind, given: [String: String], wrong: String) {
        let refusal = #expect(throws: FieldRefusal.self) { _ = try StepFields(given, for: kind) }
        #expect(refusal?.field == wrong)
    }

    @Test("Fields that fit are trimmed, and print as a placeholder")
    func goodFields() throws {
        #expect(try StepFields(["code": " 123456 "], for: .otp).values == ["code": "123456"])
        #expect(try StepFields(["birthday": "2000-02-29"], for: .birthday).values == ["birthday": "2000-02-29"])
        #expect(try StepFields(["phone": "+237 677 12 34 56"], for: .phone).values["phone"] == "+237 677 12 34 56")
        let fields = try StepFields(["pin": "1234"], for: .pin)
        #expect(!"\(fields) \(String(reflecting: fields))".contains("1234"))
    }
}
