/// Session and SDK configuration, fetched in parallel; the session's status decides at once (seed 000, "Loading").
package struct Loading: Hashable, Codable, Sendable {
    package enum Fetch: Hashable, Codable, Sendable {
        case idle
        case inFlight
        /// No answer yet: again at this moment.
        case waiting(until: Instant)
        case done
    }

    package var session = Fetch.idle
    package var configuration = Fetch.idle
    var sessionMisses = 0
    var configurationMisses = 0
    /// The `Retry-After` of the configuration; the session's is that of the reads.
    var configurationNotBefore: Instant?
}

extension Loading {
    /// What was under way ended with the process that stored it.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func fetch(_ key: CodingKeys) throws -> Fetch {
            let fetch = try container.decode(Fetch.self, forKey: key)
            return fetch == .inFlight ? .idle : fetch
        }
        session = try fetch(.session)
        configuration = try fetch(.configuration)
        sessionMisses = try container.decode(Int.self, forKey: .sessionMisses)
        configurationMisses = try container.decode(Int.self, forKey: .configurationMisses)
        configurationNotBefore = try container.decodeIfPresent(Instant.self, forKey: .configurationNotBefore)
    }
}

/// What the till was told of the load.
enum Told: String, Hashable, Codable, Sendable {
    case nothing, loadError, ready
}

extension PaymentMachine {
    mutating func present(at now: Instant, _ actions: inout Actions) {
        watch = .active(until: now + Self.watchLimit)
        // A read of the presentation before may still be under way: there is never a second. Retry-After holds on as well.
        reading = Reading(inFlight: reading.inFlight, isStale: reading.inFlight, notBefore: reading.notBefore)
        told = .nothing
        actions.emit(.accepted)
        if presentation > 1 { actions.note("presented again", ["presentation": "\(presentation)"]) }
        load(at: now, &actions)
    }

    /// Whether handing the same token off again begins a new presentation; otherwise it changes nothing.
    package var canBePresentedAgain: Bool { result != nil && !status.isFinal }

    /// The same token again after a result whose status is not final: a new presentation (`protocol.md`, `payment.watch`).
    mutating func presentAgain(with options: PaymentOptions, at now: Instant, _ actions: inout Actions) {
        guard canBePresentedAgain else { return }
        if !watch.isOff { actions.add(.disconnect) }
        self.options = options
        presentation += 1
        isTokenErased = false
        result = nil
        error = nil
        closing = nil
        progressShown = nil
        attempt?.reopen()
        realtime = .off
        (state, method, screen) = (.initiated, .unknown, nil)
        present(at: now, &actions)
    }

    /// A call that an earlier presentation sent is not sent twice: its answer is this one's as well.
    private mutating func load(at now: Instant, _ actions: inout Actions) {
        let earlier = loading
        loading = Loading(configurationNotBefore: earlier.configurationNotBefore)
        if earlier.session == .inFlight { loading.session = .inFlight }
        if earlier.configuration == .inFlight { loading.configuration = .inFlight }
        askSession(at: now, &actions)
        askConfiguration(at: now, &actions)
    }

    /// Reads the session now, or as soon as the server may be asked again.
    mutating func askSession(at now: Instant, _ actions: inout Actions) {
        if loading.session == .inFlight { return }
        if let moment = leftAlone(at: now) {
            loading.session = .waiting(until: moment)
        } else {
            loading.session = .inFlight
            actions.add(.send(.session))
        }
    }

    /// Reads the SDK configuration now, or as soon as the server may be asked again.
    mutating func askConfiguration(at now: Instant, _ actions: inout Actions) {
        if loading.configuration == .inFlight { return }
        if let moment = loading.configurationNotBefore, moment > now {
            loading.configuration = .waiting(until: moment)
        } else {
            loading.configuration = .inFlight
            actions.add(.send(.configuration))
        }
    }

    mutating func sessionAnswered(_ session: Session, at now: Instant, _ actions: inout Actions) {
        guard loading.session == .inFlight else { return }
        loading.session = .done
        lastReadError = nil
        self.session = session
        reading.schedule = ReadSchedule(now: now)
        actions.note("session read", ["status": session.transaction.status.rawValue])
        actions.persist()
        var status = session.transaction.status
        // An attempt under way outlives the expiry: what became of it, Wajub tells.
        if status == .pending, session.transaction.isPastExpiry, !isUndecided { status = .expired }
        if result != nil {
            learn(status, at: now, &actions)
            return follow(at: now, &actions)
        }

        if let ended = EndedStatus(status) {
            endAtLoad(ended, at: now, &actions)
        } else if status == .succeeded {
            paid(session.transaction, at: now, &actions)
        } else {
            self.status = status
            if status == .processing {
                tellReady(&actions)
                attemptIsProcessing(session.transaction.context, &actions)
            } else {
                offer(at: now, &actions)
            }
            follow(at: now, &actions)
        }
    }

