internal import Contract

/// The network, and Wajub's front door.
extension Life {
    func send(_ call: WajubCall, for machine: PaymentMachine) {
        let sent = SentCall(
            call: call, process: process, attempt: machine.attempt?.number ?? 0, body: body(of: call, machine),
            sentAt: time)
        tell { _ in "→ \(call) \(sent.body)" }
        if dice.chance(faults.lostBefore) {
            let kind = dice.pick([Unanswered.Kind.network, .timeout, .clockSuspect])
            let wait = kind == .timeout ? sent.timeout : dice.duration(milliseconds: 0...500)
            let failure = CallFailure.unanswered(Unanswered(kind, reason: "lost"))
            at(wait, .answer(.missed(call, attempt: sent.attempt, failure), sent))
            if kind != .clockSuspect { late(sent) }
            return
        }
        at(latency(), .reaches(sent, isEcho: false))
    }

    private func body(of call: WajubCall, _ machine: PaymentMachine) -> SentCall.Body {
        guard let attempt = machine.attempt else { return .nothing }
        switch call {
        case .process:
            return .payment(
                PaymentRequest(
                    attempt: attempt.number, key: attempt.key.text, digest: attempt.bodyDigest, sentAt: time))
        case .clientSession: return .clientSession(restart: attempt.demand != nil)
        case .verify, .resend:
            guard case .step(let step) = attempt.demand else { return .nothing }
            // Three in five payers answer right, whenever they are asked.
            return .step(id: step.id, isRight: time.nanoseconds % 5 < 3)
        case .completion: return machine.openClientSession.map { .page(id: $0.id) } ?? .nothing
        case .session, .configuration, .status, .cancel: return .nothing
        }
    }

    private func latency() -> Duration {
        dice.chance(faults.slow) ? dice.duration(milliseconds: 200...9_000) : dice.duration(milliseconds: 20...200)
    }

    /// A copy of a request arrives after its sender gave it up, or a second time.
    private func late(_ sent: SentCall) {
        guard sent.call.pays, dice.chance(faults.late) else { return }
        let waits: [ClosedRange<Int>] = [100...3_000, 1_000...60_000, 60_000...600_000, 600_000...100_000_000]
        at(dice.duration(milliseconds: dice.pick(waits)), .reaches(sent, isEcho: true))
    }

    func reaches(_ sent: SentCall, isEcho: Bool) throws(BrokenRule) {
        let isOrphan = sent.process != process
        if wajub.traits.phone == .isRefused, isOrphan || isEcho, sent.call.pays { return }
        if isEcho, sent.call.pays {
            if wajub.tokenIsDead(at: time) { return }
            tell { _ in "· a late copy arrives: \(sent.body)" }
            _ = payReply(sent)
            return try judgeMoney()
        }
        let (event, took) = answer(to: sent)
        try judgeMoney()
        let timesOut = max(sent.sentAt + sent.timeout, time)
        if dice.chance(faults.twice), wajub.keeps(sent) { late(sent) }
        if dice.chance(faults.lostAfter) || time + took > timesOut {
            let kind = dice.pick([Unanswered.Kind.timeout, .network])
            let wait = kind == .timeout ? timesOut - time : min(latency(), timesOut - time)
            let failure = CallFailure.unanswered(Unanswered(kind, reason: "silence"))
            return at(wait, .answer(.missed(sent.call, attempt: sent.attempt, failure), sent))
        }
        at(min(time + took + latency(), timesOut) - time, .answer(event, sent))
    }

    /// What Wajub, or whatever sits in front of it, answers, and how long that takes; a fault may hit before or after the call took hold.
    private func answer(to sent: SentCall) -> (PaymentEvent, Duration) {
        wajub.advance(to: time, &dice)
        if dice.chance(50), let fault = fault(for: sent.call) {
            if case .unanswered(let silence) = fault, silence.kind != .rateLimited { late(sent) }
            return (.missed(sent.call, attempt: sent.attempt, fault), .zero)
        }
        let (event, took) = honestAnswer(to: sent)
        if let fault = sent.call.pays ? silence() : fault(for: sent.call) {
            return (.missed(sent.call, attempt: sent.attempt, fault), took)
        }
        return (event, took)
    }

