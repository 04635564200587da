package import Contract

/// The whole sandbox without its sockets: Wajub, its faults, the log, the Pusher server and who waits for what. A
/// value; the driver locks it, calls it with the present moment, and does what ``takeOutputs()`` says.
package struct SandboxCore: Sendable {
    /// A request whose answer comes later.
    package struct HoldID: Hashable, Sendable {
        package let number: Int
    }

    /// What becomes of a request.
    package enum Delivery: Hashable, Sendable {
        case answer(SandboxAnswer)
        /// The connection closes without an answer.
        case drop
    }

    package enum Reception: Hashable, Sendable {
        case deliver(Delivery)
        /// An ``Output/deliver(_:_:)`` with this id follows.
        case hold(HoldID)
    }

    package enum Output: Hashable, Sendable {
        case deliver(HoldID, Delivery)
        case realtime(PusherServer.Output)
    }

    enum Hold: Sendable {
        /// The request reaches Wajub late.
        case process(SandboxRequest, Fault, entry: Int)
        /// The answer to a request leaves late.
        case deliver(Delivery, to: SandboxRequest, entry: Int)
        /// Somebody waits for requests, or for subscriptions.
        case log(RequestLog.Filter)
        case subscriptions(Int)
    }

    /// How long a silent fault holds a connection: longer than any client waits (30 s), in the sandbox's time.
    /// libmicrohttpd does not notice when a client leaves meanwhile, so it cannot be much longer.
    static let silenceLimit = Duration.seconds(60)
    static let mostFaults = 1_000
    static let mostHolds = 2_000

    package var model: SandboxModel
    package var realtime: PusherServer
    let clock: SandboxClock
    var faults: [Fault] = []
    var faultCount = 0
    var log: RequestLog
    var holds: [HoldID: Hold] = [:]
    var holdCount = 0
    private var holdTimers = TimerQueue<HoldID>()
    private var outputs: [Output] = []
    private var requestIDs: SeededGenerator
    private var isStopping = false

    package init(seed: UInt64, clock: SandboxClock) {
        self.clock = clock
        log = RequestLog(seed: seed)
        model = SandboxModel(seed: seed, clock: clock)
        realtime = PusherServer(key: model.pusherKey, secret: model.pusherSecret, seed: seed ^ 0x5055_5348)
        requestIDs = SeededGenerator(seed: seed ^ 0x5245_5149)
    }

    package var nextDeadline: Instant? {
        [model.nextDeadline, realtime.nextDeadline, holdTimers.nextDeadline].compactMap(\.self).min()
    }

    package mutating func takeOutputs() -> [Output] {
        broadcast()
        let outputs = self.outputs + realtime.takeOutputs().map(Output.realtime)
        self.outputs = []
        return outputs
    }

    /// Lets everything happen that is due at `now`.
    package mutating func advance(to now: Instant) {
        model.advance(to: now)
        while let id = holdTimers.popDue(at: now) { release(id, at: now) }
        realtime.advance(to: now)
        broadcast()
        wakeWatchers(at: now)
    }

    /// A request arrived whole.
    package mutating func receive(_ request: SandboxRequest, at now: Instant) -> Reception {
        guard !isStopping else { return .deliver(.drop) }
        advance(to: now)
        defer { wakeWatchers(at: now) }
        if request.path.hasPrefix("/sandbox/") { return control(request, at: now) }
        if request.path.hasPrefix("/pages/") || request.path == "/" {
            return .deliver(.answer(finished(page(request, at: now), at: now)))
        }
        let payment = model.payment(of: request)
        let fault = takeFault(request, payment: payment)
        let entry = log.append(request, payment: payment, fault: fault?.id, at: clock.timestamp(at: now))
        guard let fault else { return deliver(.answer(finished(model.answer(request, at: now), at: now)), entry) }
        if fault.phase == .before, fault.delay > .zero {
            return .hold(hold(.process(request, fault, entry: entry), until: now + fault.delay))
        }
        return respond(request, fault, entry, at: now, delay: fault.delay)
    }

    /// Drops whoever waits, and everything that comes from now on.
    package mutating func stop() {
        isStopping = true
        for id in holds.keys { outputs.append(.deliver(id, .drop)) }
        holds = [:]
    }

    // MARK: Faults and holds

    private mutating func takeFault(_ request: SandboxRequest, payment: String?) -> Fault? {
        guard let index = faults.firstIndex(where: { $0.matches(request, payment: payment) }) else { return nil }
        faults[index].used += 1
        if let left = faults[index].timesLeft { faults[index].timesLeft = left - 1 }
        return faults[index]
    }

    /// Answers a request as `fault` wants it.
    private mutating func respond(
        _ request: SandboxRequest, _ fault: Fault, _ entry: Int, at now: Instant, delay: Duration
    ) -> Reception {
        let seen: SandboxAnswer? = fault.phase == .after || fault.loss == .none ? model.answer(request, at: now) : nil
        let delivery: Delivery
        switch fault.loss {
        case .none:
            guard let seen else { preconditionFailure("a fault without a loss sees Wajub's answer") }
            delivery = .answer(fault.spoil(finished(seen, at: now + delay)))
        case .dropped: delivery = .drop
        case .silence:
            return .hold(hold(.deliver(.drop, to: request, entry: entry), until: now + delay + Self.silenceLimit))
        case .replaced(let answer): delivery = .answer(fault.spoil(finished(answer, at: now + delay)))
        }
        guard delay > .zero else { return deliver(delivery, entry) }
        model.holdKey(of: request, until: now + delay)
        return .hold(hold(.deliver(delivery, to: request, entry: entry), until: now + delay))
    }

    private mutating func deliver(_ delivery: Delivery, _ entry: Int) -> Reception {
        if case .answer(let answer) = delivery { log.setStatus(answer.status, of: entry) }
        return .deliver(delivery)
    }

    mutating func hold(_ hold: Hold, until deadline: Instant) -> HoldID {
        holdCount += 1
        let id = HoldID(number: holdCount)
        holds[id] = hold
        holdTimers.schedule(id, at: deadline)
        return id
    }

    /// Ends a hold: its time has come, or its faults were cleared.
    mutating func release(_ id: HoldID, at now: Instant) {
        guard let hold = holds.removeValue(forKey: id) else { return }
        switch hold {
        case .deliver(let delivery, let request, let entry):
            model.holdKey(of: request, until: nil)
            _ = deliver(delivery, entry)
            outputs.append(.deliver(id, delivery))
        case .process(let request, let fault, let entry):
            switch respond(request, fault, entry, at: now, delay: .zero) {
            case .deliver(let delivery): outputs.append(.deliver(id, delivery))
            // Silence after a delay: the same connection waits on.
            case .hold(let next): forward(next, to: id, at: now)
            }
        case .log(let filter): outputs.append(.deliver(id, .answer(logAnswer(filter, at: now))))
        case .subscriptions: outputs.append(.deliver(id, .answer(realtimeAnswer(at: now))))
        }
    }

    private mutating func forward(_ next: HoldID, to id: HoldID, at now: Instant) {
        guard let hold = holds.removeValue(forKey: next) else { return }
        holds[id] = hold
        holdTimers.schedule(id, at: now + Self.silenceLimit)
    }

    /// Answers whoever waited for what has happened by now.
    mutating func wakeWatchers(at now: Instant) {
        for (id, hold) in holds {
            switch hold {
            case .process, .deliver: continue
            // Whoever waits found nothing in the older entries.
            case .log(let filter): if log.newest.map(filter.matches) ?? false { release(id, at: now) }
            case .subscriptions(let count): if realtime.subscriptionCount >= count { release(id, at: now) }
            }
        }
    }

    private mutating func broadcast() {
        for push in model.takePushes() {
            realtime.broadcast(status: push.status, on: SandboxModel.channelPrefix + push.reference)
        }
    }

    /// What every answer carries (wire.md, "Common").
    mutating func finished(_ answer: SandboxAnswer, at now: Instant) -> SandboxAnswer {
        var answer = answer
        answer.headers["Date"] = clock.httpDate(at: now)
        answer.headers["X-Request-Id"] = "req_\(requestIDs.hex(words: 1))"
        answer.headers["Cache-Control"] = "no-store"
        return answer
    }
}
