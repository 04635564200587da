/// How long and how a payment is followed (design.md, "Watching" and "After the watch").
package enum Watch: Hashable, Codable, Sendable {
    case off
    /// Until an outcome or this moment.
    case active(until: Instant)
    /// The limit has passed; one last read is on its way.
    case finishing
    /// Past the watch, slowly, until an outcome, a refused token or this moment.
    case followUp(until: Instant, reads: Int)

    package var isOff: Bool { self == .off }
}

/// The one status read that may be under way, and when the next is due.
struct Reading: Hashable, Codable, Sendable {
    var inFlight = false
    /// When the one under way, or the last, was asked.
    var askedAt: Instant?
    /// Asked by an earlier presentation: of its answer only a final status counts, the rest may be older than what is known.
    var isStale = false
    /// Asked before an attempt was refused: what it carries of refusals is older than that.
    var isBeforeRefusal = false
    /// Something happened that the read under way may be too old to tell: read again after it.
    var again = false
    var next: Instant?
    /// The server's `Retry-After`: nothing but the deadline's read goes out before.
    var notBefore: Instant?
    var schedule = ReadSchedule(now: Instant(nanoseconds: 0))
    var chase: Chase?

    /// What is under way, and what waits for it, ends with the process that sent it: it is never stored.
    enum CodingKeys: String, CodingKey {
        case next, notBefore, schedule
    }
}

/// A realtime status that the reads do not show yet (design.md, "Signals are hints").
struct Chase: Hashable, Codable, Sendable {
    static let waits: [Duration] = [.seconds(1), .seconds(2), .seconds(5)]
    /// What the signal said.
    let signalled: PaymentStatus
    /// What the reads said before it.
    let before: PaymentStatus
    var readsDone = 0
}

extension PaymentMachine {
    /// The watch ends 15 minutes after the hand-off (seed 000, "Following the payment").
    package static let watchLimit: Duration = .seconds(15 * 60)
    /// How much of a watch a power cut can make it forget, at most.
    package static let checkpointInterval: Duration = .seconds(60)

    /// When to send ``PaymentEvent/timerFired``; nil: not at all.
    package var nextWake: Instant? {
        guard isLive else { return nil }
        var moments = [reading.inFlight ? nil : reading.next, nextCheckpoint, attemptWake]
        if case .waiting(let moment) = loading.session { moments.append(moment) }
        if case .waiting(let moment) = loading.configuration, wantsConfiguration { moments.append(moment) }
        switch watch {
        case .active(let limit), .followUp(let limit, _): moments.append(limit)
        case .off, .finishing: break
        }
        return moments.compactMap(\.self).min()
    }

    /// When the next read is due; nil while one is under way or none will come.
    package var nextRead: Instant? { isLive && !reading.inFlight ? reading.next : nil }

    /// Whether an answer about the payment's status is on its way.
    package var isReadUnderWay: Bool { reading.inFlight || loading.session == .inFlight }

    private var wantsConfiguration: Bool { isLoaded && result == nil && status == .pending }

    mutating func timerFired(at now: Instant, _ actions: inout Actions) {
        if case .waiting(let moment) = loading.session, moment <= now { askSession(at: now, &actions) }
        if case .waiting(let moment) = loading.configuration, moment <= now, wantsConfiguration {
            askConfiguration(at: now, &actions)
        }
        switch watch {
        case .active(let limit) where limit <= now: reachLimit(at: now, &actions)
        case .followUp(let limit, _) where limit <= now: endWatch(&actions)
        case .off, .finishing, .active, .followUp: break
        }
        attemptTimerFired(at: now, &actions)
        if let next = reading.next, next <= now { read("scheduled", at: now, &actions) }
        if let moment = nextCheckpoint, moment <= now { actions.persist() }
    }

    /// One read at the limit decides what this presentation resolves with.
    private mutating func reachLimit(at now: Instant, _ actions: inout Actions) {
        watch = .finishing
        actions.note("watch limit reached")
        if isLoaded {
            // One that is under way was asked before the limit.
            if reading.inFlight { reading.again = true } else { read("limit", at: now, &actions) }
        } else {
            askSession(at: now, &actions)
        }
    }

    /// Sends a status read now, or as soon as the one under way has answered.
    mutating func read(_ reason: String, at now: Instant, _ actions: inout Actions) {
        guard isLoaded, !isTokenErased else { return }
        if reading.inFlight {
            // Nothing asks for one more after the limit's read, or a talkative channel could hold the watch open.
            if watch != .finishing { reading.again = true }
        } else if let moment = leftAlone(at: now) {
            reading.next = moment
        } else {
            reading.inFlight = true
            reading.askedAt = now
            reading.next = nil
            actions.note("read asked", ["because": reason])
            actions.add(.send(.status))
        }
    }

