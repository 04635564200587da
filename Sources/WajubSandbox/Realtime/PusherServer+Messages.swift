package import Contract
internal import JSON
internal import Platform

extension PusherServer {
    /// A text message arrived.
    package mutating func received(_ text: String, on id: ConnectionID, at now: Instant) {
        guard connections[id] != nil else { return }
        heard(from: id, at: now)
        counters.received += 1
        guard let message = try? JSONValue(parsing: ArraySlice(text.utf8)), let event = message["event"]?.string else {
            // Reverb's 4200 is not fatal (pusher.md, "Codes").
            return sendError(id, code: 4200, "Invalid message format")
        }
        let data = Self.payload(message)
        switch event {
        case "pusher:ping":
            counters.pings += 1
            if behaviour.pongs { send(id, "pusher:pong", data: nil) }
        case "pusher:pong": break
        case "pusher:subscribe": subscribe(id, data)
        case "pusher:unsubscribe":
            if let channel = data["channel"]?.string { connections[id]?.channels.remove(channel) }
        default:
            if event.hasPrefix("client-") { sendError(id, code: 4301, "Client events are not enabled") }
        }
    }

    /// Any frame counts as a sign of life.
    package mutating func heard(from id: ConnectionID, at now: Instant) {
        connections[id]?.lastInbound = now
        connections[id]?.isPinged = false
    }

    /// Whether a WebSocket ping on this connection is answered.
    package func answersPings(_ id: ConnectionID) -> Bool {
        behaviour.pongs && !behaviour.silent && connections[id]?.isSilent == false
    }

    /// `data` as an object, whether it came as one or as JSON in a string.
    private static func payload(_ message: JSONValue) -> JSONValue {
        guard let data = message["data"] else { return [:] }
        if let text = data.string { return (try? JSONValue(parsing: ArraySlice(text.utf8))) ?? [:] }
        return data
    }

    private mutating func subscribe(_ id: ConnectionID, _ data: JSONValue) {
        guard let connection = connections[id], let socketID = connection.socketID else { return }
        guard let channel = data["channel"]?.string, SandboxModel.isChannelName(channel) else {
            return sendError(id, code: 4200, "Invalid channel name")
        }
        guard !connection.channels.contains(channel) else {
            return sendError(id, code: nil, "Existing subscription to channel \(channel)")
        }
        guard connection.channels.count < Self.mostChannels else {
            return sendError(id, code: 4301, "Too many channels")
        }
        counters.subscribeRequests += 1
        let wanted = behaviour.subscriptions
        if wanted != .accept {
            takeSubscriptionFault()
            return refuseSubscription(id, channel, wanted)
        }
        if channel.hasPrefix("private-") || channel.hasPrefix("presence-") {
            let expected = "\(key):\(Self.signature(socket: socketID, channel: channel, secret: secret))"
            guard data["auth"]?.string == expected else {
                counters.badSignatures += 1
                return refuseSubscription(id, channel, .error4009)
            }
        }
        connections[id]?.channels.insert(channel)
        counters.subscriptions += 1
        send(id, "pusher_internal:subscription_succeeded", channel: channel, data: "{}")
    }

    private mutating func takeSubscriptionFault() {
        guard let times = behaviour.subscriptionTimes else { return }
        behaviour.subscriptionTimes = times > 1 ? times - 1 : nil
        if times <= 1 { behaviour.subscriptions = .accept }
    }

    private mutating func refuseSubscription(
        _ id: ConnectionID, _ channel: String, _ shape: RealtimeBehaviour.Subscriptions
    ) {
        counters.refusedSubscriptions += 1
        switch shape {
        case .accept, .ignore: break
        case .subscriptionError:
            send(
                id, "pusher:subscription_error", channel: channel,
                data: ["type": "AuthError", "error": "The connection is unauthorized.", "status": 401])
        case .error4009: sendError(id, code: 4009, "Connection is unauthorized")
        case .internalError: send(id, "pusher_internal:subscription_error", channel: channel, data: "{}")
        }
    }

    /// Broadcasts a payment's status to whoever subscribed its channel.
    package mutating func broadcast(status: String, on channel: String) {
        guard behaviour.broadcasts else { return }
        let data: JSONValue = ["status": .string(status)]
        for id in subscribers(of: channel) {
            for _ in 0...behaviour.duplicates {
                counters.events += 1
                send(
                    id, behaviour.eventName, channel: channel,
                    data: behaviour.dataAsObject ? data : .string(data.text))
            }
        }
    }

    /// In the order they connected.
    func subscribers(of channel: String) -> [ConnectionID] {
        connections.filter { $0.value.channels.contains(channel) }.keys.sorted { $0.number < $1.number }
    }

    /// Pusher's signature of a private channel: hexadecimal HMAC-SHA256 over `socket_id:channel`.
    static func signature(socket: String, channel: String, secret: String) -> String {
        Digest.hex(Digest.hmacSHA256(Array("\(socket):\(channel)".utf8), key: Array(secret.utf8)))
    }

    /// `digits.digits`, as Pusher makes them; anything else is not signed.
    static func isSocketID(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && text.utf8.count < 64
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } }
    }
}
