package import Contract

/// One payment's life: Wajub, the network, realtime, the driver with its store, and the till, all from one seed.
///
/// True time is an ``Instant`` of the first boot; the machine sees the running boot's clock.
package final class Life {
    var dice: Dice
    let faults: LifeFaults
    let hears: Sabotage.Hearing?
    let breaks: Sabotage.Breaking?
    var wajub: WajubModel
    /// Whether anybody presses Pay here.
    let pays: Bool

    /// True time.
    var time = Instant(nanoseconds: 0)
    var bootedAt = Instant(nanoseconds: -1_000_000_000_000)
    /// How wrong the wall clock is, in seconds.
    var wallError = 0.0
    var arrivals: [Arrival] = []
    /// The running process's machine; nil between a kill and the restart.
    package internal(set) var machine: PaymentMachine?
    /// Whether the present process has not recovered it yet: nobody asked for it.
    var isDormant = false
    var process = 0
    /// Set where nobody could tell any more whose a refusal is: see ``WajubModel``.
    var isExcused = false
    var connection: Int?
    var store = StoreModel()
    var book = Book()
    /// What happened, step by step, where it was asked for.
    package private(set) var trace: [String]?
    package internal(set) var tally = Tally()

    package init(seed: UInt64, sabotage: Sabotage? = nil, isTraced: Bool = false) {
        dice = Dice(seed: seed)
        let traits = WajubTraits(&dice)
        faults = LifeFaults(&dice, phone: traits.phone)
        (hears, breaks) = (sabotage?.hears, sabotage?.breaks)
        pays = dice.chance(75)
        wajub = WajubModel(&dice, traits: traits, pays: pays, at: time)
        trace = isTraced ? [] : nil
        tell { "\($0.faults)\n\($0.wajub.traits) pays: \($0.pays)" }
    }

    /// The clock that the machine sees.
    var now: Instant { Instant(nanoseconds: (time - bootedAt).nanoseconds) }

    /// The wall clock, in seconds since 1970.
    var wallTime: Double { 1_800_000_000 + time.seconds + wallError }

    /// Lives it to its end; the first rule broken, if one is.
    package func verdict() -> BrokenRule? {
        do throws(BrokenRule) {
            try run()
            return nil
        } catch {
            return error
        }
    }

    /// Lives it to its end, or to the first rule broken.
    package func run() throws(BrokenRule) {
        let patience = dice.chance(2) ? 1_500 : dice.int(30...(pays ? 130 : 60))
        at(.zero, .restart)
        at(dice.duration(milliseconds: 0...60_000), .customer)
        at(dice.duration(milliseconds: 0...(pays ? 10_000 : 60_000)), .till)
        if faults.suspend > 0 { at(dice.duration(milliseconds: 1_000...90_000), .suspend) }
        if faults.kill > 0 { at(dice.duration(milliseconds: 0...90_000), .kill) }
        if wajub.status == .processing { at(providerDelay(), .provider(run: 1)) }
        tally.lives = 1
        var afterlife = 0
        while tally.steps < patience, afterlife < 6, !isExcused {
            // Settled for good: a little longer, to see that it stays so.
            if let machine, machine.status.isFinal, machine.result != nil { afterlife += 1 }
            guard let due = nextDue() else { break }
            time = max(time, due.moment)
            tally.steps += 1
            try step(due.arrival)
        }
        tally.add(machine, book, wajub)
    }

    func at(_ wait: Duration, _ kind: Arrival.Kind) {
        arrivals.append(Arrival(moment: time + wait, kind: kind))
    }

    /// The next thing to happen: an arrival, or the machine's own timer (nil).
    private func nextDue() -> (moment: Instant, arrival: Arrival?)? {
        let earliest = arrivals.indices.min { arrivals[$0].moment < arrivals[$1].moment }
        if let wake = machine?.nextWake {
            let moment = bootedAt + (wake - Instant(nanoseconds: 0))
            if earliest.map({ moment < arrivals[$0].moment }) ?? true { return (moment, nil) }
        }
        guard let earliest else { return nil }
        let arrival = arrivals.remove(at: earliest)
        return (arrival.moment, arrival)
    }

    private func step(_ arrival: Arrival?) throws(BrokenRule) {
        guard let arrival else {
            try handle(.timerFired)
            if let wake = machine?.nextWake, wake <= now { throw BrokenRule("a timer that fires makes progress") }
            return
        }
        switch arrival.kind {
        case .reaches(let call, let isEcho): try reaches(call, isEcho: isEcho)
        case .answer(let event, let call) where call.process == process: try answered(event, call)
        case .realtime(let state, let on) where on == connection: try realtime(state)
        case .signal(let status, let on) where on == connection: try handle(.signalled(status))
        case .answer, .realtime, .signal: break
        case .customer: try customer()
        case .provider(let run): try provider(run)
        case .till: try till()
        case .suspend:
            let isLong = dice.chance(faults.longWait)
            let short = dice.duration(milliseconds: 1_000...1_200_000)
            time = time + (isLong ? .seconds(dice.int(3_600...100_000)) : short)
            book.excuse(until: time + .seconds(31))
            at(dice.duration(milliseconds: 10_000...400_000), .suspend)
        case .kill:
            if dice.chance(40) { kill() }
            at(dice.duration(milliseconds: 1_000...120_000), .kill)
        case .restart: try restart()
        }
    }

    /// A line for the replay; made only where there is one.
    func tell(_ line: (Life) -> String) {
        guard trace != nil else { return }
        let told = "\(now.nanoseconds / 1_000_000) ms  \(line(self))"
        trace?.append(told)
    }
}

extension Instant {
    var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// Something on its way.
struct Arrival {
    let moment: Instant
    let kind: Kind

    enum Kind {
        /// A call reaches Wajub; an echo is a copy whose answer nobody hears.
        indirect case reaches(SentCall, isEcho: Bool)
        /// Its answer, or what stands in for one, reaches the driver.
        indirect case answer(PaymentEvent, SentCall)
        case realtime(RealtimeState, connection: Int)
        case signal(PaymentStatus, connection: Int)
        case customer
        /// The provider decides about a run.
        case provider(run: Int)
        case till, suspend, kill, restart
    }
}

/// A call that a process sent.
struct SentCall {
    /// What it says beyond the token.
    enum Body {
        case nothing
        case payment(PaymentRequest)
        case clientSession(restart: Bool)
        case step(id: String, isRight: Bool)
        case page(id: String)
    }

    let call: WajubCall
    let process: Int
    let attempt: Int
    let body: Body
    let sentAt: Instant

    /// How long the driver waits for it (design.md, "Paying").
    var timeout: Duration { call == .process || call == .clientSession ? .seconds(30) : .seconds(15) }
}

/// A rule that a life broke.
package struct BrokenRule: Error, CustomStringConvertible {
    package let description: String

    init(_ rule: String, _ detail: String = "") {
        description = detail.isEmpty ? rule : "\(rule): \(detail)"
    }
}