    /// Obeys the `Retry-After` of a session, a read or a cancel: it holds for all that reads.
    mutating func leaveAlone(for wait: Duration?, at now: Instant) {
        guard let wait else { return }
        reading.notBefore = max(reading.notBefore ?? now, now + wait)
    }

    /// Until when nothing that reads goes out. The read at the limit waits for nobody: after it nobody asks any more.
    func leftAlone(at now: Instant) -> Instant? {
        guard let moment = reading.notBefore, moment > now, watch != .finishing else { return nil }
        return moment
    }

    mutating func scheduleRead(after wait: Duration, at now: Instant) {
        switch watch {
        case .active:
            reading.next = now + wait
        case .followUp(let limit, let reads):
            reading.next = now + FollowUpSchedule.wait(afterReads: reads)
            watch = .followUp(until: limit, reads: reads + 1)
        case .off, .finishing:
            reading.next = nil
        }
    }

    /// A signal is a hint: the read decides. The same status twice is one signal.
    mutating func signalled(_ signal: PaymentStatus, at now: Instant, _ actions: inout Actions) {
        guard isLoaded, !watch.isOff else { return }
        signals += 1
        actions.note("signal received", ["status": signal.rawValue])
        guard signal != status, signal != reading.chase?.signalled, !status.isFinal else { return }
        reading.chase = Chase(signalled: signal, before: status)
        read("signal", at: now, &actions)
    }

    /// After a signal whose status the read does not show yet: again after 1, 2, then 5 s.
    mutating func chaseSignal(at now: Instant) {
        guard var chase = reading.chase else { return }
        if status != chase.before || chase.readsDone == Chase.waits.count {
            reading.chase = nil
        } else {
            let moment = now + Chase.waits[chase.readsDone]
            chase.readsDone += 1
            reading.chase = chase
            reading.next = min(reading.next ?? moment, moment)
        }
    }

    mutating func realtimeChanged(to new: RealtimeState, at now: Instant, _ actions: inout Actions) {
        guard !watch.isOff, new != realtime else { return }
        realtime = new
        actions.note("realtime", ["state": new.rawValue])
        switch new {
        case .connected:
            // What happened before the subscription was not sent to us.
            read("subscribed", at: now, &actions)
        case .connecting, .off:
            let moment = now + ReadSchedule.first
            if let next = reading.next, case .active = watch { reading.next = min(next, moment) }
        }
    }

    mutating func refresh(at now: Instant, _ actions: inout Actions) {
        guard !status.isFinal, !isTokenErased else { return }
        if isLoaded {
            read("refresh", at: now, &actions)
        } else {
            askSession(at: now, &actions)
        }
    }

    mutating func join(_ actions: inout Actions) {
        guard let channel = realtimeChannel else { return }
        guard channel.isLegal else {
            return actions.note("no realtime", ["because": "the channel's name is not legal"])
        }
        realtime = .connecting
        actions.add(.connect(channel))
    }

    private var realtimeChannel: RealtimeChannel? {
        guard var channel = session?.realtime else { return nil }
        switch options.realtime {
        case .off: return nil
        case .session: break
        case .server(let host, let port, let tls): (channel.host, channel.port, channel.tls) = (host, port, tls)
        }
        return channel
    }

    /// The limit's read has answered, or missed: where nothing is known to have ended, money may still move.
    mutating func finishWatch(at now: Instant, _ actions: inout Actions) {
        if result == nil {
            show(.pending, method: method, screen: Screen(.waiting), &actions)
            settle(.processing, at: now, &actions)
        }
        stopWatching(at: now, &actions)
    }

    /// Leaves realtime and full pace; goes on slowly where the till asked for it.
    mutating func stopWatching(at now: Instant, _ actions: inout Actions) {
        guard !watch.isOff else { return }
        endWatch(&actions)
        guard options.followUp > .zero, !status.isFinal, isLoaded else { return }
        watch = .followUp(until: now + options.followUp, reads: 0)
        scheduleRead(after: .zero, at: now)
    }

    mutating func endWatch(_ actions: inout Actions) {
        guard !watch.isOff else { return }
        watch = .off
        reading.next = nil
        reading.chase = nil
        reading.again = false
        nextCheckpoint = nil
        if realtime != .off { actions.add(.disconnect) }
        realtime = .off
        actions.persist()
    }
}
