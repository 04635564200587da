internal import Contract

/// The rules, checked after every step.
extension Life {
    /// What holds between the machine before an event and after it.
    func judge(
        _ event: PaymentEvent, before: PaymentMachine, after: PaymentMachine, _ actions: [PaymentAction]
    ) throws(BrokenRule) {
        let tells = actions.contains { if case .emit = $0 { true } else { $0 == .eraseToken } }
        let persists = actions.firstIndex(of: .persist)
        if tells, persists != 0 { throw BrokenRule("an event and the change it tells are one transaction") }
        if actions.count(where: { $0 == .persist }) > 1 { throw BrokenRule("one answer is one transaction") }
        if persists == nil, let stored = store.machine, !tellsTheSame(after, stored) {
            throw BrokenRule("a change is durable before it is told")
        }
        if before.status.isFinal, before.status != after.status { throw BrokenRule("a final status never changes") }
        if after.presentation == before.presentation {
            if before.result != nil, after.result != before.result { throw BrokenRule("a result never changes") }
        } else if after.presentation != before.presentation + 1 || !event.isHandOff {
            throw BrokenRule("only a hand-off presents again")
        }
        if let result = after.result, before.result != result || before.presentation != after.presentation {
            try judgeResult(result, before: before, after: after)
        }
        try judgeDecision(before: before, after: after)
        try judgeAnswer(event, before: before, after: after)
        if book.heardPaid, after.status != .succeeded { throw BrokenRule("paid stays paid", "\(after.status)") }
        for case .note(let note) in actions where note.detail.values.contains(where: WajubModel.isSecret) {
            throw BrokenRule("nothing secret in notes", note.what)
        }
        if case .readAnswered(let reading) = event, reading.transaction.status == .processing,
            !before.status.isFinal, book.readAskedAt > book.presentedAt, after.status != .processing
        {
            throw BrokenRule("what a read says is the status", "\(after.status)")
        }
        switch event {
        case .readAnswered, .readMissed:
            if let next = after.nextRead, next < now + .seconds(1), next != book.notBefore[.status] {
                throw BrokenRule("reads keep their pace")
            }
        default: break
        }
    }

    /// Whether a restart from `stored` would tell the till the same as `machine`.
    func tellsTheSame(_ machine: PaymentMachine, _ stored: PaymentMachine) -> Bool {
        machine.result == stored.result && machine.status == stored.status && machine.state == stored.state
            && machine.presentation == stored.presentation && machine.closing?.reason == stored.closing?.reason
            && machine.screen == stored.screen && machine.error == stored.error && machine.method == stored.method
            && machine.isLive == stored.isLive && machine.knownRefusal == stored.knownRefusal
            && machine.isTokenErased == stored.isTokenErased
            && machine.attempt?.key == stored.attempt?.key && machine.attempt?.demand == stored.attempt?.demand
            && machine.attempt?.isUndecided == stored.attempt?.isUndecided
    }

    private func judgeResult(
        _ result: CheckoutResult, before: PaymentMachine, after: PaymentMachine
    ) throws(BrokenRule) {
        switch result {
        case .complete:
            if wajub.status != .succeeded { throw BrokenRule("complete only when paid") }
        case .processing:
            if after.status.isFinal { throw BrokenRule("processing only while nothing is known for good") }
        case .failed(let failure):
            try judgeFailure(failure.error, before: before, after: after)
        case .cancelled(let reason):
            if !book.asked.contains(reason) { throw BrokenRule("cancelled only for our own reasons", reason.rawValue) }
            if after.status == .processing || wajub.ownMoney || before.attempt?.isUndecided == true {
                throw BrokenRule("closing resolves processing while money may move")
            }
        }
    }

    /// Promise 2: `failed` only with a definite cause, which Wajub really gave.
    private func judgeFailure(
        _ error: WajubError, before: PaymentMachine, after: PaymentMachine
    ) throws(BrokenRule) {
        if after.status == .unknown {
            let isRefused = book.isSessionRefused && before.session == nil && error.certainty == nil
            if !isRefused { throw BrokenRule("failed only for a definite cause", "\(error.code): nothing is known") }
            return
        }
        guard !wajub.canCharge(at: time), error.certainty == .definite, !error.retryable else {
            throw BrokenRule("failed only for a definite cause", "\(error.code) while \(wajub.status)")
        }
        let ends: [ErrorCode] = [.sessionTerminalFailed, .sessionTerminalCancelled, .sessionTerminalExpired]
        if !ends.contains(error.code), !wajub.refusalCodes.contains(error.code) {
            throw BrokenRule("failed only for a definite cause", "\(error.code) was never given")
        }
    }

