/// How an attempt changes by itself: pressed again, asked for more, silent, presented again, recovered. What Wajub says of it is the
/// machine's to judge (`PaymentMachine+Answers.swift`).
extension Attempt {
    /// Pay pressed again where it had opened again: the same attempt and key, whatever the body.
    mutating func press(again press: Press) {
        if hasUnansweredTry, press.bodyDigest != bodyDigest || press.request != request {
            hasOtherBodyUnanswered = true
        }
        request = press.request
        method = press.method
        channel = press.channel
        bodyDigest = press.bodyDigest
        phoneMasked = press.phoneMasked
        phase = .recorded
        stopTrying()
        (retries, conflicts) = (0, 0)
        (isReadDue, isPayOpen) = (false, false)
    }

    /// Whether a request may take the place of one that went without an answer. A client session has no key: what is paid on its page and
    /// what arrived under the key would be two charges. One that was not heard of was seen by no payer.
    func mayBeFollowed(by request: Press.Request) -> Bool { request == .process || self.request == .clientSession }

    /// A client session can be started anew while the payer has not completed it: the provider's page takes the money, and it is one.
    func canRestartClientSession(_ request: Press.Request) -> Bool {
        guard request == .clientSession, phase == .accepted, !isCompleting, case .clientSession = demand else {
            return false
        }
        return true
    }

    /// Whether the key may have been forgotten. After a reboot the wall clock alone knows how long the machine was off; one that runs
    /// behind knows nothing.
    func isKeyOld(at now: Instant, wallTime: Double) -> Bool {
        let isOldByWall = wallTime - startedAt >= PaymentMachine.keyLifetime.inSeconds
        let isWallBehind = isRebooted && wallTime < startedAt
        return now - keyMadeAt >= PaymentMachine.keyLifetime || isOldByWall || isWallBehind
    }

    /// When the read is due that may open Pay again.
    var readDue: Instant? {
        guard phase == .unanswered, !isReadDue, !isPayOpen, !sawProcessing else { return nil }
        return lastTryAt.map { $0 + PaymentMachine.unansweredLimit }
    }

    /// Keeps what the payer has to do for it.
    mutating func ask(_ demand: Demand, at now: Instant) {
        self.demand = demand
        guard case .step(var step) = demand else { return }
        step.openedAt = now
        self.demand = .step(step)
    }

    /// A client session that the payer can complete.
    var hasOpenSession: Bool {
        if case .clientSession = demand { true } else { false }
    }

    /// Its request has no answer that decides. While a client session is open, the payer's page decides, and not a request.
    mutating func loseAnswer() {
        phase = hasOpenSession ? .accepted : .unanswered
        stopTrying()
    }

    mutating func stopTrying() {
        (nextTry, baselineUntil, readFirst) = (nil, nil, nil)
    }

    /// An answer to a step leaves, or the wish for a new code. Until Wajub's word on it is heard the step may be over, or another one.
    mutating func ask(about step: Step) {
        wasUnheard = unheardStep == step.id
        unheardStep = step.id
    }

    /// Wajub's word on it was heard.
    mutating func heard() {
        if !wasUnheard { unheardStep = nil }
    }

    /// Presented again: a read of this presentation decides whether Pay opens, and nothing is tried again that was not pressed in it.
    mutating func reopen() {
        (isReadDue, isPayOpen) = (false, false)
        (retries, conflicts) = (AttemptVerdict.retryWaits.count, AttemptVerdict.conflictWaits.count)
    }

    /// The process that sent its requests is gone: what was on its way is unanswered, and never sent again by itself.
    mutating func recover(at now: Instant) {
        (isVerifying, isResending, isCompleting, isReadDue) = (false, false, false, false)
        guard isUndecided, isSending else { return }
        loseAnswer()
        hasUnansweredTry = true
        lastTryAt = lastTryAt ?? now
    }

    /// Moves its moments to the clock of another boot.
    mutating func rebase(by offset: Duration) {
        isRebooted = true
        keyMadeAt = keyMadeAt + offset
        lastTryAt = lastTryAt.map { $0 + offset }
        nextTry = nextTry.map { $0 + offset }
        baselineUntil = baselineUntil.map { $0 + offset }
        guard case .step(var step) = demand else { return }
        step.openedAt = step.openedAt + offset
        demand = .step(step)
    }

    /// Whether a request that pays or confirms is on its way.
    var isWorking: Bool { (isUndecided && isSending) || isVerifying || isResending || isCompleting }
}
