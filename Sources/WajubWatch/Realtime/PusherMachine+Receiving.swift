internal import Contract

extension PusherMachine {
    mutating func received(_ text: String, at now: Instant, _ jitter: Double, _ actions: inout [Action]) {
        heard(at: now)
        // What is no frame of Pusher's proves life and says nothing.
        guard let frame = PusherFrame(text) else { return }
        switch frame.event {
        case "pusher:connection_established": established(frame, at: now, &actions)
        case "pusher:ping": send(.pong, at: now, &actions)
        case "pusher:error": failed(frame, at: now, jitter, &actions)
        case "pusher_internal:subscription_succeeded":
            if let channel = frame.channel { subscribed(channel, &actions) }
        case "pusher:subscription_error", "pusher_internal:subscription_error":
            subscriptionRefused(frame.channel ?? frame.data?.text("channel"), at: now, &actions)
        // The leading dot is Laravel Echo's and never sent; the long name is Laravel's without `broadcastAs`.
        case "PaymentStatusUpdated", "App\\Events\\PaymentStatusUpdated":
            guard let channel = frame.channel, channels[channel]?.state == .subscribed,
                let word = frame.data?.text("status")
            else { return }
            actions.append(.tell(channel: channel, .signal(word)))
        default: break
        }
    }

    private mutating func established(_ frame: PusherFrame, at now: Instant, _ actions: inout [Action]) {
        guard case .establishing = connection, let socketID = frame.data?.text("socket_id") else { return }
        let theirs = frame.data?.number("activity_timeout").flatMap { $0 > 0 ? Duration.seconds($0) : nil }
        establish(
            Liveness(
                socketID: socketID, activityTimeout: min(theirs ?? Self.ownActivityTimeout, Self.ownActivityTimeout),
                lastInbound: now, lastOutbound: now))
        for channel in channels.keys { channels[channel]?.state = .waiting(until: nil) }
        startSubscriptions(at: now, &actions)
    }

    /// In-band errors: some end the connection, some concern one channel, some are only remarks (`pusher.md`, "Codes").
    private mutating func failed(_ frame: PusherFrame, at now: Instant, _ jitter: Double, _ actions: inout [Action]) {
        switch frame.data?.number("code") {
        case 4009?: subscriptionRefused(frame.channel, at: now, &actions)
        // Reverb's "invalid message"; Soketi's shutdown closes the socket as well.
        case 4200?: break
        case 4301?:
            isPaced = true
            nextPacedStart = now + .seconds(1)
        case let code? where (4000...4299).contains(code):
            actions.append(.drop)
            lose(PusherLoss(code: code), at: now, jitter, &actions)
        case .some, nil: break
        }
    }
}
