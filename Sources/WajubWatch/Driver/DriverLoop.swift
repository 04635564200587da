internal import Contract
internal import FoundationEssentials
internal import Platform
internal import Store

/// The loop's own state: only the task that runs the driver touches it.
///
/// A class, and its parts that are not async never inlined, so that the task's frames hold a pointer: a machine is more than a
/// kilobyte, and each frame would keep copies of it for as long as the payment lives.
final class DriverLoop {
    private let driver: PaymentDriver
    private var environment: PaymentDriver.Environment { driver.environment }
    private var machine: PaymentMachine
    private var record: PaymentRecord
    /// The `seq` of the payment's last event; the store's own copy of it is only read.
    private var lastSeq: Int64
    private var isStored: Bool
    /// Whether what the payment's last driver had under way is known to be gone.
    private var isRecovered: Bool
    /// Why the hand-off was refused; whoever asks for the payment meanwhile is told the same.
    private var handOffFailure: RequestFailure?
    /// Told and noted, not yet written: all of it goes into the next transaction.
    private var unwritten = Unwritten()
    private var requests: [PaymentDriver.Request] = []
    private var payload = Payload()
    /// The attempt as the store has it.
    private var storedAttempt: Attempt?
    private var membership: RealtimeMembership?
    private var callsUnderWay = 0
    private var alarm = Alarm()
    private var writeAlarm = Alarm()
    private var failedWrites = 0

    struct Unwritten {
        var events: [NewEvent] = []
        var notes: [NewNote] = []
        var isNeeded = false
    }

    @inline(never)
    init(seed: PaymentDriver.Seed, driver: PaymentDriver) {
        self.driver = driver
        machine = seed.machine
        record = seed.record
        lastSeq = seed.record.lastSeq
        isStored = seed.isStored
        isRecovered = !seed.isStored
        storedAttempt = seed.isStored ? seed.machine.attempt : nil
    }

    var snapshot: PaymentSnapshot {
        @inline(never) get { record.snapshot(of: machine, lastSeq: lastSeq) }
    }

    /// Whether nothing is left that only this driver could do.
    var isIdle: Bool {
        @inline(never) get {
            !isStored || (!machine.isLive && requests.isEmpty && callsUnderWay == 0 && !unwritten.isNeeded)
        }
    }

    func take(in input: PaymentDriver.Input, _ group: inout DiscardingTaskGroup) async {
        if !isRecovered {
            // Before anything else, whoever asks first: or a request of this process could be taken for the last one's.
            isRecovered = true
            await handle(.recovered, &group)
        }
        switch input {
        case .event(.recovered):
            break
        case .event(let event):
            if event == .timerFired { alarm.fired() }
            await handle(event, &group)
        case .answer(let event):
            callsUnderWay -= 1
            await handle(event, &group)
        case .request(let request):
            await take(in: request, &group)
        case .writeAgain:
            await write()
        }
        setAlarm()
    }

    private func take(in request: PaymentDriver.Request, _ group: inout DiscardingTaskGroup) async {
        if let handOffFailure { return request.answer.keep(.failure(handOffFailure)) }
        if let refusal = refusal(of: request) {
            return request.answer.keep(.failure(.refused(refusal)))
        }
        if let prepare = request.prepare {
            if let failure = await press(prepare, &group) { return request.answer.keep(.failure(failure)) }
            requests.append(request)
            return
        }
        if let token = request.token { restore(token) }
        if let event = request.event { await handle(event, &group) }
        if let handOffFailure { return request.answer.keep(.failure(handOffFailure)) }
        if request.writesNotes, !unwritten.notes.isEmpty {
            unwritten.isNeeded = true
            await write()
        }
        requests.append(request)
    }

    @inline(never)
    private func refusal(of request: PaymentDriver.Request) -> ErrorCode? { request.refusal(machine) }

    @inline(never)
    private func restore(_ token: Secret) {
        if machine.canBePresentedAgain { record.token = token.revealed }
    }

    /// Durable, or refused with nothing changed: no request that pays leaves before its key is on the disk (design.md, promise 1).
    private func press(
        _ prepare: @Sendable (PaymentMachine, Instant) -> Result<PaymentDriver.Prepared, RequestFailure>,
        _ group: inout DiscardingTaskGroup
    ) async -> RequestFailure? {
        let before = checkpoint()
        let actions: [PaymentAction]
        switch prepared(by: prepare) {
        case .failure(let failure): return failure
        case .success(let made): actions = made
        }
        gather(actions)
        if unwritten.isNeeded {
            do {
                if failedWrites > 0 { await environment.store.probe() }
                try await commit()
                failedWrites = 0
            } catch {
                goBack(to: before)
                environment.log.error(
                    "a change could not be written; what was asked is refused",
                    ("payment", record.id), ("reason", "\(error)"))
                return .storageUnavailable
            }
        }
        carryOut(actions, &group)
        return nil
    }

