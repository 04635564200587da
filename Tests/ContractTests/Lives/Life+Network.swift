import Contract

/// The network, and Wajub's front door.
extension Life {
    static let timeout: Duration = .seconds(15)

    mutating func send(_ call: WajubCall) {
        let sent = SentCall(call: call, process: process, sentAt: time)
        tell { _ in "→ \(call)" }
        if dice.chance(faults.lostBefore) {
            let kind = dice.pick([Unanswered.Kind.network, .timeout, .clockSuspect])
            let wait = kind == .timeout ? Self.timeout : dice.duration(milliseconds: 0...500)
            return at(wait, .answer(.missed(call, attempt: 0, .unanswered(Unanswered(kind, reason: "lost"))), sent))
        }
        at(latency(), .reaches(sent))
    }

    private mutating func latency() -> Duration {
        dice.chance(faults.slow) ? dice.duration(milliseconds: 200...9_000) : dice.duration(milliseconds: 20...200)
    }

    mutating func reaches(_ sent: SentCall) {
        let event = answer(to: sent.call)
        let timesOut = max(sent.sentAt + Self.timeout, time)
        if dice.chance(faults.lostAfter) {
            return at(timesOut - time, .answer(.missed(sent.call, attempt: 0, Sheet.silence), sent))
        }
        at(min(time + latency(), timesOut) - time, .answer(event, sent))
    }

    /// What Wajub, or whatever sits in front of it, answers; a fault may hit before or after a cancel took hold.
    private mutating func answer(to call: WajubCall) -> PaymentEvent {
        wajub.expire(at: time)
        if dice.chance(50), let fault = fault() { return .missed(call, attempt: 0, fault) }
        let event = honestAnswer(to: call)
        if let fault = fault() { return .missed(call, attempt: 0, fault) }
        return event
    }

    private mutating func fault() -> CallFailure? {
        if dice.chance(faults.serverError / 2) {
            let status = dice.pick([500, 502, 503])
            let wait: Duration? = dice.chance(30) ? .seconds(dice.int(1...200)) : nil
            return .unanswered(Unanswered(.server, reason: "down", httpStatus: status, retryAfter: wait))
        }
        if dice.chance(faults.notJSON / 2) {
            return .unanswered(Unanswered(.notJSON, reason: "HTML", httpStatus: 200))
        }
        if dice.chance(faults.rateLimited / 2) {
            let wait: Duration? = dice.chance(80) ? .seconds(dice.pick([1, 10, 61, 2_000, Int.max])) : nil
            return .unanswered(Unanswered(.rateLimited, reason: "wait", httpStatus: 429, retryAfter: wait))
        }
        return dice.chance(faults.falseRefusal / 2) ? Sheet.refusal(dice.pick([401, 403, 404, 410])) : nil
    }

    private mutating func honestAnswer(to call: WajubCall) -> PaymentEvent {
        if wajub.tokenIsDead(at: time) { return .missed(call, attempt: 0, Sheet.refusal(dice.pick([401, 410]))) }
        let transaction = wajub.transaction(at: time)
        switch call {
        case .session:
            return .sessionAnswered(
                Session(transaction: transaction, channels: wajub.channels, realtime: wajub.realtime))
        case .configuration: return .configurationAnswered(wajub.configuration)
        case .status: return .readAnswered(StatusReading(transaction: transaction, lastFailure: wajub.refusal))
        case .cancel:
            let refusal = wajub.cancel(at: time)
            if refusal == nil { announce() }
            return refusal.map { .cancelMissed(.refused($0)) } ?? .cancelAnswered
        case .process, .clientSession, .completion, .verify, .resend:
            return .missed(call, attempt: 0, Sheet.silence)
        }
    }

    // MARK: Realtime

    mutating func connect() {
        let id = dice.int(1...1_000_000_000)
        connection = id
        at(dice.duration(milliseconds: 50...4_000), .realtime(.connected, connection: id))
    }

    mutating func realtime(_ state: RealtimeState) throws(BrokenRule) {
        guard let connection else { return }
        if state == .connected, faults.drop > 0 {
            at(dice.duration(milliseconds: 500...90_000), .realtime(.connecting, connection: connection))
        } else if state == .connecting {
            let next: RealtimeState = dice.chance(20) ? .off : .connected
            at(dice.duration(milliseconds: 500...30_000), .realtime(next, connection: connection))
        }
        try handle(.realtimeChanged(state))
    }

    /// Tells the channel the status that is now true, as well as the network carries it.
    private mutating func announce() {
        guard let connection, machine?.realtime == .connected, !dice.chance(faults.signalLost) else { return }
        var status = wajub.status
        if dice.chance(faults.signalLies) { status = dice.pick([.succeeded, .failed, .cancelled, .processing]) }
        let wait =
            dice.chance(faults.signalLate)
            ? dice.duration(milliseconds: 1_000...30_000) : dice.duration(milliseconds: 10...300)
        at(wait, .signal(status, connection: connection))
        if dice.chance(faults.signalTwice) { at(wait + .seconds(1), .signal(status, connection: connection)) }
    }

    mutating func customer() {
        var own = dice
        let changed = wajub.live(&own, at: time)
        dice = own
        if changed { tell { "· Wajub: \($0.wajub.status)" } }
        if changed || faults.signalLies > 0 { announce() }
        at(dice.duration(milliseconds: 500...90_000), .customer)
    }
}