    /// Loaded: realtime and reads at once, as long as the watch goes on.
    private mutating func follow(at now: Instant, _ actions: inout Actions) {
        switch watch {
        case .off: break
        case .finishing: finishWatch(at: now, &actions)
        case .active, .followUp:
            join(&actions)
            scheduleRead(after: ReadSchedule.first, at: now)
        }
    }

    private mutating func endAtLoad(_ ended: EndedStatus, at now: Instant, _ actions: inout Actions) {
        status = ended.status
        let failure = CertainFailure(ended: ended, refusal: nil, in: language)
        error = failure.error
        told = .loadError
        actions.emit(.loadError(failure.error))
        show(ended.state, method: method, screen: nil, &actions)
        settle(.failed(failure), at: now, &actions)
    }

    mutating func sessionMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        guard loading.session == .inFlight else { return }
        lastReadError = failure.error(in: language)
        loading.sessionMisses += 1
        leaveAlone(for: failure.retryAfter, at: now)
        actions.note("session not read", failure.evidence)
        if case .refused(let refusal) = failure, result == nil ? refusal.refusesToken : refusal.endsToken {
            return tokenRefused(refusal, at: now, &actions)
        }
        let wait = max(Backoff.wait(afterFailures: loading.sessionMisses), failure.retryAfter ?? .zero)
        loading.session = .waiting(until: now + wait)
        if case .finishing = watch { finishWatch(at: now, &actions) }
    }

    /// A refused token says nothing about the money. Before the first load the payment cannot be taken here: `failed`, its status
    /// unknown. One that had loaded before may have been paid since: `processing` (design.md, "Loading" and promise 2).
    private mutating func tokenRefused(_ refusal: APIRefusal, at now: Instant, _ actions: inout Actions) {
        (loading.session, loading.configuration) = (.idle, .idle)
        if result == nil { failLoad(refusal, at: now, &actions) }
        endWatch(&actions)
        if refusal.endsToken { eraseToken(&actions) }
    }

    private mutating func failLoad(_ refusal: APIRefusal, at now: Instant, _ actions: inout Actions) {
        let failure = CertainFailure(tokenRefusedAtLoad: refusal, in: language)
        error = failure.error
        told = .loadError
        actions.emit(.loadError(failure.error))
        if session == nil {
            show(.failed, method: .unknown, screen: nil, &actions)
            settle(.failed(failure), at: now, &actions)
        } else {
            settle(.processing, at: now, &actions)
        }
    }

    mutating func configurationAnswered(_ answer: SDKConfiguration, at now: Instant, _ actions: inout Actions) {
        guard loading.configuration == .inFlight else { return }
        loading.configuration = .done
        configuration = answer
        actions.persist()
        offer(at: now, &actions)
    }

    mutating func configurationMissed(_ failure: CallFailure, at now: Instant, _ actions: inout Actions) {
        if let wait = failure.retryAfter { loading.configurationNotBefore = now + wait }
        guard loading.configuration == .inFlight else { return }
        loading.configurationMisses += 1
        actions.note("configuration not read", failure.evidence)
        let wait = max(Backoff.wait(afterFailures: loading.configurationMisses), failure.retryAfter ?? .zero)
        loading.configuration = .waiting(until: now + wait)
        offer(at: now, &actions)
    }

    /// Why no methods can be told now; nil if they can (`protocol.md`, "Methods": the first that applies).
    package func refusalToOffer() -> ErrorCode? {
        if result != nil { return .paymentEnded }
        return isLoaded ? nil : .notReady
    }

    /// Tells a pending payment's methods once, when both halves of the load have answered or missed.
    mutating func offer(at now: Instant, _ actions: inout Actions) {
        guard isLoaded, result == nil, status == .pending, told != .ready, loading.configuration != .inFlight else {
            return
        }
        if !offers.isEmpty {
            tellReady(&actions)
            // An attempt of an earlier presentation is undecided still.
            if isUndecided { return showAttempt(&actions) }
            show(.initiated, method: .unknown, screen: nil, always: true, &actions)
        } else {
            let code: ErrorCode = loading.configuration == .done ? .noPaymentMethod : .loadError
            let error = WajubError(code, in: language)
            guard self.error != error else { return }
            self.error = error
            told = .loadError
            actions.emit(.loadError(error))
        }
    }

    mutating func tellReady(_ actions: inout Actions) {
        guard told != .ready else { return }
        told = .ready
        error = nil
        actions.emit(.ready(environment, offers))
    }

    /// Live unless Wajub says otherwise: what moves real money is the safer reading of a missing word.
    package var environment: Environment { session?.transaction.sandbox == true ? .sandbox : .live }
}