    @inline(never)
    private func prepared(
        by prepare: @Sendable (PaymentMachine, Instant) -> Result<PaymentDriver.Prepared, RequestFailure>
    ) -> Result<[PaymentAction], RequestFailure> {
        prepare(machine, environment.time.now).map { prepared in
            if let body = prepared.payload.body { payload.body = body }
            if let fields = prepared.payload.fields { payload.fields = fields }
            return react(to: prepared.event)
        }
    }

    /// What a refused press goes back to; a class, so that the async frame holds a pointer.
    private final class Checkpoint {
        let machine: PaymentMachine
        let payload: Payload
        let unwritten: Unwritten

        init(machine: PaymentMachine, payload: Payload, unwritten: Unwritten) {
            (self.machine, self.payload, self.unwritten) = (machine, payload, unwritten)
        }
    }

    @inline(never)
    private func checkpoint() -> Checkpoint {
        Checkpoint(machine: machine, payload: payload, unwritten: unwritten)
    }

    @inline(never)
    private func goBack(to before: Checkpoint) {
        (machine, payload, unwritten) = (before.machine, before.payload, before.unwritten)
    }

    private func handle(_ event: PaymentEvent, _ group: inout DiscardingTaskGroup) async {
        let actions = react(to: event)
        gather(actions)
        if !isStored {
            // A hand-off is durable or it is nothing (`protocol.md`, `payment.watch`).
            handOffFailure = await writeHandOff()
            if handOffFailure != nil { return }
        } else if unwritten.isNeeded {
            await write()
        }
        carryOut(actions, &group)
    }

    @inline(never)
    private func react(to event: PaymentEvent) -> [PaymentAction] {
        machine.handle(event, at: environment.time.now)
    }

    /// Collects what is to be written, in order.
    @inline(never)
    private func gather(_ actions: [PaymentAction]) {
        let wall = environment.time.wallNow
        for action in actions {
            switch action {
            case .persist:
                unwritten.isNeeded = true
            case .emit(let news):
                do {
                    let data = try news.json(resolvedAt: JSONText.time(wall))
                    unwritten.events.append(NewEvent(kind: news.kind.rawValue, data: data, at: wall))
                } catch {
                    environment.log.fault("an event could not be written as JSON", ("kind", news.kind.rawValue))
                }
                if case .complete = news { record.settledAt = wall }
            case .note(let note):
                unwritten.notes.append(NewNote(at: wall, what: note.what, detail: note.detailJSON))
                environment.log.debug(
                    "payment", ("payment", record.id), ("what", note.what), ("detail", note.detailJSON))
            case .eraseToken:
                record.token = nil
                unwritten.isNeeded = true
            case .send, .connect, .disconnect:
                break
            }
        }
        // Reads that change nothing are written with the next change, or at the checkpoint; this bounds them meanwhile.
        if unwritten.notes.count > 200 { unwritten.isNeeded = true }
    }

    @inline(never)
    private func carryOut(_ actions: [PaymentAction], _ group: inout DiscardingTaskGroup) {
        for action in actions {
            switch action {
            case .send(let call): send(call, &group)
            case .connect(let channel): join(channel)
            case .disconnect: leave()
            case .persist, .emit, .note, .eraseToken: break
            }
        }
    }
}

// MARK: Network and time

extension DriverLoop {
    @inline(never)
    private func send(_ call: WajubCall, _ group: inout DiscardingTaskGroup) {
        callsUnderWay += 1
        guard let token = record.token else {
            environment.log.fault("a call was wanted without a token", ("payment", record.id))
            // Whoever waits for its answer gets one.
            return miss(call, "the token was given up")
        }
        guard let request = CallRequest(call, of: machine, payload: payload) else {
            environment.log.fault(
                "a call was wanted with nothing to send", ("payment", record.id), ("call", call.rawValue))
            return miss(call, "there was nothing to send")
        }
        // A code is used once.
        if call == .verify { payload.fields = nil }
        let (api, driver) = (environment.api, driver)
        group.addTask {
            let event = await PaymentEvent(api, request, token: Secret(token))
            // A retired driver has no call under way: only the end of the daemon can refuse this.
            driver.post(.answer(event))
        }
    }

    /// Answers a call that cannot be made.
    private func miss(_ call: WajubCall, _ reason: String) {
        let failure = CallFailure.unanswered(Unanswered(.network, reason: reason))
        driver.post(.answer(.missed(call, attempt: machine.attempt?.number ?? 0, failure)))
    }

