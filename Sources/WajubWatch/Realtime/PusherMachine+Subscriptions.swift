internal import Contract

/// How fast subscriptions may start, so that a server with many channels is not flooded after a restart.
struct Pace: Sendable {
    /// 50 a second.
    static let usual: Duration = .milliseconds(20)
    /// 40 a minute, below Reverb's optional limit of 60 messages a minute (`pusher.md`, "Many channels").
    static let careful: Duration = .milliseconds(1500)
    /// Authorisations under way at once: they share the API client's connections with the reads, which matter more.
    static let maxAuthorising = 8

    private var interval = usual
    private(set) var next: Instant?

    mutating func started(at now: Instant) {
        next = now + interval
    }

    /// The server dropped a message for its limit; it keeps that limit for as long as the connection lives.
    mutating func slowDown(at now: Instant) {
        interval = Self.careful
        next = now + interval
    }
}

extension PusherMachine {
    var subscriptionsInOrder: [(String, SubscriptionMachine)] {
        subscriptions.sorted { $0.value.serial < $1.value.serial }
    }

    /// The next deadline or turn of a channel on a live connection.
    func subscriptionWake(_ live: Live) -> Instant? {
        var authorising = 0
        var earliest: Instant?
        for subscription in subscriptions.values {
            if subscription.isAuthorising { authorising += 1 }
            if let wake = subscription.nextWake { earliest = min(earliest ?? wake, wake) }
        }
        if !queue.isEmpty, authorising < Pace.maxAuthorising, let next = live.pace.next {
            earliest = min(earliest ?? next, next)
        }
        return earliest
    }

    /// Starts as many waiting channels as the pace allows.
    mutating func startSubscriptions(_ step: inout MachineStep) {
        guard !queue.isEmpty, case .live(var live) = connection else { return }
        var authorising = subscriptions.values.count { $0.isAuthorising }
        while let channel = queue.first, authorising < Pace.maxAuthorising,
            live.pace.next.map({ $0 <= step.now }) ?? true
        {
            queue.removeFirst()
            subscriptions[channel]?.authorisationAsked(at: step.now)
            authorising += 1
            live.pace.started(at: step.now)
            step.add(.authorise(channel: channel, socketID: live.socketID))
        }
        connection = .live(live)
    }

    mutating func authorised(
        _ channel: String, _ socketID: String, _ result: Result<ChannelAuthorization, CallFailure>,
        _ step: inout MachineStep
    ) {
        // An answer for an old socket, a channel that was left, or one that was given up on is thrown away.
        guard case .live(let live) = connection, live.socketID == socketID,
            subscriptions[channel]?.isAuthorising == true
        else { return }
        switch result {
        case .success(let authorization):
            send(PusherCommand.subscribe(to: channel, authorization), &step)
            subscriptions[channel]?.subscribeSent(at: step.now)
        case .failure(.refused(let refusal)):
            missed(channel, .refused, .authorisationRefused, retryAfter: refusal.retryAfter, &step)
        case .failure(.unanswered(let unanswered)):
            missed(channel, .unanswered, .authorisationUnanswered, retryAfter: unanswered.retryAfter, &step)
        }
    }

    /// A message on a live connection.
    mutating func received(_ message: PusherMessage, _ step: inout MachineStep) {
        switch message.event {
        case "pusher:ping":
            send(PusherCommand.pong, &step)
        case "pusher_internal:subscription_succeeded":
            guard let channel = message.channel, subscriptions[channel]?.isSubscribing == true else { return }
            subscriptions[channel]?.succeeded()
            if case .live(var live) = connection {
                live.healthySince = live.healthySince ?? step.now
                connection = .live(live)
            }
            step.add(.tell(channel: channel, .subscribed))
        case "pusher:subscription_error", "pusher_internal:subscription_error":
            refused(message.channel, &step)
        case "pusher:error":
            errorArrived(message, &step)
        case "pusher:connection_established":
            // One connection has one greeting: what the channels were authorised for is no longer certain.
            drop(.soon, .protocolViolation, &step)
        default:
            guard Wire.RealtimeEvent.names.contains(message.event), let channel = message.channel,
                subscriptions[channel] != nil
            else { return }
            step.add(.deliver(channel: channel, status: Self.status(message.data)))
        }
    }

    /// The status that an event carries. One without is a hint all the same, as `unknown`, which counts as processing.
    private static func status(_ data: PusherMessage.Content) -> String {
        let word = data.status ?? data.plainText ?? ""
        return (1...64).contains(word.utf8.count) ? word : "unknown"
    }

    private mutating func errorArrived(_ message: PusherMessage, _ step: inout MachineStep) {
        let code = message.data.code
        if message.channel != nil || code == PusherCode.unauthorised {
            refused(message.channel, &step)
        } else if let reopening = PusherCode.reopening(inBand: code) {
            return drop(reopening, .errorInBand(code: code), &step)
        }
        guard case .live(var live) = connection else { return }
        if code == PusherCode.tooManyMessages { live.pace.slowDown(at: step.now) }
        if !live.hasNotedError { step.add(.note(.serverError(code: code))) }
        live.hasNotedError = true
        connection = .live(live)
    }

    /// A refusal that names no channel is the one's that is in flight; of several, each has its own deadline.
    private mutating func refused(_ channel: String?, _ step: inout MachineStep) {
        let inFlight = subscriptions.filter { $0.value.isSubscribing }.keys
        guard let channel = channel ?? (inFlight.count == 1 ? inFlight.first : nil),
            let subscription = subscriptions[channel],
            subscription.isSubscribing || subscription.isSubscribed
        else { return }
        missed(channel, .refused, .subscriptionRefused, &step)
    }

    /// Deadlines and retries that are due.
    mutating func wakeSubscriptions(_ step: inout MachineStep) {
        let due = subscriptionsInOrder.filter { $0.1.nextWake.map { $0 <= step.now } ?? false }
        for (channel, subscription) in due {
            switch subscription.state {
            case .authorising:
                missed(channel, .unanswered, .authorisationUnanswered, &step)
            case .subscribing:
                missed(channel, .unanswered, .subscriptionUnanswered, &step)
            case .retrying:
                subscriptions[channel]?.retryCame()
                queue.append(channel)
            case .waiting, .subscribed:
                break
            }
        }
    }

    private mutating func missed(
        _ channel: String, _ miss: RealtimeBackoff.Miss, _ cause: Cause, retryAfter: Duration? = nil,
        _ step: inout MachineStep
    ) {
        guard let subscription = subscriptions[channel] else { return }
        if subscription.isSubscribed { step.add(.tell(channel: channel, .down)) }
        // Where a subscribe went out the server may count us as subscribed all the same (the refusal was an older
        // one's, or its answer is late), and a second subscribe would be an error.
        if subscription.isSubscribed || subscription.isSubscribing {
            send(PusherCommand.unsubscribe(from: channel), &step)
        }
        subscriptions[channel]?.missed(miss, retryAfter: retryAfter, at: step.now, jitter: step.jitter)
        step.add(.note(.subscriptionMissed(cause)))
    }
}
