/// What an accepted attempt asks of the payer: pages, confirmation steps, client sessions (seed 000, "Cards" and "Confirmation steps").
extension PaymentMachine {
    /// Shows what the attempt asks of the payer, and tells it.
    mutating func showDemand(at now: Instant, _ actions: inout Actions) {
        showAttempt(&actions)
        switch attempt?.demand {
        case .page(let url): actions.emit(.redirect(url))
        case .step(let step): actions.emit(.step(step, resendIn: step.resendWait(at: now)))
        case .clientSession(let session):
            if let url = session.hostedURL { actions.emit(.redirect(url)) }
        case nil: break
        }
    }

    /// The step that waits for an answer; nil while one is being checked.
    package var pendingStep: Step? {
        guard let attempt, attempt.isUndecided, !attempt.isVerifying, !attempt.isResending,
            case .step(let step) = attempt.demand
        else { return nil }
        return step
    }

    /// The client session that the payer has not completed yet; nil while another is asked for, or while a read decides about it.
    package var openClientSession: ClientSession? {
        guard let attempt, attempt.isUndecided, !attempt.isSending, attempt.readFirst == nil,
            case .clientSession(let session) = attempt.demand
        else { return nil }
        return session
    }

    /// Why no step can be answered now; nil if one can.
    package func refusalToVerify() -> ErrorCode? {
        if result != nil { return .paymentEnded }
        if !isLoaded { return .notReady }
        return pendingStep == nil ? .noStepPending : nil
    }

    /// Why nobody can be back from a page now; nil if they can. A payment that has its result meanwhile is told as it is.
    package func refusalToReturn() -> ErrorCode? {
        isLoaded || result != nil ? nil : .notReady
    }

    /// Whether a request that pays or confirms is on its way, between two tries included, or a read that decides what its refusal is worth.
    package var isPayRequestUnderWay: Bool { attempt?.isWorking == true || attempt?.readFirst != nil }

    // MARK: Answering a step

    mutating func verify(_ actions: inout Actions) {
        guard refusalToVerify() == nil, let step = pendingStep else { return }
        attempt?.isVerifying = true
        attempt?.ask(about: step)
        error = nil
        actions.persist()
        if told == .nothing { tellReady(&actions) }
        actions.note("step answered by the payer")
        showAttempt(&actions)
        actions.add(.send(.verify))
    }

    mutating func stepAnswered(_ answer: PayAnswer, at now: Instant, _ actions: inout Actions) {
        guard attempt?.isVerifying == true else { return }
        attempt?.isVerifying = false
        actions.note("step accepted", ["status": answer.transaction?.status.rawValue])
        guard attempt?.isUndecided == true else { return lateAnswer(answer.transaction?.status, at: now, &actions) }
        accept(answer, at: now, &actions)
    }

