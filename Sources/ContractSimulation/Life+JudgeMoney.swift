internal import Contract

/// Promise 1, checked from outside: by what leaves, and by what is true of the money.
extension Life {
    // MARK: What is pressed and posted

    /// A press that the machine took.
    func pressed(_ press: Press, before: PaymentMachine, after: PaymentMachine) throws(BrokenRule) {
        guard let attempt = after.attempt, attempt.phase == .recorded || attempt.phase == .sent else {
            throw BrokenRule("a press begins an attempt")
        }
        guard before.result == nil, before.isLoaded, before.closing == nil,
            before.status == .pending || press.request == .clientSession
        else { throw BrokenRule("Pay only while it is open") }
        if before.attempt?.isUndecided == true, attempt.key != before.attempt?.key {
            throw BrokenRule("one attempt, one key", "another one at the second press")
        }
        if attempt.bodyDigest != press.bodyDigest { throw BrokenRule("a press sends its own body") }
        book.pressed(press, key: attempt.key, at: time)
        tally.presses += 1
    }

    /// What holds when a request that pays or confirms leaves.
    func judgePost(_ call: WajubCall, by machine: PaymentMachine) throws(BrokenRule) {
        guard let attempt = machine.attempt, attempt.isUndecided else {
            throw BrokenRule("nothing is posted for a decided attempt", "\(call)")
        }
        if machine.result != nil { throw BrokenRule("nothing is posted after a result", "\(call)") }
        guard store.machine?.attempt?.key == attempt.key, store.machine?.attempt?.bodyDigest == attempt.bodyDigest
        else {
            throw BrokenRule("the key is durable before its request leaves")
        }
        guard call == .process || call == .clientSession else { return try judgeConfirmation(call, of: attempt) }
        let total = book.inFlight[.process, default: 0] + book.inFlight[.clientSession, default: 0]
        if total > 0 { throw BrokenRule("at most one request that pays under way") }
        guard let press = book.press else { throw BrokenRule("nothing is posted without a press", "\(call)") }
        if press.bodyDigest != attempt.bodyDigest { throw BrokenRule("one press, one body") }
        if (press.request == .process) != (call == .process) { throw BrokenRule("one press, one request") }
        guard let madeAt = book.keyMadeAt[attempt.key.text] else {
            throw BrokenRule("one attempt, one key", "nobody pressed for it")
        }
        if call == .clientSession, book.unheard.contains(attempt.number) {
            throw BrokenRule("what may have arrived is followed by its key alone")
        }
        if let last = book.lastPost, last.key != attempt.key.text {
            if last.attempt == attempt.number { throw BrokenRule("one attempt, one key") }
            if !book.refused.contains(last.attempt) { throw BrokenRule("no new key while an attempt is undecided") }
        }
        if time - madeAt >= WajubModel.keyMemory { throw BrokenRule("no key is posted that Wajub may have forgotten") }
        book.lastPost = (attempt.key.text, attempt.number)
        try judgeRetry()
        tally.posts += 1
        // Somebody else was refused since the last read.
        if wajub.refusal != machine.knownRefusal, wajub.traits.phone == .isRefused,
            time - book.readAskedAt <= PaymentMachine.baselineAge
        {
            isExcused = true
        }
    }

    private func judgeConfirmation(_ call: WajubCall, of attempt: Attempt) throws(BrokenRule) {
        if book.inFlight[call, default: 0] > 0 { throw BrokenRule("at most one confirmation under way", "\(call)") }
        switch (call, attempt.demand) {
        case (.verify, .step), (.resend, .step), (.completion, .clientSession): break
        default: throw BrokenRule("a confirmation only where one is asked", "\(call)")
        }
    }

    /// Tried again twice at most, after silence alone, and three times where an earlier request is in progress; each after its wait.
    private func judgeRetry() throws(BrokenRule) {
        if book.posts > 0 {
            guard let (failure, at) = book.missed else { throw BrokenRule("one press, one request at a time") }
            let isInProgress = failure.isInProgress
            guard isInProgress || failure.isSilence else {
                throw BrokenRule("tried again after silence alone", "\(failure)")
            }
            if isInProgress { book.again.inProgress += 1 } else { book.again.afterSilence += 1 }
            if book.again.afterSilence > 2 || book.again.inProgress > 3 {
                throw BrokenRule("tried again twice at most")
            }
            if time - at < max(.seconds(1), failure.retryAfter ?? .zero) {
                throw BrokenRule("tried again after its wait")
            }
        }
        book.posts += 1
        book.postedAt = time
        book.missed = nil
    }

    /// What a refusal and a read do to an attempt at once.
    func judgeAnswer(_ event: PaymentEvent, before: PaymentMachine, after: PaymentMachine) throws(BrokenRule) {
        guard let attempt = after.attempt, before.attempt?.number == attempt.number else { return }
        if case .payMissed(_, let failure) = event {
            book.missed = (failure, time)
            if case .refused(let refusal) = failure, [400, 401, 404, 409, 410].contains(refusal.httpStatus),
                !attempt.isUndecided, before.attempt?.isUndecided == true
            {
                throw BrokenRule("a doubtful refusal is read first", "\(refusal.httpStatus)")
            }
        }
        if case .readAnswered(let reading) = event, reading.transaction.status == .processing, book.posts > 0,
            after.status == .processing, attempt.isUndecided
        {
            book.sawProcessing.insert(attempt.number)
        }
        guard attempt.isPayOpen, before.attempt?.isPayOpen != true else { return }
        guard case .readAnswered(let reading) = event, reading.transaction.status == .pending else {
            throw BrokenRule("Pay opens again only when a read says pending")
        }
        if book.sawProcessing.contains(attempt.number) { throw BrokenRule("Pay stays closed once it was processing") }
        if time - book.postedAt < PaymentMachine.unansweredLimit { throw BrokenRule("Pay opens again after 60 s") }
    }

