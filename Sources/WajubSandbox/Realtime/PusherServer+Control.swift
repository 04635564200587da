internal import JSON

extension PusherServer {
    /// What happened since the start; for tests that ask whether somebody reconnected, or subscribed twice.
    struct Counters: Hashable, Sendable {
        var connections = 0
        var established = 0
        var subscribeRequests = 0
        var subscriptions = 0
        var refusedSubscriptions = 0
        var badSignatures = 0
        var received = 0
        var sent = 0
        var pings = 0
        var events = 0
        var idleDrops = 0
    }

    /// How many subscriptions stand now, over all connections.
    package var subscriptionCount: Int { connections.values.reduce(0) { $0 + $1.channels.count } }

    /// `GET /sandbox/realtime`.
    var report: JSONValue {
        let open = connections.sorted { $0.key.number < $1.key.number }.map { id, connection in
            JSONValue.fields([
                "id": .integer(id.number), "socket_id": connection.socketID.map(JSONValue.string),
                "channels": .array(connection.channels.sorted().map(JSONValue.string)),
            ])
        }
        return [
            "connections": .array(open), "subscriptions": .integer(subscriptionCount),
            "behaviour": behaviour.json,
            "counts": [
                "connections": .integer(counters.connections), "established": .integer(counters.established),
                "subscribe_requests": .integer(counters.subscribeRequests),
                "subscriptions": .integer(counters.subscriptions),
                "refused_subscriptions": .integer(counters.refusedSubscriptions),
                "bad_signatures": .integer(counters.badSignatures), "received": .integer(counters.received),
                "sent": .integer(counters.sent), "pings": .integer(counters.pings),
                "events": .integer(counters.events), "idle_drops": .integer(counters.idleDrops),
            ],
        ]
    }

    /// `POST /sandbox/realtime`, an `action` for all connections or, with a `channel`, for its subscribers:
    /// `close` (`code`, `reason`), `error` (in-band, `code` or null, `message`), `drop` (no close frame), `silence`
    /// (the connection stays open and says nothing more), `send` (`event`, `data` raw), `behave` (the fields of
    /// ``RealtimeBehaviour``), `reset` (behave well again; a silent connection stays silent).
    mutating func act(_ body: JSONValue, channel: String?) throws(InvalidField) {
        let targets = channel.map(subscribers) ?? connections.keys.sorted { $0.number < $1.number }
        switch body["action"]?.string {
        case "close":
            guard let code = body["code"]?.int, (1_000...4_999).contains(code) else {
                throw InvalidField("code", "Use a close code from 1000 to 4999.")
            }
            for id in targets {
                emit(.close(id, code: code, reason: body["reason"]?.string ?? ""))
                connections[id] = nil
            }
        case "error":
            for id in targets { sendError(id, code: body["code"]?.int, body["message"]?.string ?? "Error") }
        case "drop":
            for id in targets {
                emit(.drop(id))
                connections[id] = nil
            }
        case "silence":
            for id in targets { connections[id]?.isSilent = true }
        case "send":
            guard let event = body["event"]?.string else { throw InvalidField("event", "An event name is required.") }
            for id in targets { send(id, event, channel: channel, data: body["data"]) }
        case "behave":
            try behaviour.apply(body.object ?? [:])
        case "reset":
            behaviour = RealtimeBehaviour()
        default:
            throw InvalidField("action", "Use close, error, drop, silence, send, behave or reset.")
        }
    }
}
