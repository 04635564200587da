import Contract

/// One payment's life: Wajub, the network, realtime, the driver with its store, and the till, all from one seed.
///
/// True time is an ``Instant`` of the first boot; the machine sees the running boot's clock.
struct Life {
    var dice: Dice
    let faults: LifeFaults
    let sabotage: Sabotage?
    var wajub: WajubModel

    /// True time.
    var time = Instant(nanoseconds: 0)
    var bootedAt = Instant(nanoseconds: -1_000_000_000_000)
    var arrivals: [Arrival] = []
    /// The running process's machine; nil between a kill and the restart.
    var machine: PaymentMachine?
    var process = 0
    var connection: Int?
    var store = StoreModel()
    var book = Book()
    private(set) var trace: [String]?

    init(seed: UInt64, sabotage: Sabotage? = nil, isTraced: Bool = false) {
        dice = Dice(seed: seed)
        faults = LifeFaults(&dice)
        self.sabotage = sabotage
        wajub = WajubModel(&dice, at: time)
        trace = isTraced ? [] : nil
    }

    /// The clock that the machine sees.
    var now: Instant { Instant(nanoseconds: (time - bootedAt).nanoseconds) }

    /// Lives it to its end, or to the first rule broken.
    mutating func run() throws(BrokenRule) {
        let patience = dice.chance(3) ? 1_500 : dice.int(20...60)
        at(.zero, .restart)
        at(dice.duration(milliseconds: 0...60_000), .customer)
        at(dice.duration(milliseconds: 0...60_000), .till)
        if faults.suspend > 0 { at(dice.duration(milliseconds: 1_000...90_000), .suspend) }
        if faults.kill > 0 { at(dice.duration(milliseconds: 0...90_000), .kill) }
        for _ in 0..<patience {
            guard let due = nextDue() else { break }
            time = max(time, due.moment)
            try step(due.arrival)
        }
    }

    mutating func at(_ wait: Duration, _ kind: Arrival.Kind) {
        arrivals.append(Arrival(moment: time + wait, kind: kind))
    }

    /// The next thing to happen: an arrival, or the machine's own timer (nil).
    private mutating func nextDue() -> (moment: Instant, arrival: Arrival?)? {
        let earliest = arrivals.indices.min { arrivals[$0].moment < arrivals[$1].moment }
        if let wake = machine?.nextWake {
            let moment = bootedAt + (wake - Instant(nanoseconds: 0))
            if earliest.map({ moment < arrivals[$0].moment }) ?? true { return (moment, nil) }
        }
        guard let earliest else { return nil }
        let arrival = arrivals.remove(at: earliest)
        return (arrival.moment, arrival)
    }

    private mutating func step(_ arrival: Arrival?) throws(BrokenRule) {
        guard let arrival else {
            try handle(.timerFired)
            if let wake = machine?.nextWake, wake <= now { throw BrokenRule("a timer that fires makes progress") }
            return
        }
        switch arrival.kind {
        case .reaches(let call): reaches(call)
        case .answer(let event, let call) where call.process == process: try answered(event, call)
        case .realtime(let state, let on) where on == connection: try realtime(state)
        case .signal(let status, let on) where on == connection: try handle(.signalled(status))
        case .answer, .realtime, .signal: break
        case .customer: customer()
        case .till: try till()
        case .suspend:
            time = time + dice.duration(milliseconds: 1_000...1_200_000)
            book.excuse(until: time + .seconds(31))
            at(dice.duration(milliseconds: 10_000...400_000), .suspend)
        case .kill:
            if dice.chance(40) { kill() }
            at(dice.duration(milliseconds: 1_000...120_000), .kill)
        case .restart: try restart()
        }
    }

    /// A line for the replay; made only where there is one.
    mutating func tell(_ line: (Life) -> String) {
        guard trace != nil else { return }
        let told = "\(now.nanoseconds / 1_000_000) ms  \(line(self))"
        trace?.append(told)
    }
}

/// Something on its way.
struct Arrival {
    let moment: Instant
    let kind: Kind

    enum Kind {
        /// A call reaches Wajub.
        case reaches(SentCall)
        /// Its answer, or what stands in for one, reaches the driver.
        case answer(PaymentEvent, SentCall)
        case realtime(RealtimeState, connection: Int)
        case signal(PaymentStatus, connection: Int)
        case customer, till, suspend, kill, restart
    }
}

/// A call that a process sent.
struct SentCall {
    let call: WajubCall
    let process: Int
    let sentAt: Instant
}

/// A rule that a life broke.
struct BrokenRule: Error, CustomStringConvertible {
    let description: String

    init(_ rule: String, _ detail: String = "") {
        description = detail.isEmpty ? rule : "\(rule): \(detail)"
    }
}
