extension PaymentMachine {
    mutating func readAnswered(_ answer: StatusReading, at now: Instant, _ actions: inout Actions) {
        guard reading.inFlight else { return }
        reading.inFlight = false
        reading.notBefore = nil
        reads += 1
        lastReadError = nil
        actions.note(
            "read answered",
            ["status": answer.transaction.status.rawValue, "refusal": answer.lastFailure?.code.rawValue])
        guard !status.isFinal else { return }
        if reading.isStale { return staleAnswered(answer, at: now, &actions) }

        let before = (status, screen, knownRefusal)
        apply(answer, at: now, &actions)
        if before != (status, screen, knownRefusal) {
            reading.schedule.changed(at: now)
            actions.persist()
        }
        if isRefusalKnown(at: now) { sendAfterBaseline(at: now, &actions) }
        decideClosing(at: now, &actions)
        goOnReading(after: reading.schedule.answered(at: now, subscribed: realtime == .connected), at: now, &actions)
    }

    /// A read that misses is never a failure: it is told in `last_read_error`, and the watch goes on (design.md, promise 2).
    mutating func readMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        guard reading.inFlight else { return }
        reading.inFlight = false
        reads += 1
        lastReadError = failure.error(in: language)
        reading.isStale = false
        reading.isBeforeRefusal = false
        leaveAlone(for: failure.retryAfter, at: now)
        actions.note("read missed", failure.evidence)
        guard !status.isFinal, isLoaded else { return }
        if closing?.phase == .reading, !reading.again { settle(.processing, at: now, &actions) }
        if !reading.again {
            becomeUnanswered(&actions)
            sendAfterBaseline(at: now, &actions)
        }
        if result != nil, case .refused(let refusal) = failure, refusal.endsToken {
            endWatch(&actions)
            return eraseToken(&actions)
        }
        let wait = reading.schedule.missed(
            at: now, subscribed: realtime == .connected, retryAfter: failure.retryAfter)
        goOnReading(after: wait, at: now, &actions)
    }

    private mutating func goOnReading(after wait: Duration, at now: Instant, _ actions: inout Actions) {
        let again = reading.again
        reading.again = false
        if watch == .finishing { return again ? read("limit", at: now, &actions) : finishWatch(at: now, &actions) }
        guard !status.isFinal else { return }
        scheduleRead(after: wait, at: now)
        if again {
            read("asked meanwhile", at: now, &actions)
            guard !reading.inFlight else { return }
            // Retry-After keeps the read of a refused cancel, or of a doubtful refusal, from going out: the status cannot be read.
            if closing?.phase == .reading { settle(.processing, at: now, &actions) }
            return becomeUnanswered(&actions)
        }
        guard case .active = watch else { return }
        chaseSignal(at: now)
        if let moment = reading.notBefore, let next = reading.next { reading.next = max(next, moment) }
    }

    /// The answer to a read of an earlier presentation; the new one may not have loaded yet.
    private mutating func staleAnswered(_ answer: StatusReading, at now: Instant, _ actions: inout Actions) {
        reading.isStale = false
        reading.again = isLoaded
        let status = answer.transaction.status
        if !status.isFinal {
            if isLoaded { goOnReading(after: ReadSchedule.first, at: now, &actions) }
        } else if result != nil {
            learn(status, at: now, &actions)
        } else if status == .succeeded {
            paid(answer.transaction, at: now, &actions)
        } else {
            ended(status, refusal: nil, at: now, &actions)
        }
    }

    private mutating func apply(_ answer: StatusReading, at now: Instant, _ actions: inout Actions) {
        take(in: answer.transaction, &actions)
        let (newRefusal, isNews) = takeIn(answer.lastFailure)
        let status = answer.transaction.status
        guard result == nil else {
            learn(status, at: now, &actions)
            if status == .pending { attemptIsPending(answer.lastFailure, at: now, &actions) }
            if status == .processing, isUndecided { attemptIsProcessing(answer.transaction.context, &actions) }
            return
        }
        switch status {
        case .succeeded:
            paid(session?.transaction ?? answer.transaction, at: now, &actions)
        case .failed, .cancelled, .expired:
            ended(status, refusal: newRefusal, at: now, &actions)
        case .processing:
            self.status = .processing
            tellReady(&actions)
            attemptIsProcessing(answer.transaction.context, &actions)
        case .pending where attempt?.isUndecided == true:
            self.status = .pending
            offer(at: now, &actions)
            attemptIsPending(answer.lastFailure, at: now, &actions)
        case .pending:
            pendingAgain(refusal: isNews ? newRefusal : nil, at: now, &actions)
        case .unknown:
            break
        }
    }

    /// Reads may be answered by servers of which one is behind the other: a refusal that any read has shown is no news.
    private func isSeen(_ refusal: Refusal) -> Bool { refusalsShown.contains(refusal.at) }

    /// The times of the refusals that reads have shown.
    var refusalsShown: [String] { seenRefusals ?? knownRefusal.map { [$0.at] } ?? [] }

    /// Keeps what a read carries of refusals. Returns the one that is new, and whether it can be an answer to anybody.
    private mutating func takeIn(_ carried: Refusal?) -> (new: Refusal?, isNews: Bool) {
        var new = carried.flatMap { $0.isNewer(than: knownRefusal) && !isSeen($0) ? $0 : nil }
        // The first read may carry a refusal from before the hand-off: no answer to anything that happened since.
        let isNews = refusalIsKnown == true || (refusalIsKnown == nil && (knownRefusal != nil || status == .processing))
        if let refusal = new, isOwed(refusal.code) {
            // The till was told it with the attempt's own answer; what the very first read shows may be an older one of the same code.
            if seenRefusals != nil, let index = owedRefusals?.firstIndex(of: refusal.code) {
                owedRefusals?.remove(at: index)
            }
            attempt?.refusalsBefore?.append(refusal.at)
            new = nil
        }
        seenRefusals = refusalsShown
        if let carried, !isSeen(carried) {
            seenRefusals = refusalsShown.suffix(Self.refusalsKept - 1) + [carried.at]
        }
        knownRefusal = carried ?? knownRefusal
        // A read that was under way when an attempt was refused is too old to know.
        if refusalIsKnown != false || !reading.isBeforeRefusal {
            (refusalIsKnown, refusalReadAt) = (true, reading.askedAt)
        }
        reading.isBeforeRefusal = false
        return (new, isNews)
    }

    /// A plain pending: as before any attempt. With a newer refusal it is the answer to whoever tried (design.md, "Paying").
    private mutating func pendingAgain(refusal: Refusal?, at now: Instant, _ actions: inout Actions) {
        let wasProcessing = status == .processing
        status = .pending
        offer(at: now, &actions)
        if let refusal, told == .ready {
            var error = WajubError(refusal.code, in: language)
            error.apiMessage = refusal.message
            error.certainty = .definite
            self.error = error
            show(.failed, method: method, screen: nil, &actions)
            actions.emit(.error(error))
        } else if wasProcessing {
            show(.initiated, method: .unknown, screen: nil, &actions)
        }
    }

    private mutating func ended(_ status: PaymentStatus, refusal: Refusal?, at now: Instant, _ actions: inout Actions) {
        guard let ended = EndedStatus(status) else { return }
        self.status = status
        hideProgress(&actions)
        if ended == .cancelled, let reason = closing?.reason {
            // We asked for it: the answer to our own cancel was lost, or it crossed another one.
            show(ended.state, method: method, screen: nil, &actions)
            return settle(.cancelled(reason), at: now, &actions)
        }
        let failure = CertainFailure(ended: ended, refusal: refusal, in: language)
        error = failure.error
        if told == .nothing {
            // It ended while its methods were still awaited: it was never ready.
            told = .loadError
            actions.emit(.loadError(failure.error))
            show(ended.state, method: method, screen: nil, &actions)
        } else {
            show(ended.state, method: method, screen: nil, &actions)
            actions.emit(.error(failure.error))
        }
        settle(.failed(failure), at: now, &actions)
    }

    mutating func paid(_ transaction: Transaction, at now: Instant, _ actions: inout Actions) {
        status = .succeeded
        error = nil
        hideProgress(&actions)
        let success = PaymentSuccess(transaction, method: method)
        show(.success, method: method, screen: nil, &actions)
        actions.emit(.success(success))
        settle(.complete(success), at: now, &actions)
    }

    /// A later truth, after the result: it moves `status`, never the result (`protocol.md`, "The payment object").
    mutating func learn(_ status: PaymentStatus, at now: Instant, _ actions: inout Actions) {
        guard status != self.status, status != .unknown, !self.status.isFinal else { return }
        self.status = status
        decideAttempt()
        if status == .succeeded { (state, screen) = (.success, nil) }
        if let ended = EndedStatus(status) { (state, screen) = (ended.state, nil) }
        actions.emit(.status(status))
        if status.isFinal {
            endWatch(&actions)
            eraseToken(&actions)
        }
    }

    /// The screen that a payment under way is on (seed 000, "Loading": approval, USSD code, or "Payment in progress").
    mutating func showProcessing(_ context: ProcessingContext?, _ actions: inout Actions) {
        let family = context?.isMobileMoney == true ? .mobileMoney : family(ofChannel: context?.channelSlug)
        // One that was presented again while its attempt is under way shows the attempt's.
        let own = attempt?.isUndecided == true ? attempt?.method : nil
        let method = family ?? (method == .unknown ? own ?? method : method)
        // Taken in by Wajub, and nothing said of it: on Mobile Money an approval (`wire.md`, POST /pay/process).
        let isApproval = attempt?.phase == .accepted && attempt?.method == .mobileMoney && context == nil
        let phone = attempt?.isUndecided == true ? attempt?.phoneMasked : nil
        if let context, context.hasUSSDCode {
            let screen = Screen(.ussd, instruction: context.payerInstruction, phoneMasked: phone)
            show(.ussdRequired, method: method, screen: screen, &actions)
        } else if context?.isMobileMoney == true || isApproval {
            let screen = Screen(.approval, instruction: context?.payerInstruction, phoneMasked: phone)
            show(.approvalRequired, method: method, screen: screen, &actions)
        } else if let url = context?.actionURL {
            show(.pending, method: method, screen: Screen(.redirect, actionURL: url), &actions)
        } else {
            show(.pending, method: method, screen: Screen(.waiting, instruction: context?.payerInstruction), &actions)
        }
    }

    private func family(ofChannel slug: String?) -> MethodFamily? {
        session?.channels.first { $0.slug == slug }?.family
    }
}

extension PaymentMachine {
    /// Takes over what an answer says of the payment. What it costs should never move: the explanation tells if it did.
    mutating func take(in later: Transaction, _ actions: inout Actions) {
        guard let known = session?.transaction else { return }
        session?.transaction.update(with: later)
        guard let now = session?.transaction, (now.amount, now.currency) != (known.amount, known.currency) else {
            return
        }
        actions.persist()
        actions.note(
            "amount changed",
            [
                "from": "\(known.amount ?? "unknown") \(known.currency ?? "")",
                "to": "\(now.amount ?? "unknown") \(now.currency ?? "")",
            ])
    }
}

extension Transaction {
    /// Takes over what a later answer says, and keeps what it leaves out.
    mutating func update(with later: Transaction) {
        var merged = later
        merged.id = later.id.isEmpty ? id : later.id
        merged.reference = later.reference.isEmpty ? reference : later.reference
        merged.amount = later.amount ?? amount
        merged.currency = later.currency ?? currency
        merged.sandbox = later.sandbox ?? sandbox
        merged.receiptURL = later.receiptURL ?? receiptURL
        merged.updatedAt = later.updatedAt ?? updatedAt
        self = merged
    }
}
