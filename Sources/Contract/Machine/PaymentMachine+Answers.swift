/// What Wajub answered to a request that pays (`wire.md`, POST /pay/process), and what its reads say of an attempt meanwhile.
extension PaymentMachine {
    mutating func payAnswered(_ number: Int, _ answer: PayAnswer, at now: Instant, _ actions: inout Actions) {
        guard attempt?.number == number, attempt?.isUndecided == true else {
            return lateAnswer(answer.transaction?.status, at: now, &actions)
        }
        actions.note(
            "payment request answered", ["status": answer.transaction?.status.rawValue, "action": answer.action?.name])
        accept(answer, at: now, &actions)
    }

    /// An answer to a request that pays, completes or confirms: what it asks for, or the payment as it is now.
    mutating func accept(_ answer: PayAnswer, at now: Instant, _ actions: inout Actions) {
        attempt?.phase = .accepted
        attempt?.stopTrying()
        attempt?.demand = nil
        actions.persist()
        if let transaction = answer.transaction { take(in: transaction, &actions) }
        guard result == nil else { return lateAnswer(answer.transaction?.status, at: now, &actions) }
        error = nil
        if case .demand(let demand) = answer.action { attempt?.ask(demand, at: now) }
        let isPaid = answer.action == nil && answer.transaction?.status == .succeeded
        guard isShown || isPaid else { return status = .processing }
        syncProgress(&actions)
        switch answer.action {
        case .demand: demanded(at: now, &actions)
        case .pageWithoutAddress: watchOn(.redirectUnavailable, at: now, &actions)
        case .unknown: watchOn(.unsupportedAction, at: now, &actions)
        case nil: answered(with: answer.transaction, at: now, &actions)
        }
    }

    /// No action: paid, or under way. Any other end is for a read to tell.
    private mutating func answered(with transaction: Transaction?, at now: Instant, _ actions: inout Actions) {
        if let transaction, transaction.status == .succeeded {
            return paid(session?.transaction ?? transaction, at: now, &actions)
        }
        status = .processing
        showProcessing(transaction?.context, &actions)
        if let transaction, transaction.status.isFinal {
            read("the answer tells an end", at: now, &actions)
        } else {
            reading.schedule.changed(at: now)
            if !reading.inFlight { scheduleRead(after: ReadSchedule.first, at: now) }
        }
    }

    private mutating func demanded(at now: Instant, _ actions: inout Actions) {
        status = .processing
        showDemand(at: now, &actions)
        reading.schedule.changed(at: now)
        if !reading.inFlight { scheduleRead(after: ReadSchedule.first, at: now) }
    }

    /// The payer can do nothing for it here, and money may still move (`wire.md`, POST /pay/process: never an endless wait).
    private mutating func watchOn(_ code: ErrorCode, at now: Instant, _ actions: inout Actions) {
        status = .processing
        var error = WajubError(code, in: language)
        error.certainty = .indefinite
        self.error = error
        show(.pending, method: method, screen: Screen(.waiting), &actions)
        actions.emit(.error(error))
        read("the answer cannot be followed", at: now, &actions)
    }

    mutating func payMissed(_ number: Int, _ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        guard let attempt, attempt.number == number, attempt.phase == .sent else { return }
        actions.note("payment request missed", failure.evidence)
        if attempt.hasOpenSession { return restartMissed(failure, at: now, &actions) }
        var verdict = AttemptVerdict(failure, of: attempt, in: language)
        // Without a key a request is never repeated by itself.
        if attempt.request == .clientSession, verdict == .tryAgain || verdict == .inProgress { verdict = .unknown }
        switch verdict {
        case .tryAgain:
            tryAgain(AttemptVerdict.retryWaits.dropFirst(attempt.retries).first, after: failure, at: now, &actions)
            self.attempt?.retries += 1
        case .inProgress:
            tryAgain(AttemptVerdict.conflictWaits.dropFirst(attempt.conflicts).first, after: failure, at: now, &actions)
            self.attempt?.conflicts += 1
        case .unknown:
            outcomeUnknown(at: now, &actions)
        case .readFirst(let error):
            readFirst(error, at: now, &actions)
        case .refused(let error):
            refuseAttempt(error, at: now, &actions)
        }
    }