    @inline(never)
    private func join(_ channel: RealtimeChannel) {
        guard let token = record.token else { return }
        leave()
        let driver = driver
        membership = environment.realtime.join(channel, token: Secret(token)) { news in
            switch news {
            case .connected: driver.post(.event(.realtimeChanged(.connected)))
            case .connecting: driver.post(.event(.realtimeChanged(.connecting)))
            case .signal(let word): driver.post(.event(.signalled(PaymentStatus(wire: word))))
            }
        }
    }

    private func leave() {
        if let membership { environment.realtime.leave(membership) }
        membership = nil
    }

    @inline(never)
    private func setAlarm() {
        let driver = driver
        alarm.set(to: machine.nextWake, on: environment.time) { driver.post(.event(.timerFired)) }
    }

    private var needsCheckpoint: Bool {
        @inline(never) get { machine.isLive || unwritten.isNeeded }
    }

    /// Leaves; a payment that still runs is checkpointed, so that a reboot finds how much of its watch is used up.
    func stop() async {
        alarm.clear()
        writeAlarm.clear()
        leave()
        if needsCheckpoint {
            unwritten.isNeeded = true
            await write()
            writeAlarm.clear()
        }
        for request in requests { request.answer.keep(.failure(.shuttingDown)) }
        requests = []
    }
}

// MARK: Disk

extension DriverLoop {
    /// Writes the machine with all that it told and noted, in one transaction.
    private func write() async {
        guard unwritten.isNeeded, isStored else { return }
        // A disk that refused may have room again, or be writable again.
        if failedWrites > 0 { await environment.store.probe() }
        do {
            try await commit()
            failedWrites = 0
        } catch {
            // The watch goes on in memory; what waits is written when it can be (design.md, "Store").
            failedWrites += 1
            let wait = Backoff.wait(afterFailures: failedWrites)
            environment.log.error(
                "a change could not be written; it is kept in memory and written when the disk allows",
                ("payment", record.id), ("reason", "\(error)"), ("retry_in_seconds", "\(wait.inSeconds)"))
            let driver = driver
            writeAlarm.set(to: environment.time.now + wait, on: environment.time) { driver.post(.writeAgain) }
        }
    }

    private func writeHandOff(isRetry: Bool = false) async -> RequestFailure? {
        do {
            try await commit()
            isStored = true
            return nil
        } catch StoreError.referenceTaken {
            return .referenceTaken
        } catch {
            if !isRetry, await environment.store.probe() == .ok { return await writeHandOff(isRetry: true) }
            environment.log.error("a hand-off could not be written; it was refused", ("reason", "\(error)"))
            return .storageUnavailable
        }
    }

    private func commit() async throws {
        let stored = try await environment.store.commit(try makeChange(), onStored: makeTelling())
        committed(stored)
    }

    @inline(never)
    private func committed(_ stored: [StoredEvent]) {
        unwritten = Unwritten()
        storedAttempt = machine.attempt
        // Nothing of the payer's stays longer than an answer may be needed for.
        if machine.attempt?.isUndecided != true { payload = Payload() }
        if let last = stored.last { lastSeq = last.seq }
    }

    /// The payment as it is now, with all that is unwritten.
    @inline(never)
    private func makeChange() throws -> Change {
        record.machine = try JSONText.encoder.encode(machine)
        record.settled = machine.result != nil
        if machine.result == nil { record.settledAt = nil }
        record.live = machine.isLive
        record.wajubID = machine.session?.transaction.id
        record.wajubReference = machine.session?.transaction.reference
        record.checkpoint = environment.time.now
        record.updatedAt = environment.time.wallNow
        let attempts = machine.attempt != storedAttempt ? machine.attempt.map { [AttemptRecord($0)] } : nil
        return Change(record: record, events: unwritten.events, notes: unwritten.notes, attempts: attempts ?? [])
    }

    /// Whoever is told an event and asks for the payment then finds what the event told.
    @inline(never)
    private func makeTelling() -> @Sendable ([StoredEvent]) -> Void {
        let (driver, record, machine, before) = (driver, record, machine, lastSeq)
        return { events in
            driver.show(record.snapshot(of: machine, lastSeq: events.last?.seq ?? before))
        }
    }

    @inline(never)
    func answerRequests() {
        guard !requests.isEmpty else { return }
        let (machine, snapshot) = (machine, snapshot)
        requests.removeAll { request in
            if request.isDone(machine) { request.answer.keep(.success(snapshot)) }
            return request.answer.isKept
        }
    }
}
