internal import Contract

/// A connection that the server has greeted.
struct Live: Sendable {
    /// Silence that we stand before we ask, where the server names no less.
    static let ownActivityTimeout: Duration = .seconds(30)
    /// A missing `activity_timeout` (`pusher.md`, "Established").
    static let defaultActivityTimeout: Duration = .seconds(120)
    /// A server that names less is asked this often.
    static let shortestActivityTimeout: Duration = .seconds(5)
    /// How long the peer may take to show any frame after our ping.
    static let pongLimit: Duration = .seconds(30)
    /// A timer that comes later than this has slept with the machine.
    static let jumpTolerance: Duration = .seconds(5)
    /// A connection that was healthy for so long has paid off the failures before it.
    static let provesItself: Duration = .seconds(60)

    /// A ping that no frame has answered yet.
    struct Probe: Sendable {
        let deadline: Instant
        /// Sent because the clock jumped: the next jump does not excuse it again.
        let isAfterJump: Bool
    }

    let socketID: String
    let activityTimeout: Duration
    var lastInbound: Instant
    var lastSent: Instant
    var probe: Probe?
    /// The first subscription's moment.
    var healthySince: Instant?
    var pace = Pace()
    /// An error of the server was noted: one line a connection, however many it sends.
    var hasNotedError = false

    /// Application-level pings go out after silence of the peer, and after our own: Soketi closes a client that sends
    /// no JSON, however many WebSocket pings flow (`pusher.md`, "Liveness").
    var pingDue: Instant { min(lastInbound, lastSent) + activityTimeout }

    /// The next ping, or the end of the wait for the last one's answer.
    var ownWake: Instant { probe?.deadline ?? pingDue }
}

extension PusherMachine {
    /// From the open WebSocket to the server's greeting: Reverb over quota answers pings and never greets.
    static let establishLimit: Duration = .seconds(10)

    mutating func open(_ step: inout MachineStep) {
        connection = .opening
        step.add(.open)
    }

    mutating func opened(_ step: inout MachineStep) {
        switch connection {
        case .opening: connection = .establishing(deadline: step.now + Self.establishLimit)
        // Left while it was being opened, and the drop came too late to prevent it.
        case .closing: step.add(.drop)
        case .idle, .waiting, .establishing, .live: break
        }
    }

    mutating func openFailed(_ step: inout MachineStep) {
        switch connection {
        case .opening: settle(.soon, .openFailed, &step)
        case .closing(let reopening, let cause): settle(reopening, cause, &step)
        case .idle, .waiting, .establishing, .live: break
        }
    }

    mutating func closed(_ code: Int, _ step: inout MachineStep) {
        switch connection {
        case .opening, .establishing, .live: settle(PusherCode.reopening(afterClose: code), .closed(code: code), &step)
        case .closing(let reopening, let cause): settle(reopening, cause, &step)
        case .idle, .waiting: break
        }
    }

    /// Ends a connection that is no use.
    mutating func drop(_ reopening: RealtimeBackoff.Reopening, _ cause: Cause, _ step: inout MachineStep) {
        step.add(.drop)
        forgetSocket(&step)
        connection = .closing(reopening, cause)
    }

    /// The connection is gone: when is the next?
    private mutating func settle(_ reopening: RealtimeBackoff.Reopening, _ cause: Cause?, _ step: inout MachineStep) {
        forgetSocket(&step)
        guard reopening != .atOnce else {
            if subscriptions.isEmpty { connection = .idle(notBefore: nil) } else { open(&step) }
            return
        }
        failures += 1
        let wait = RealtimeBackoff.wait(reopening, failures: failures, jitter: step.jitter)
        if let cause { step.add(.note(.lost(cause, wait: wait))) }
        connection = subscriptions.isEmpty ? .idle(notBefore: step.now + wait) : .waiting(until: step.now + wait)
    }