    /// A client session that was to be started anew: the payer may still complete the one that is open, whatever was answered.
    private mutating func restartMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        attempt?.loseAnswer()
        actions.persist()
        if isShown {
            var error = failure.error(in: language)
            error.certainty = .indefinite
            self.error = error
            syncProgress(&actions)
            showAttempt(&actions)
            actions.emit(.error(error))
        }
        read("client session not started anew", at: now, &actions)
    }

    /// The same request once more, as long as its presentation lasts; after the last wait the outcome is unknown.
    private mutating func tryAgain(
        _ wait: Duration?, after failure: CallFailure, at now: Instant, _ actions: inout Actions
    ) {
        let isSleptThrough = attempt?.lastTryAt.map { now - $0 > AttemptVerdict.longestRetryAfter } ?? false
        attempt?.hasUnansweredTry = true
        attempt?.lastTryAt = now
        let asked = failure.retryAfter ?? .zero
        guard let wait, asked <= AttemptVerdict.longestRetryAfter, !isSleptThrough, result == nil else {
            return outcomeUnknown(at: now, &actions)
        }
        attempt?.nextTry = now + max(wait, asked)
        actions.persist()
    }

    /// Never a failure: `PENDING`, and the reads find out (seed 000, "A payment without an answer").
    mutating func outcomeUnknown(at now: Instant, _ actions: inout Actions) {
        attempt?.loseAnswer()
        attempt?.hasUnansweredTry = true
        attempt?.lastTryAt = now
        actions.persist()
        actions.note("outcome unknown")
        guard isShown else { return read("outcome unknown", at: now, &actions) }
        syncProgress(&actions)
        showAttempt(&actions)
        read("outcome unknown", at: now, &actions)
    }

    /// A read decides what a refusal is worth; one that cannot be asked is one that cannot be read.
    mutating func readFirst(_ error: WajubError, at now: Instant, _ actions: inout Actions) {
        attempt?.readFirst = error
        actions.persist()
        read("what the refusal is worth", at: now, &actions)
        if !reading.inFlight { becomeUnanswered(&actions) }
    }

    /// Certainly not charged: the payment is pending again (design.md, "Paying": a definite refusal settles nothing).
    mutating func refuseAttempt(
        _ error: WajubError, toldBy refusal: Refusal? = nil, at now: Instant, _ actions: inout Actions
    ) {
        attempt?.phase = .refused
        attempt?.stopTrying()
        attempt?.demand = nil
        if let refusal {
            (knownRefusal, refusalIsKnown) = (refusal, true)
        } else {
            // Reads will carry it as well, sooner or later: it is no news then, and no answer to the next attempt.
            refusalIsKnown = false
            owedRefusals = (owedRefusals ?? []).suffix(Self.refusalsKept - 1) + [error.code]
            reading.isBeforeRefusal = reading.inFlight
        }
        actions.persist()
        actions.note("attempt refused", ["code": error.code.rawValue])
        guard result == nil else { return }
        if !status.isFinal { status = .pending }
        guard isShown else { return read("attempt refused", at: now, &actions) }
        var error = error
        error.certainty = .definite
        self.error = error
        syncProgress(&actions)
        show(.failed, method: attempt?.method ?? method, screen: nil, &actions)
        actions.emit(.error(error))
        if refusal == nil { read("attempt refused", at: now, &actions) }
    }

    /// The answer to a request whose attempt is decided, or whose presentation has its result: a later truth.
    mutating func lateAnswer(_ status: PaymentStatus?, at now: Instant, _ actions: inout Actions) {
        actions.note("late answer", ["status": status?.rawValue])
        if status == .succeeded { attempt?.phase = .succeeded }
        if result != nil, let status, status != .pending {
            learn(status, at: now, &actions)
        } else {
            read("late answer", at: now, &actions)
        }
    }
}