    /// The contract's order of events.
    func judgeEvents(_ news: [PaymentNews], of machine: PaymentMachine) throws(BrokenRule) {
        for (index, one) in news.enumerated() {
            let resolves = news[index...].contains { $0.kind == .complete }
            switch (book.phase, one.kind) {
            case (.before, .accepted), (.completed, .accepted):
                book.phase = .accepted
                book.presentedAt = time
                book.watchEnds = time + PaymentMachine.watchLimit + .seconds(31)
                book.asked = []
                book.press = nil
            case (.accepted, .ready), (.accepted, .loadError), (.opened, .ready), (.opened, .loadError):
                book.phase = .opened
            case (.opened, .state), (.opened, .error), (.opened, .redirect): break
            case (.opened, .paymentStarted), (.opened, .step), (.opened, .progress):
                try judgeAttempt(one, of: machine)
            case (.accepted, .state) where resolves, (.accepted, .error) where resolves: break
            case (.accepted, .success), (.opened, .success), (.accepted, .cancel), (.opened, .cancel):
                if index + 2 != news.count { throw BrokenRule("complete comes right after the outcome") }
            case (.accepted, .complete), (.opened, .complete):
                if index + 1 != news.count { throw BrokenRule("complete is last") }
                if book.results[machine.presentation] != nil { throw BrokenRule("one result per presentation") }
                if book.showsProgress { throw BrokenRule("progress ends before the result") }
                book.results[machine.presentation] = machine.result
                book.phase = .completed
                if one != machine.result.map(PaymentNews.complete) { throw BrokenRule("complete carries the result") }
            case (.completed, .status): break
            default: throw BrokenRule("events in the contract's order", "\(one.kind) when \(book.phase)")
            }
        }
        if let result = machine.result, book.results[machine.presentation] != result {
            throw BrokenRule("a result is told by complete", "\(result)")
        }
    }

    /// What holds when a call leaves.
    func judgeSend(_ call: WajubCall, by machine: PaymentMachine) throws(BrokenRule) {
        if !store.hasToken { throw BrokenRule("no send after the token is erased", "\(call)") }
        if call == .status || call == .session, book.inFlight[call, default: 0] > 0 {
            throw BrokenRule("at most one read of a kind under way", "\(call)")
        }
        if call.pays { try judgePost(call, by: machine) }
        if call != .cancel, let moment = book.notBefore[call], moment > now, machine.watch != .finishing {
            throw BrokenRule("Retry-After is obeyed", "\(call)")
        }
        if call == .cancel {
            guard machine.isLoaded, machine.status == .pending, machine.result == nil,
                let reason = store.machine?.closing?.reason, book.asked.contains(reason), reason != .hostGone
            else { throw BrokenRule("a cancel only when loaded, pending and asked for") }
            if machine.attempt?.isUndecided == true || wajub.ownMoney {
                throw BrokenRule("no cancel while an attempt is undecided")
            }
        }
    }

    /// What holds once all is carried out.
    func judgeRest(_ machine: PaymentMachine) throws(BrokenRule) {
        let advice = machine.advice(at: now, wallTime: wallTime)
        try judgeAdvice(advice, of: machine)
        if advice.safeToTakeOtherPayment, wajub.canCharge(at: time) {
            throw BrokenRule("safe to take another only when this one can never charge", "\(wajub.status)")
        }
        if advice.canCancel != machine.canCancel || machine.canCancel && machine.refusalToCancel() != nil {
            throw BrokenRule("can_cancel is what cancel would do")
        }
        if machine.canCancel, machine.status != .pending || !machine.isLoaded || machine.result != nil {
            throw BrokenRule("can_cancel only when loaded and pending")
        }
        if machine.status == .succeeded, wajub.status != .succeeded { throw BrokenRule("succeeded only when paid") }
        if EndedStatus(machine.status) != nil, wajub.canCharge(at: time) { throw BrokenRule("ended only when ended") }
        if machine.status.isFinal, machine.result != nil, store.hasToken {
            throw BrokenRule("the token is erased once all is known")
        }
        if machine.status.isFinal, machine.isLive { throw BrokenRule("nothing is watched once all is known") }
        try judgeLiveness(machine)
        try judgeProgress(machine)
    }

    private func judgeLiveness(_ machine: PaymentMachine) throws(BrokenRule) {
        let sessions = book.inFlight[.session, default: 0]
        let reads = book.inFlight[.status, default: 0]
        if machine.isReadUnderWay != (sessions + reads > 0) { throw BrokenRule("it knows whether it reads") }
        switch machine.watch {
        case .off:
            if machine.result == nil { throw BrokenRule("an open payment is watched") }
            return
        case .active, .finishing:
            if time > book.watchEnds { throw BrokenRule("the watch ends by its limit") }
        case .followUp: break
        }
        guard machine.isLoaded else {
            if sessions > 0 { return }
            if case .waiting = machine.loading.session, machine.nextWake != nil { return }
            throw BrokenRule("a live payment is never forgotten", "not loaded")
        }
        if machine.watch == .finishing, reads == 0 {
            throw BrokenRule("a live payment is never forgotten", "at the limit")
        }
        guard reads == 0 else { return }
        guard let next = machine.nextRead, let wake = machine.nextWake, wake <= next else {
            throw BrokenRule("a live payment is never forgotten", "no read to come")
        }
        if case .active = machine.watch, next > max(now + .seconds(60), book.patience) {
            throw BrokenRule("an open payment is read at least once a minute")
        }
    }
}
