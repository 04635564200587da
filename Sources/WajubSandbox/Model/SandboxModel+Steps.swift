internal import Contract
internal import JSON

extension SandboxModel {
    private static let stepLifetime = Duration.seconds(600)
    private static let resendInterval = Duration.seconds(60)
    /// The one right answer where a step has one.
    static let rightCode = "123456"
    static let rightPIN = "1234"

    /// Asks for a step after a card was submitted.
    mutating func ask(_ kind: StepKind, _ id: String, _ channel: Channel, at now: Instant) -> SandboxAnswer {
        let attempt = open(id, channel, .succeeds)
        let step = Payment.Step(
            id: "step_\(generator.hex(words: 1))", kind: kind, attempt: attempt, expiresAt: now + Self.stepLifetime,
            resendFrom: now + Self.resendInterval)
        payments[id]?.step = step
        payments[id]?.processingContext = Self.processingContext(channel, instruction: false, page: nil)
        timers.schedule(.expireStep(payment: id, step: step.id), at: step.expiresAt)
        setStatus(.processing, of: id, at: now)
        return processAnswer(
            id, status: 202, "Confirm the payment.", ["action": .string(kind.action), "step": stepJSON(step)])
    }

    private func stepJSON(_ step: Payment.Step) -> JSONValue {
        .fields([
            "id": .string(step.id), "attempts_left": .integer(step.attemptsLeft),
            "expires_at": .string(clock.timestamp(at: step.expiresAt)),
            "hint": step.kind == .threeDS ? "Sent to s•••@example.com" : nil,
        ])
    }

    /// `POST /pay/verify/{kind}`.
    mutating func verify(
        _ id: String, _ kind: StepKind, _ request: SandboxRequest, at now: Instant
    ) throws(Refusal) -> SandboxAnswer {
        let (body, step) = try pendingStep(id, request)
        guard step.kind == kind else { throw Refusal("step_id", "This step is verified at \(step.kind.rawValue).") }
        guard Self.isRight(body, for: kind) else { throw wrongAnswer(id, step, at: now) }
        payments[id]?.step = nil
        if let delay = payments[id]?.terms.settleAfter, delay > .zero {
            timers.schedule(.settle(payment: id, attempt: step.attempt), at: now + delay)
            return processAnswer(id, status: 202, "The payment is being processed.", [:])
        }
        settle(attempt: step.attempt, of: id, at: now)
        return processAnswer(id, status: 200, "Payment successful.", [:])
    }

    /// `POST /pay/verify/resend`, from a minute after the last time.
    mutating func resend(_ id: String, _ request: SandboxRequest, at now: Instant) throws(Refusal) -> SandboxAnswer {
        let (_, step) = try pendingStep(id, request)
        guard now >= step.resendFrom else {
            var answer = SandboxAnswer.error(429, "rate_limited", "Wait before asking for another code.")
            answer.headers["Retry-After"] = "\(Int((step.resendFrom - now).inSeconds.rounded(.up)))"
            throw Refusal(answer)
        }
        payments[id]?.step?.resendFrom = now + Self.resendInterval
        return processAnswer(id, status: 200, "A new code was sent.", ["step": stepJSON(step)])
    }

    private func pendingStep(_ id: String, _ request: SandboxRequest) throws(Refusal) -> (JSONValue, Payment.Step) {
        guard let body = request.json else { throw Refusal(400, nil, "The body is no JSON object.") }
        guard let named = body["step_id"]?.string else { throw Refusal("step_id", "A step is required.") }
        guard let step = payments[id]?.step, step.id == named else {
            throw Refusal(410, "step_expired", "This step is no longer open.")
        }
        return (body, step)
    }

    private mutating func wrongAnswer(_ id: String, _ step: Payment.Step, at now: Instant) -> Refusal {
        let left = step.attemptsLeft - 1
        guard left > 0 else {
            refuse(id, code: "too_many_attempts", message: "Too many wrong answers.", at: now)
            return Refusal(402, "too_many_attempts", "Too many wrong answers.")
        }
        payments[id]?.step?.attemptsLeft = left
        return Refusal(
            .error(
                422, "invalid_code", "This is not right.", extra: ["attempts_left": .integer(left)]))
    }

    private static func isRight(_ body: JSONValue, for kind: StepKind) -> Bool {
        switch kind {
        case .otp, .threeDS: body["code"]?.string == rightCode
        case .pin: body["pin"]?.string == rightPIN
        case .phone: body["phone"]?.string?.hasPrefix("+") == true
        case .birthday: body["birthday"]?.string.map { $0.utf8.count == 10 && $0.hasPrefix("1990") } ?? false
        case .address:
            ["address", "city", "state", "zip_code"].allSatisfy { body[$0]?.string?.isEmpty == false }
        }
    }
}
