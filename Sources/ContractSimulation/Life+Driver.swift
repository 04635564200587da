internal import Contract
internal import FoundationEssentials

/// What survives a kill: the machine as it was last persisted, the events told with it, and the token.
struct StoreModel {
    var machine: PaymentMachine?
    /// When it was persisted, on that boot's clock and in true time.
    var clock = Instant(nanoseconds: 0)
    var time = Instant(nanoseconds: 0)
    var hasToken = false
}

/// The driver of a payment: carries out, decides nothing.
extension Life {
    func handle(_ event: PaymentEvent) throws(BrokenRule) {
        guard var running = machine else { return }
        let before = running
        var actions = running.handle(hears?(event, running) ?? event, at: now)
        breaks?(&running, before, event, now, &actions)
        if case .payRequested(let press) = event, running != before {
            // As the driver does it: an attempt that is not durable was never pressed.
            if dice.chance(faults.diskFull) { return tell { _ in "✗ the disk is full: the press is refused" } }
            try pressed(press, before: before, after: running)
        }
        machine = running
        tell { _ in "\(event) → \(actions.filter { if case .note = $0 { false } else { true } })" }
        try judge(event, before: before, after: running, actions)

        // What one answer persists, emits and erases is one transaction; a kill comes at any border between the rest.
        let steps = actions.filter { !$0.isOfTransaction }
        let last = dice.chance(faults.kill / 3) ? dice.int(0...steps.count) : nil
        for (index, step) in steps.enumerated() {
            if index == last { return kill() }
            try carryOut(step, of: actions, for: running, isHandOff: event.isHandOff)
        }
        if last != nil { return kill() }
        try judgeRest(running)
    }

    private func carryOut(
        _ action: PaymentAction, of actions: [PaymentAction], for machine: PaymentMachine, isHandOff: Bool
    ) throws(BrokenRule) {
        switch action {
        case .persist:
            (store.machine, store.clock, store.time) = (machine, now, time)
            persisted(machine)
            if isHandOff { store.hasToken = true }
            if actions.contains(.eraseToken) { store.hasToken = false }
            try judgeEvents(actions.compactMap { if case .emit(let news) = $0 { news } else { nil } }, of: machine)
        case .send(let call):
            try judgeSend(call, by: machine)
            book.inFlight[call, default: 0] += 1
            send(call, for: machine)
        case .connect:
            if !store.hasToken { throw BrokenRule("no send after the token is erased", "connect") }
            connect()
        case .disconnect: connection = nil
        case .eraseToken, .emit, .note: break
        }
    }

    func answered(_ event: PaymentEvent, _ sent: SentCall) throws(BrokenRule) {
        book.inFlight[sent.call, default: 1] -= 1
        book.heard(event, call: sent.call, at: now)
        book.heard(event, of: sent)
        if case .readAnswered = event { book.readAskedAt = sent.sentAt }
        try handle(event)
    }

    func kill() {
        guard machine != nil else { return }
        tell { _ in "✗ killed" }
        (machine, connection) = (nil, nil)
        process += 1
        tally.kills += 1
        book.processDied()
        let isLong = dice.chance(faults.longWait)
        let off: Duration = isLong ? .seconds(dice.int(3_600...200_000)) : .seconds(dice.int(1...1_500))
        at(dice.chance(60) ? dice.duration(milliseconds: 50...3_000) : off, .restart)
    }

    func restart() throws(BrokenRule) {
        let isReboot = process > 0 && dice.chance(faults.reboot)
        if isReboot { bootedAt = time + .milliseconds(-dice.int(1_000...60_000)) }
        book.excuse(until: time + .seconds(31))
        guard let stored = store.machine else {
            // The hand-off was never durable: the till, unanswered, asks again.
            machine = PaymentMachine(options: options())
            return try handle(.handedOff)
        }
        var thawed = try thawed(stored)
        if isReboot {
            thawed.rebase(from: store.clock, to: now)
            book.rebooted(losing: time - store.time, from: store.clock, to: now)
            (store.machine, store.clock) = (thawed, now)
        }
        machine = thawed
        tell { _ in isReboot ? "✓ rebooted" : "✓ restarted" }
        // As the registry does it: a settled payment that nobody watches is recovered when somebody asks for it.
        isDormant = !thawed.isLive
        if thawed.isLive { try handle(.recovered) }
    }

    /// What comes back from the disk.
    private func thawed(_ machine: PaymentMachine) throws(BrokenRule) -> PaymentMachine {
        do {
            let copy = try JSONDecoder().decode(PaymentMachine.self, from: JSONEncoder().encode(machine))
            if !tellsTheSame(copy, machine) { throw BrokenRule("the machine survives JSON") }
            guard dice.chance(10) else { return copy }
            let again = try JSONDecoder().decode(PaymentMachine.self, from: JSONEncoder().encode(copy))
            if copy != again { throw BrokenRule("the machine survives JSON") }
            return copy
        } catch {
            throw BrokenRule("the machine survives JSON", "\(error)")
        }
    }
}

extension PaymentAction {
    /// Part of the transaction that ``PaymentAction/persist`` stands for.
    fileprivate var isOfTransaction: Bool {
        switch self {
        case .emit, .note, .eraseToken: true
        case .persist, .send, .connect, .disconnect: false
        }
    }
}

extension PaymentEvent {
    /// Whether it brings the token.
    var isHandOff: Bool {
        switch self {
        case .handedOff, .presentedAgain: true
        default: false
        }
    }
}