    private func fault(for call: WajubCall) -> CallFailure? {
        if let silence = silence() { return silence }
        if dice.chance(faults.rateLimited / 2) {
            let wait: Duration? = dice.chance(80) ? .seconds(dice.pick([1, 10, 61, 2_000, Int.max])) : nil
            return .unanswered(Unanswered(.rateLimited, reason: "wait", httpStatus: 429, retryAfter: wait))
        }
        guard dice.chance(faults.falseRefusal / 2) else { return nil }
        // A 402 or 422 to what pays, and a 409 or 410 to what confirms, is Wajub's own word.
        let statuses =
            call.pays ? [400, 401, 403, 404] + (call == .process ? [409, 410] : []) : [401, 403, 404, 410]
        return .falseRefusal(dice.pick(statuses))
    }

    private func silence() -> CallFailure? {
        if dice.chance(faults.serverError / 2) {
            let status = dice.pick([500, 502, 503, 504])
            let wait: Duration? = dice.chance(30) ? .seconds(dice.int(1...200)) : nil
            return .unanswered(Unanswered(.server, reason: "down", httpStatus: status, retryAfter: wait))
        }
        if dice.chance(faults.notJSON / 2) {
            return .unanswered(Unanswered(.notJSON, reason: "HTML", httpStatus: 200))
        }
        return nil
    }

    private func honestAnswer(to sent: SentCall) -> (PaymentEvent, Duration) {
        func missed(_ status: Int) -> PaymentEvent { .missed(sent.call, attempt: sent.attempt, .falseRefusal(status)) }
        if wajub.tokenIsDead(at: time) { return (missed(dice.pick([401, 410])), .zero) }
        switch sent.call {
        case .session:
            let session = Session(
                transaction: wajub.transaction(at: time, &dice), channels: wajub.channels, realtime: wajub.realtime)
            return (.sessionAnswered(session), .zero)
        case .configuration: return (.configurationAnswered(wajub.configuration), .zero)
        case .status:
            let age: Duration = faults.lag > 0 ? dice.duration(milliseconds: 0...faults.lag) : .zero
            return (.readAnswered(wajub.reading(age: age, at: time, &dice)), .zero)
        case .cancel:
            let refusal = wajub.cancel(sentBefore: sent.sentAt <= book.pressedAt, at: time)
            if refusal == nil { announce() }
            return (refusal.map { .cancelMissed(.refused($0)) } ?? .cancelAnswered, .zero)
        case .process, .clientSession, .verify, .resend, .completion:
            return payReply(sent) ?? (missed(409), .zero)
        }
    }

    /// Lets a request that pays or confirms take hold, and starts what follows from it.
    private func payReply(_ sent: SentCall) -> (PaymentEvent, Duration)? {
        let runs = wajub.runs.count
        let before = wajub.status
        defer {
            for run in wajub.runs.dropFirst(runs) where run.isAlive { at(providerDelay(), .provider(run: run.id)) }
            if before != wajub.status { announce() }
        }
        func event(_ reply: Reply, _ answered: (PayAnswer) -> PaymentEvent) -> PaymentEvent {
            switch reply {
            case .accepted(let answer): answered(answer)
            case .refused(let refusal): .missed(sent.call, attempt: sent.attempt, .refused(refusal))
            }
        }
        switch (sent.call, sent.body) {
        case (.process, .payment(let request)):
            guard let (reply, took) = wajub.process(request, &dice, at: time) else { return nil }
            return (event(reply) { .payAnswered(attempt: sent.attempt, $0) }, took)
        case (.clientSession, .clientSession(let restart)):
            let reply = wajub.open(sent.attempt, restart: restart, &dice, at: time)
            return (event(reply) { .payAnswered(attempt: sent.attempt, $0) }, .zero)
        case (.verify, .step(let id, let isRight)):
            let reply = wajub.verify(id, isRight: isRight, &dice, at: time)
            return (event(reply, PaymentEvent.stepAnswered), .zero)
        case (.resend, .step(let id, _)):
            switch wajub.resend(id, &dice, at: time) {
            case .success(let step): return (.resendAnswered(step), .zero)
            case .failure(let failure): return (.resendMissed(failure), .zero)
            }
        case (.completion, .page(let id)):
            return (event(wajub.complete(id, &dice, at: time), PaymentEvent.completionAnswered), .zero)
        default: return nil
        }
    }
}

extension WajubCall {
    /// Whether it pays or confirms.
    var pays: Bool {
        switch self {
        case .process, .clientSession, .completion, .verify, .resend: true
        case .session, .configuration, .status, .cancel: false
        }
    }
}

extension CallFailure {
    static func falseRefusal(_ status: Int) -> CallFailure {
        .refused(APIRefusal(httpStatus: status, code: ErrorCode(httpStatus: status)))
    }
}