// MARK: What reads say of an attempt

extension PaymentMachine {
    /// A read says processing: whatever was sent has arrived.
    mutating func attemptIsProcessing(_ context: ProcessingContext?, _ actions: inout Actions) {
        guard let attempt, attempt.isUndecided, attempt.baselineUntil == nil else {
            return showProcessing(context, &actions)
        }
        if !attempt.sawProcessing || attempt.isPayOpen {
            self.attempt?.sawProcessing = true
            self.attempt?.isPayOpen = false
            actions.persist()
        }
        if attempt.readFirst != nil { return becomeUnanswered(&actions) }
        guard result == nil else { return }
        if !attempt.isSending { showAttempt(&actions, context: context) }
    }

    /// A read says plain pending: a newer refusal is this attempt's answer, and long silence opens Pay again.
    mutating func attemptIsPending(_ carried: Refusal?, at now: Instant, _ actions: inout Actions) {
        guard let attempt, attempt.isUndecided, attempt.baselineUntil == nil else { return }
        if let error = attempt.readFirst {
            // The read that was under way is too old to tell.
            return reading.again ? () : refuseAttempt(error, at: now, &actions)
        }
        // What is on its way about it says more; and its answer must not be taken for the next attempt's.
        guard !attempt.isWorking else { return }
        if let carried, let before = attempt.refusalsBefore, !before.contains(carried.at), !isOwed(carried.code) {
            var error = WajubError(carried.code, in: language)
            error.apiMessage = carried.message
            return refuseAttempt(error, toldBy: carried, at: now, &actions)
        }
        if attempt.isReadDue, !attempt.sawProcessing, !attempt.isPayOpen, !reading.again { openPayAgain(&actions) }
    }

    /// The read that was to judge a refusal missed, or shows money moving: watched as `PENDING`.
    mutating func becomeUnanswered(_ actions: inout Actions) {
        guard attempt?.readFirst != nil else { return }
        attempt?.loseAnswer()
        actions.persist()
        guard isShown else { return }
        syncProgress(&actions)
        showAttempt(&actions)
    }

    /// Back to the form: the request most likely never arrived. The attempt stays undecided for cancel and close; Pay alone is open, with
    /// the same key.
    private mutating func openPayAgain(_ actions: inout Actions) {
        attempt?.isPayOpen = true
        actions.persist()
        guard isShown else { return }
        var error = WajubError(.networkError, in: language)
        error.certainty = .indefinite
        self.error = error
        showAttempt(&actions)
        actions.emit(.error(error))
    }

    /// Whether the till has been told of this presentation's load, and not yet of its result: what an attempt of an earlier one does
    /// before that is shown with `ready`.
    var isShown: Bool { result == nil && told != .nothing }

    /// Whether a read's refusal is one that an attempt's own answer told already.
    func isOwed(_ code: ErrorCode) -> Bool { owedRefusals?.contains(code) == true }
}

extension PaymentMachine {
    /// Nothing is sent once the result is told; an end that Wajub told decides the attempt.
    mutating func decideAttempt() {
        guard let attempt, attempt.isUndecided else { return }
        if status.isFinal {
            self.attempt?.phase = status == .succeeded ? .succeeded : .refused
            self.attempt?.demand = nil
        } else if attempt.phase == .recorded || attempt.nextTry != nil || attempt.readFirst != nil {
            self.attempt?.loseAnswer()
        }
        self.attempt?.stopTrying()
    }

    /// No work is left to show.
    mutating func hideProgress(_ actions: inout Actions) {
        guard progressShown == true else { return }
        progressShown = false
        actions.emit(.progress(false))
    }
}

extension PayAnswer.Action {
    /// For `payment.explain`.
    fileprivate var name: String {
        switch self {
        case .demand(.page): "page"
        case .demand(.step(let step)): "step \(step.kind.rawValue)"
        case .demand(.clientSession): "client session"
        case .pageWithoutAddress: "page without an address"
        case .unknown(let word): "unknown: \(word.prefix(64))"
        }
    }
}