    /// A wrong answer keeps the step, a step that ended ends the attempt, and silence ends nothing (`wire.md`, "Steps").
    mutating func stepMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        guard attempt?.isVerifying == true else { return }
        attempt?.isVerifying = false
        actions.persist()
        actions.note("step not accepted", failure.evidence)
        guard attempt?.isUndecided == true else { return }
        if case .refused(let refusal) = failure {
            attempt?.heard()
            switch refusal.httpStatus {
            case 402,
                // A firewall in front of Wajub blocks as well, and names no reason of Wajub's.
                403 where refusal.code != .blocked:
                return refuseAttempt(refusal.error(in: language), at: now, &actions)
            case 410:
                return stepIsGone(refusal, at: now, &actions)
            case 409, 422:
                return keepStep(failure, attemptsLeft: refusal.attemptsLeft, at: now, &actions)
            default:
                attempt?.demand = nil
                return outcomeUnknown(at: now, &actions)
            }
        }
        keepStep(failure, attemptsLeft: nil, at: now, &actions)
        read("step unanswered", at: now, &actions)
    }

    /// An expired step ends the attempt. One that was answered, and whose answer went unheard, may be gone because it was right; and a
    /// 410 of another code may be the token's.
    private mutating func stepIsGone(_ refusal: APIRefusal, at now: Instant, _ actions: inout Actions) {
        guard case .step(let step) = attempt?.demand else { return }
        let error = refusal.error(as: .stepExpired, in: language)
        attempt?.demand = nil
        if attempt?.unheardStep == step.id {
            outcomeUnknown(at: now, &actions)
        } else if refusal.code == .stepExpired {
            refuseAttempt(error, at: now, &actions)
        } else {
            if isShown { showAttempt(&actions) }
            readFirst(error, at: now, &actions)
        }
    }

    private mutating func keepStep(
        _ failure: CallFailure, attemptsLeft: Int?, at now: Instant, _ actions: inout Actions
    ) {
        guard case .step(var step) = attempt?.demand else { return }
        step.attemptsLeft = attemptsLeft ?? step.attemptsLeft
        attempt?.demand = .step(step)
        guard isShown else { return }
        tell(failure.error(in: language), keeping: step, at: now, &actions)
    }

    /// Shows the step again, with what was wrong.
    private mutating func tell(
        _ error: WajubError, keeping step: Step, at now: Instant, _ actions: inout Actions
    ) {
        var error = error
        error.certainty = .indefinite
        self.error = error
        syncProgress(&actions)
        showAttempt(&actions)
        actions.emit(.step(step, resendIn: step.resendWait(at: now)))
        actions.emit(.error(error))
    }

    // MARK: A new code

    /// Why no new code can be asked for now; nil if it can. `resend_too_early` goes with ``Step/resendWait(at:)``.
    package func refusalToResend(at now: Instant) -> ErrorCode? {
        if let refusal = refusalToVerify() { return refusal }
        return pendingStep?.resendWait(at: now) == .zero ? nil : .resendTooEarly
    }

    mutating func resend(at now: Instant, _ actions: inout Actions) {
        guard refusalToResend(at: now) == nil, let step = pendingStep else { return }
        attempt?.isResending = true
        attempt?.ask(about: step)
        error = nil
        actions.persist()
        actions.note("new code asked for")
        actions.add(.send(.resend))
    }

    mutating func resendAnswered(_ new: Step?, at now: Instant, _ actions: inout Actions) {
        guard attempt?.isResending == true else { return }
        attempt?.isResending = false
        attempt?.heard()
        actions.persist()
        guard attempt?.isUndecided == true, case .step(var step) = attempt?.demand else { return }
        step.openedAt = now
        if let new, new.kind == step.kind {
            (step.id, step.attemptsLeft, step.hint) = (
                new.id, new.attemptsLeft ?? step.attemptsLeft, new.hint ?? step.hint
            )
        }
        attempt?.demand = .step(step)
        guard isShown else { return }
        syncProgress(&actions)
        actions.emit(.step(step, resendIn: step.resendWait(at: now)))
    }

    mutating func resendMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        guard attempt?.isResending == true else { return }
        attempt?.isResending = false
        actions.persist()
        if case .refused = failure { attempt?.heard() }
        actions.note("no new code", failure.evidence)
        guard attempt?.isUndecided == true, case .step(let step) = attempt?.demand, isShown else { return }
        if case .refused(let refusal) = failure, refusal.httpStatus == 410 {
            return stepIsGone(refusal, at: now, &actions)
        }
        tell(failure.error(in: language), keeping: step, at: now, &actions)
    }

    // MARK: Back from a page

    /// Completes the client session if one is open, else reads the status, at once (seed 000, "Cards").
    mutating func returned(at now: Instant, _ actions: inout Actions) {
        guard refusalToReturn() == nil, result == nil else { return }
        actions.note("payer returned")
        guard openClientSession != nil else { return read("payer returned", at: now, &actions) }
        guard attempt?.isCompleting != true else { return }
        attempt?.isCompleting = true
        actions.persist()
        actions.add(.send(.completion))
    }

    mutating func completionAnswered(_ answer: PayAnswer, at now: Instant, _ actions: inout Actions) {
        guard attempt?.isCompleting == true else { return }
        attempt?.isCompleting = false
        actions.note("client session completed", ["status": answer.transaction?.status.rawValue])
        actions.persist()
        guard attempt?.isUndecided == true, answer.transaction?.status == .succeeded else {
            return lateOrUnsettled(answer.transaction?.status, at: now, &actions)
        }
        accept(answer, at: now, &actions)
    }

    /// Declined or expired ends the attempt; anything else is not settled yet (`wire.md`, POST /pay/client-session).
    mutating func completionMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        guard attempt?.isCompleting == true else { return }
        attempt?.isCompleting = false
        actions.persist()
        actions.note("client session not completed", failure.evidence)
        guard attempt?.isUndecided == true, case .refused(let refusal) = failure,
            [402, 410].contains(refusal.httpStatus)
        else { return lateOrUnsettled(nil, at: now, &actions) }
        if refusal.httpStatus == 402 { return refuseAttempt(refusal.error(in: language), at: now, &actions) }
        // What the provider took before its page expired may still reach Wajub.
        readFirst(refusal.error(as: .clientSessionExpired, in: language), at: now, &actions)
    }

    private mutating func lateOrUnsettled(_ status: PaymentStatus?, at now: Instant, _ actions: inout Actions) {
        guard result == nil, attempt?.isUndecided == true else { return lateAnswer(status, at: now, &actions) }
        syncProgress(&actions)
        if isShown { showAttempt(&actions) }
        read("client session not settled", at: now, &actions)
    }
}

// MARK: What the till draws

extension PaymentMachine {
    /// The screen of the attempt; one that asks for nothing waits as the payment's own context says.
    mutating func showAttempt(_ actions: inout Actions, context: ProcessingContext? = nil) {
        guard let attempt else { return }
        switch attempt.demand {
        case .page(let url):
            show(.pending, method: attempt.method, screen: Screen(.redirect, actionURL: url), &actions)
        case .clientSession(let session):
            show(
                .pending, method: attempt.method, screen: Screen(.clientSession, actionURL: session.hostedURL), &actions
            )
        case .step(let step):
            show(
                attempt.isVerifying ? .verifying : step.kind.state, method: attempt.method, screen: Screen(.step),
                &actions)
        case nil where attempt.isPayOpen:
            show(.collectingDetails, method: attempt.method, screen: nil, &actions)
        case nil where attempt.isSending:
            show(.processing, method: attempt.method, screen: nil, &actions)
        case nil:
            showProcessing(context ?? session?.transaction.context, &actions)
        }
    }

    /// Tells that work began or ended, where it did (seed 003, "showProgress" and "hideProgress").
    mutating func syncProgress(_ actions: inout Actions) {
        // A request of an earlier presentation may be on its way still: nothing is shown before this one has opened.
        let isWorking = result == nil && told != .nothing && attempt?.isWorking == true
        guard isWorking != (progressShown ?? false) else { return }
        progressShown = isWorking
        actions.emit(.progress(isWorking))
    }
}

extension APIRefusal {
    /// The error that tells it under another code.
    func error(as code: ErrorCode, in language: Language) -> WajubError {
        var renamed = self
        renamed.code = code
        return renamed.error(in: language)
    }
}
