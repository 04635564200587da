package import Contract
internal import JSON
internal import Platform

/// A Pusher server, protocol 7, as a value: messages in, messages out (pusher.md). Modelled on Reverb.
package struct PusherServer: Sendable {
    package struct ConnectionID: Hashable, Sendable {
        package let number: Int

        package init(number: Int) {
            self.number = number
        }
    }

    /// What the driver has to do.
    package enum Output: Hashable, Sendable {
        /// A text message.
        case send(ConnectionID, String)
        /// A close frame, then the end of the connection.
        case close(ConnectionID, code: Int, reason: String)
        /// The end of the connection without a close frame.
        case drop(ConnectionID)
    }

    /// How a request to open a WebSocket is answered.
    package enum Upgrade: Hashable, Sendable {
        case accept
        /// With an HTTP status.
        case refuse(status: Int)
        /// Not at all.
        case stall
    }

    struct Connection: Sendable {
        /// `nil` until established.
        var socketID: String?
        var channels: Set<String> = []
        var lastInbound: Instant
        var isPinged = false
        var isSilent = false
    }

    static let mostChannels = 10_000
    package static let mostConnections = 2_000
    /// When the server pings a quiet client, and drops it (pusher.md, "Liveness": Reverb at about 117 s and 177 s).
    static let pingAfter = Duration.seconds(120)
    static let dropAfter = Duration.seconds(180)

    let key: String
    let secret: String
    var behaviour = RealtimeBehaviour()
    var generator: SeededGenerator
    var connections: [ConnectionID: Connection] = [:]
    var counters = Counters()
    private var idleTimers = TimerQueue<ConnectionID>()
    private var outputs: [Output] = []

    package init(key: String, secret: String, seed: UInt64) {
        self.key = key
        self.secret = secret
        generator = SeededGenerator(seed: seed)
    }

    package var nextDeadline: Instant? { idleTimers.nextDeadline }

    package mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    mutating func emit(_ output: Output) {
        outputs.append(output)
    }

    /// What becomes of a request to open a WebSocket.
    package mutating func upgradeRequested(path: String) -> Upgrade {
        guard path.split(separator: "/").count == 2, path.hasPrefix("/app/") else { return .refuse(status: 404) }
        switch behaviour.establish {
        case .accept, .never, .error, .close: return .accept
        case .refuse:
            _ = takeEstablish()
            return .refuse(status: 503)
        case .stall:
            _ = takeEstablish()
            return .stall
        }
    }

    /// A WebSocket opened at `/app/<key>`.
    package mutating func connected(_ id: ConnectionID, path: String, version: String?, at now: Instant) {
        counters.connections += 1
        connections[id] = Connection(lastInbound: now)
        idleTimers.schedule(id, at: now + Self.pingAfter)
        guard path == "/app/\(key)" else { return refuse(id, code: 4001, "Application does not exist") }
        guard version == "7" else { return refuse(id, code: 4008, "Unsupported protocol version") }
        switch takeEstablish() {
        case .accept, .refuse, .stall: establish(id)
        case .never: connections[id]?.isSilent = true
        case .error: sendError(id, code: behaviour.establishCode, "Connection refused")
        case .close: refuse(id, code: behaviour.establishCode, "Connection refused")
        }
    }

    /// The connection is gone.
    package mutating func disconnected(_ id: ConnectionID) {
        connections[id] = nil
    }

    /// Pings the quiet, and drops those that stay quiet.
    package mutating func advance(to now: Instant) {
        while let id = idleTimers.popDue(at: now) {
            guard let connection = connections[id] else { continue }
            let quietSince = connection.lastInbound
            if now >= quietSince + Self.dropAfter {
                counters.idleDrops += 1
                refuse(id, code: 4201, "Pong reply not received in time")
            } else if now >= quietSince + Self.pingAfter {
                if !connection.isPinged { send(id, "pusher:ping", data: nil) }
                connections[id]?.isPinged = true
                idleTimers.schedule(id, at: quietSince + Self.dropAfter)
            } else {
                idleTimers.schedule(id, at: quietSince + Self.pingAfter)
            }
        }
    }

    private mutating func establish(_ id: ConnectionID) {
        let socketID = "\(generator.next() % 1_000_000_000).\(generator.next() % 1_000_000_000)"
        connections[id]?.socketID = socketID
        counters.established += 1
        let data = JSONValue.fields([
            "socket_id": .string(socketID), "activity_timeout": behaviour.activityTimeout.map { .integer($0) },
        ])
        send(id, "pusher:connection_established", data: .string(data.text))
    }

    /// What a new connection gets; one that was asked for a number of times is used up.
    private mutating func takeEstablish() -> RealtimeBehaviour.Establish {
        let establish = behaviour.establish
        if let times = behaviour.establishTimes {
            behaviour.establishTimes = times > 1 ? times - 1 : nil
            if times <= 1 { behaviour.establish = .accept }
        }
        return establish
    }

    /// An in-band error, then the same as a close code.
    mutating func refuse(_ id: ConnectionID, code: Int, _ message: String) {
        sendError(id, code: code, message)
        emit(.close(id, code: code, reason: message))
        connections[id] = nil
    }

    mutating func sendError(_ id: ConnectionID, code: Int?, _ message: String) {
        let data: JSONValue = ["code": code.map { .integer($0) } ?? .null, "message": .string(message)]
        send(id, "pusher:error", data: .string(data.text))
    }

    mutating func send(_ id: ConnectionID, _ event: String, channel: String? = nil, data: JSONValue?) {
        guard let connection = connections[id], !connection.isSilent, !behaviour.silent else { return }
        counters.sent += 1
        emit(
            .send(
                id,
                JSONValue.fields(["event": .string(event), "channel": channel.map(JSONValue.string), "data": data]).text
            ))
    }
}
