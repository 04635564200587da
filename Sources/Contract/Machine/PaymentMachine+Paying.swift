/// From the press of Pay to the request: one attempt, one key, durable before anything leaves (design.md, promise 1 and "Paying").
extension PaymentMachine {
    /// How long a press waits for the read that tells which refusal the payment carried before it.
    package static let baselineLimit: Duration = .seconds(3)
    /// How many refusals a payment remembers, by their times.
    static let refusalsKept = 16
    /// How old the read may be that tells it: as reads keep their pace, none is waited for.
    package static let baselineAge = ReadSchedule.longest
    /// After this long without an answer, a payment that still is plainly pending never got the request (seed 000, "A payment without an
    /// answer").
    package static let unansweredLimit: Duration = .seconds(60)
    /// Wajub forgets keys after a day: an older one is never posted again, its attempt is only read. An hour less, so that the tries of a
    /// press are over by then.
    package static let keyLifetime: Duration = .seconds(23 * 3600)

    /// Why Pay cannot be pressed now; nil if it can (`protocol.md`, "Methods": the first that applies).
    ///
    /// - parameter wallTime: the wall clock in seconds since 1970.
    package func refusalToPay(_ request: Press.Request = .process, at now: Instant, wallTime: Double) -> ErrorCode? {
        if result != nil { return .paymentEnded }
        if !isLoaded { return .notReady }
        if closing != nil { return .attemptUndecided }
        guard let attempt, attempt.isUndecided else { return status == .pending ? nil : .attemptUndecided }
        let isReopened =
            attempt.isPayOpen && status == .pending && !attempt.isWorking && attempt.mayBeFollowed(by: request)
        return (isReopened || attempt.canRestartClientSession(request))
            && !attempt.isKeyOld(at: now, wallTime: wallTime)
            ? nil : .attemptUndecided
    }

    mutating func pay(_ press: Press, at now: Instant, _ actions: inout Actions) {
        guard refusalToPay(press.request, at: now, wallTime: press.wallTime) == nil else { return }
        if attempt?.isUndecided == true {
            attempt?.press(again: press)
        } else {
            attempt = Attempt(press, number: (attempt?.number ?? 0) + 1, at: now)
        }
        error = nil
        watch = .active(until: now + Self.watchLimit)
        reading.schedule.changed(at: now)
        // Its configuration may be awaited still: what opened comes before what was started (seed 000, "Callbacks").
        if told == .nothing { tellReady(&actions) }
        actions.emit(.paymentStarted(press.method, channel: press.channel, attempt: attempt?.number ?? 1))
        show(.processing, method: press.method, screen: nil, &actions)
        if isRefusalKnown(at: now) {
            send(at: now, &actions)
        } else {
            attempt?.baselineUntil = now + Self.baselineLimit
            if !reading.inFlight || reading.isBeforeRefusal {
                read("what it carried before the attempt", at: now, &actions)
            }
        }
    }

    /// Whether a read has told lately which refusal the payment carries.
    func isRefusalKnown(at now: Instant) -> Bool {
        guard refusalIsKnown == true, let refusalReadAt else { return false }
        return now - refusalReadAt <= Self.baselineAge
    }

    /// Lets the request leave.
    private mutating func send(at now: Instant, _ actions: inout Actions) {
        guard var attempt else { return }
        attempt.phase = .sent
        attempt.tries += 1
        attempt.nextTry = nil
        attempt.baselineUntil = nil
        attempt.lastTryAt = now
        // An earlier press of the same attempt set it already: what its request met with is this attempt's answer.
        if attempt.hasOpenSession {
            // What reads may still tell of the client session before is no answer to the one that takes its place.
            attempt.refusalsBefore = nil
        } else if !attempt.hasUnansweredTry {
            attempt.refusalsBefore = isRefusalKnown(at: now) ? refusalsShown : nil
        }
        self.attempt = attempt
        actions.persist()
        actions.note("payment request sent", ["attempt": "\(attempt.number)", "try": "\(attempt.tries)"])
        actions.add(.send(attempt.request == .process ? .process : .clientSession))
    }

    /// The read before the first try has answered, or missed: the request leaves, unless somebody else is paying.
    mutating func sendAfterBaseline(at now: Instant, _ actions: inout Actions) {
        guard let attempt, attempt.baselineUntil != nil, result == nil else { return }
        if status == .processing, attempt.tries == 0 {
            // Nothing left this machine: whoever pays, it is not this attempt.
            refuseAttempt(WajubError(.paymentInProgress, in: language), at: now, &actions)
            status = .processing
        } else {
            send(at: now, &actions)
        }
    }

    /// When the attempt next has something to do.
    var attemptWake: Instant? {
        guard let attempt, result == nil, attempt.isUndecided else { return nil }
        return [attempt.nextTry, attempt.baselineUntil, attempt.readDue].compactMap(\.self).min()
    }

    mutating func attemptTimerFired(at now: Instant, _ actions: inout Actions) {
        guard let attempt, result == nil, attempt.isUndecided else { return }
        if let moment = [attempt.baselineUntil, attempt.nextTry].compactMap(\.self).min(), moment <= now {
            // Who slept through it has no payer waiting any more, and perhaps an old key.
            if now - moment > AttemptVerdict.longestRetryAfter { return outcomeUnknown(at: now, &actions) }
            if attempt.nextTry != nil { send(at: now, &actions) } else { sendAfterBaseline(at: now, &actions) }
        }
        if let moment = attempt.readDue, moment <= now {
            self.attempt?.isReadDue = true
            read("60 s without an answer", at: now, &actions)
        }
    }
}
