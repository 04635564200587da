internal import Contract

/// A confirmation step that waits for its answer.
struct OpenStep: Hashable {
    let kind: Step.Kind
    let id: String
    var left: Int
    let expiresAt: Instant
    var resendFrom: Instant

    var step: Step { Step(kind, id: id, attemptsLeft: left) }
}

extension WajubModel {
    mutating func newStep(_ dice: inout Dice, at now: Instant) -> OpenStep {
        identifiers += 1
        return OpenStep(
            kind: dice.pick(Step.Kind.allCases), id: "step_\(identifiers)", left: 3,
            expiresAt: now + .seconds(dice.pick([30, 600, 600])), resendFrom: now + .seconds(60))
    }

    /// The run whose step this is, while it is open.
    private func run(ofStep id: String) -> (index: Int, step: OpenStep)? {
        for (index, run) in runs.enumerated() {
            if case .step(let step) = run.stage, step.id == id { return (index, step) }
        }
        return nil
    }

    /// POST /pay/verify/{kind}: a step that is not open any more has expired, whatever became of it.
    mutating func verify(_ id: String, isRight: Bool, _ dice: inout Dice, at now: Instant) -> Reply {
        advance(to: now, &dice)
        guard let (index, open) = run(ofStep: id) else { return .refused(410, .stepExpired) }
        let attempt = runs[index].attempt
        guard isRight else {
            var step = open
            step.left -= 1
            runs[index].stage = .step(step)
            if step.left == 0 {
                let code = ErrorCode(rawValue: "too_many_attempts")
                refuse(index, code, isRecorded: dice.chance(traits.recorded), at: now)
                return .refused(402, code)
            }
            return .refused(
                APIRefusal(httpStatus: 422, code: ErrorCode(rawValue: "invalid_code"), attemptsLeft: step.left))
        }
        switch dice.int(0...9) {
        case 0...2: charge(index, at: now)
        case 3...6: runs[index].stage = .provider
        case 7:
            let next = newStep(&dice, at: now)
            runs[index].stage = .step(next)
            let transaction = transaction(at: now, &dice)
            // The API returns only the payment today; one that chains steps may say so one day.
            return .accepted(PayAnswer(transaction: transaction, action: dice.pick([nil, .demand(.step(next.step))])))
        case 8 where attempt > 0:
            let code = dice.pick([ErrorCode.blocked, .shieldBlocked])
            refuse(index, code, isRecorded: dice.chance(traits.recorded), at: now)
            return .refused(403, code)
        default:
            let code = Self.declineCode(&dice)
            refuse(index, code, isRecorded: dice.chance(traits.recorded), at: now)
            return .refused(402, code)
        }
        return .accepted(PayAnswer(transaction: transaction(at: now, &dice)))
    }

    /// POST /pay/verify/resend: the step anew, or nothing of it; a refusal; too early: nil.
    mutating func resend(_ id: String, _ dice: inout Dice, at now: Instant) -> Result<Step?, CallFailure> {
        advance(to: now, &dice)
        guard let (index, open) = run(ofStep: id) else {
            return .failure(.refused(APIRefusal(httpStatus: 410, code: .stepExpired)))
        }
        guard now >= open.resendFrom else {
            return .failure(.unanswered(Unanswered(.rateLimited, reason: "wait", httpStatus: 429)))
        }
        var step = open
        if dice.chance(40) {
            identifiers += 1
            step = OpenStep(
                kind: open.kind, id: "step_\(identifiers)", left: 3, expiresAt: now + .seconds(600),
                resendFrom: now + .seconds(60))
        }
        step.resendFrom = now + .seconds(60)
        runs[index].stage = .step(step)
        return .success(step.id != open.id || dice.chance(50) ? step.step : nil)
    }
}