    // MARK: What is decided

    /// `refused` means: certainly not charged, now and later.
    func judgeDecision(before: PaymentMachine, after: PaymentMachine) throws(BrokenRule) {
        guard let attempt = after.attempt,
            before.attempt?.number != attempt.number || before.attempt?.phase != attempt.phase
        else { return }
        tally.phases[attempt.phase.rawValue, default: 0] += 1
        if attempt.isUndecided { return }
        if attempt.phase == .succeeded {
            if wajub.status != .succeeded { throw BrokenRule("succeeded only when paid") }
            return
        }
        if wajub.hasMoved(attempt.number) {
            throw BrokenRule("refused only when it certainly does not charge", "attempt \(attempt.number)")
        }
    }

    /// What is durable was told, and holds.
    func persisted(_ machine: PaymentMachine) {
        book.sawProcessingDurably = book.sawProcessing
        if let attempt = machine.attempt, attempt.phase == .refused { book.refused.insert(attempt.number) }
        if let result = machine.result, result.isUnpaid(machine.status) {
            book.lastUnpaid = max(book.lastUnpaid, machine.attempt?.number ?? 0)
        }
    }

    /// What holds whenever something happened at Wajub.
    func judgeMoney() throws(BrokenRule) {
        guard wajub.ownCharges > book.charges else { return }
        book.charges = wajub.ownCharges
        if book.charges > 1 { throw BrokenRule("at most one charge per payment") }
        guard let charged = wajub.charges.last else { return }
        if book.refused.contains(charged.attempt) {
            throw BrokenRule("a refused attempt never charges", "attempt \(charged.attempt)")
        }
        if charged.attempt <= book.lastUnpaid {
            throw BrokenRule("what was told as unpaid never charges", "attempt \(charged.attempt)")
        }
    }

    func judgeAdvice(_ advice: Advice, of machine: PaymentMachine) throws(BrokenRule) {
        guard advice.safeToRetry else { return }
        if machine.refusalToPay(at: now, wallTime: wallTime) != nil {
            throw BrokenRule("safe to retry only where Pay is open")
        }
        let undecided = machine.attempt?.isUndecided == true ? machine.attempt?.number : nil
        if wajub.runs.contains(where: { $0.attempt > 0 && $0.attempt != undecided && wajub.hasMoved($0.attempt) }) {
            throw BrokenRule("safe to retry only when it cannot charge twice")
        }
    }

    // MARK: What is told

    func judgeAttempt(_ news: PaymentNews, of machine: PaymentMachine) throws(BrokenRule) {
        switch news {
        case .progress(let isWorking):
            if isWorking == book.showsProgress { throw BrokenRule("progress begins and ends by turns") }
            book.showsProgress = isWorking
        case .step(let step, _):
            guard case .step(let pending) = machine.attempt?.demand, pending.id == step.id else {
                throw BrokenRule("a step is told while it is pending")
            }
        case .paymentStarted(_, _, let attempt):
            if machine.attempt?.number != attempt { throw BrokenRule("a started attempt is the present one") }
            book.watchEnds = time + PaymentMachine.watchLimit + .seconds(31)
        default: break
        }
    }

    /// Work that is shown is under way, and what is under way is shown.
    func judgeProgress(_ machine: PaymentMachine) throws(BrokenRule) {
        guard machine.result == nil, let attempt = machine.attempt else { return }
        let requests = WajubCall.allCases.reduce(0) { $0 + ($1.pays ? book.inFlight[$1, default: 0] : 0) }
        let isSending = attempt.phase == .recorded || attempt.phase == .sent
        if book.showsProgress, requests == 0, !isSending { throw BrokenRule("progress is shown while there is some") }
        if isSending, requests == 0 {
            let since = book.idleSince ?? time
            if time - since > .seconds(100) { throw BrokenRule("an attempt is never forgotten") }
            book.idleSince = since
        } else {
            book.idleSince = nil
        }
    }
}

extension CallFailure {
    /// Whether it is worth another try (design.md, "Paying").
    fileprivate var isSilence: Bool {
        guard case .unanswered(let unanswered) = self else { return false }
        return switch unanswered.kind {
        case .network, .timeout, .notJSON, .clockSuspect: true
        case .server: [502, 503, 504].contains(unanswered.httpStatus)
        case .rateLimited: false
        }
    }

    /// Whether an earlier request with the key, or another attempt, is under way.
    fileprivate var isInProgress: Bool {
        guard case .refused(let refusal) = self else { return false }
        return refusal.code == .paymentInProgress || refusal.details["idempotency_key"] != nil
    }
}

extension CheckoutResult {
    /// Whether it says that the payment certainly was not paid, and will not be.
    fileprivate func isUnpaid(_ status: PaymentStatus) -> Bool {
        switch self {
        case .complete, .processing: false
        case .failed: status != .unknown
        case .cancelled: true
        }
    }
}
