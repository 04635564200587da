internal import Contract

/// A request that pays, as it leaves: the copies of it that travel are all the same.
struct PaymentRequest: Hashable {
    let attempt: Int
    let key: String
    let digest: String
    let sentAt: Instant
}

/// What Wajub keeps of a key.
struct StoredAnswer {
    let digest: String
    let reply: Reply
    let at: Instant
    let runsUntil: Instant
}

/// What Wajub answers to a request that pays or confirms.
enum Reply: Hashable {
    case accepted(PayAnswer)
    case refused(APIRefusal)

    static func refused(_ status: Int, _ code: ErrorCode, details: [String: String] = [:]) -> Reply {
        .refused(APIRefusal(httpStatus: status, code: code, details: details))
    }

    static func refused(_ status: Int) -> Reply { refused(status, ErrorCode(httpStatus: status)) }
}

extension WajubModel {
    /// POST /pay/process: the key is looked up first. Returns the answer, and how long it takes; nil: the copy is dropped.
    mutating func process(_ request: PaymentRequest, _ dice: inout Dice, at now: Instant) -> (Reply, Duration)? {
        advance(to: now, &dice)
        if let first = keys[request.key] {
            if now - first.at >= Self.keyMemory {
                // A copy from before; one that is posted now is processed as if the key were new.
                guard now - request.sentAt < .seconds(60) else { return nil }
            } else if now < first.runsUntil {
                let details = ["idempotency_key": "The first request with this key is still running."]
                return (.refused(409, dice.pick([.paymentInProgress, .paymentError]), details: details), .zero)
            } else if first.digest != request.digest {
                let details = ["idempotency_key": "This key was used with another body."]
                return (.refused(422, .validationError, details: details), .zero)
            } else {
                return (first.reply, .zero)
            }
        }
        let took: Duration = dice.chance(20) ? dice.duration(milliseconds: 1_000...45_000) : .zero
        let (reply, isKept) = start(request, &dice, at: now)
        if isKept {
            keys[request.key] = StoredAnswer(digest: request.digest, reply: reply, at: now, runsUntil: now + took)
        }
        return (reply, took)
    }

    /// Whether another copy of the call would be answered like the first.
    func keeps(_ sent: SentCall) -> Bool {
        guard case .payment(let request) = sent.body else { return true }
        return keys[request.key] != nil
    }

    private mutating func start(_ request: PaymentRequest, _ dice: inout Dice, at now: Instant) -> (Reply, isKept: Bool)
    {
        if let refusal = notNow(&dice, at: now) { return (refusal, false) }
        if invalidBodies.contains(request.digest) { return (.refused(422, .validationError), traits.keepsInvalid) }
        let attempt = request.attempt
        switch dice.int(0...19) {
        case 0, 1:
            let run = begin(by: attempt, .provider)
            charge(runs.count - 1, at: now)
            _ = run
            return (.accepted(PayAnswer(transaction: transaction(at: now, &dice))), true)
        case 2...6: return (accept(attempt, .provider, nil, &dice, at: now), true)
        case 7...9: return (decline(attempt, 402, Self.declineCode(&dice), &dice, at: now), true)
        case 10: return (decline(attempt, 403, .blocked, &dice, at: now), true)
        case 11:
            invalidBodies.insert(request.digest)
            return (.refused(422, .validationError, details: ["data.phone": "This is no number."]), traits.keepsInvalid)
        case 12: return (.refused(dice.pick([400, 400, 404, 409, 418])), false)
        case 13, 14:
            let url = "https://pay.example/\(identifiers)"
            let action: PayAnswer.Action = dice.pick([
                .demand(.page(url: url)), .demand(.page(url: url)), .pageWithoutAddress, .unknown("confirm_dance"),
            ])
            return (accept(attempt, .provider, action, &dice, at: now), true)
        case 15: return (open(attempt, restart: false, &dice, at: now), true)
        default:
            let step = newStep(&dice, at: now)
            return (accept(attempt, .step(step), .demand(.step(step.step)), &dice, at: now), true)
        }
    }

    /// Why nothing can be paid now: ended, paid, or somebody pays already.
    func notNow(_ dice: inout Dice, at now: Instant) -> Reply? {
        if status == .succeeded {
            return traits.isLenient && ownCharges > 0 ? nil : .refused(dice.pick([400, 409, 410]))
        }
        if !isOpen(at: now) { return .refused(dice.pick([400, 409, 410])) }
        if isRunning, !traits.isLenient { return .refused(409, .paymentInProgress) }
        return nil
    }

    mutating func accept(
        _ attempt: Int, _ stage: Run.Stage, _ action: PayAnswer.Action?, _ dice: inout Dice, at now: Instant
    ) -> Reply {
        begin(by: attempt, stage)
        if status == .pending { setStatus(.processing, at: now) }
        let saysPayment = action == nil || dice.chance(70)
        return .accepted(PayAnswer(transaction: saysPayment ? transaction(at: now, &dice) : nil, action: action))
    }

    private mutating func decline(
        _ attempt: Int, _ status: Int, _ code: ErrorCode, _ dice: inout Dice, at now: Instant
    ) -> Reply {
        begin(by: attempt, .refused)
        if dice.chance(traits.recorded) { record(code, at: now) }
        return .refused(status, code)
    }
}