    /// Every channel needs the next socket's own authorisation.
    mutating func forgetSocket(_ step: inout MachineStep) {
        if case .live(let live) = connection, let since = live.healthySince, step.now - since >= Live.provesItself {
            failures = 0
        }
        for (channel, subscription) in subscriptionsInOrder {
            if subscription.isSubscribed { step.add(.tell(channel: channel, .down)) }
            subscriptions[channel]?.socketLost()
        }
        queue = []
    }

    // MARK: Frames

    mutating func frameArrived(_ step: inout MachineStep) {
        guard case .live(var live) = connection else { return }
        live.lastInbound = step.now
        live.probe = nil
        connection = .live(live)
    }

    mutating func received(_ text: String, _ step: inout MachineStep) {
        frameArrived(&step)
        guard let message = PusherMessage(text: text) else { return }
        switch connection {
        case .establishing: greeted(by: message, &step)
        case .live: received(message, &step)
        case .idle, .waiting, .opening, .closing: break
        }
    }

    private mutating func greeted(by message: PusherMessage, _ step: inout MachineStep) {
        switch message.event {
        case "pusher:connection_established":
            guard let socketID = message.data.socketID, socketID.utf8.count <= 128 else { return }
            let theirs = message.data.activityTimeout.flatMap { $0 > 0 && $0 < 86_400 ? Duration.seconds($0) : nil }
            let timeout = min(theirs ?? Live.defaultActivityTimeout, Live.ownActivityTimeout)
            connection = .live(
                Live(
                    socketID: socketID, activityTimeout: max(timeout, Live.shortestActivityTimeout),
                    lastInbound: step.now,
                    lastSent: step.now))
            step.add(.note(.established))
            queue = subscriptionsInOrder.filter { $0.1.state == .waiting }.map(\.0)
            wakeSubscriptions(&step)
        case "pusher:ping":
            step.add(.send(PusherCommand.pong))
        case "pusher:error":
            let code = message.data.code
            if let reopening = code == PusherCode.unauthorised ? .long : PusherCode.reopening(inBand: code) {
                drop(reopening, .errorInBand(code: code), &step)
            }
        default:
            break
        }
    }

    mutating func send(_ text: String, _ step: inout MachineStep) {
        guard case .live(var live) = connection else { return }
        live.lastSent = step.now
        connection = .live(live)
        step.add(.send(text))
    }

    // MARK: Time

    mutating func timerFired(_ step: inout MachineStep) {
        switch connection {
        case .waiting(let moment):
            if moment <= step.now { open(&step) }
        case .establishing(let deadline):
            if deadline <= step.now { drop(.soon, .notEstablished, &step) }
        case .live(let live):
            if let probe = live.probe, probe.deadline <= step.now {
                drop(.soon, .noPong, &step)
            } else {
                if live.probe == nil, live.pingDue <= step.now { ping(isAfterJump: false, &step) }
                wakeSubscriptions(&step)
            }
        case .idle, .opening, .closing:
            break
        }
    }

    /// The machine slept, and nobody knows what became of the connection meanwhile: ask at once, and let an earlier
    /// ping whose answer may be waiting to be read be asked again, once.
    mutating func clockJumped(_ step: inout MachineStep) {
        guard case .live(let live) = connection, live.probe?.isAfterJump != true else { return }
        step.add(.note(.clockJumped))
        ping(isAfterJump: true, &step)
    }

    private mutating func ping(isAfterJump: Bool, _ step: inout MachineStep) {
        send(PusherCommand.ping, &step)
        guard case .live(var live) = connection else { return }
        live.probe = Live.Probe(deadline: step.now + Live.pongLimit, isAfterJump: isAfterJump)
        connection = .live(live)
    }

    var wakeMoment: Instant? {
        switch connection {
        case .idle, .opening, .closing: nil
        case .waiting(let moment): moment
        case .establishing(let deadline): deadline
        case .live(let live): min(live.ownWake, subscriptionWake(live) ?? live.ownWake)
        }
    }
}
