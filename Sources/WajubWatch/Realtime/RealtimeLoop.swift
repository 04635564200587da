internal import Contract
internal import Platform
internal import Transport

/// The hub's own state: only the task that runs the hub touches it.
struct RealtimeLoop: ~Copyable {
    private typealias Server = RealtimeHub.Server

    private final class Line {
        var machine = PusherMachine()
        var socket: WebSocketConnection?
        /// Tells the present socket's news from those of one that was dropped.
        var generation = 0
        var alarm = Alarm()
    }

    private let parts: RealtimeHub.Parts
    private let post: @Sendable (RealtimeHub.Input) -> Void
    private var lines: [RealtimeHub.Server: Line] = [:]
    private var members: [UInt64: RealtimeHub.Member] = [:]

    init(parts: RealtimeHub.Parts, post: @escaping @Sendable (RealtimeHub.Input) -> Void) {
        self.parts = parts
        self.post = post
    }

    var counts: (connected: Int, connecting: Int) {
        let connected = lines.values.count { $0.machine.isConnected }
        return (connected, lines.count - connected)
    }

    mutating func take(in input: RealtimeHub.Input, _ group: inout DiscardingTaskGroup) {
        switch input {
        case .joined(let member): join(member, &group)
        case .left(let id): leave(id, &group)
        case .opened(let server, let generation, let socket): opened(server, generation, socket, &group)
        case .received(let server, let generation, let events, let taken):
            received(server, generation, events, &group)
            taken.resume()
        case .authorised(let server, let channel, let socketID, let answer):
            handle(.authorised(channel: channel, socketID: socketID, answer), server, &group)
        case .timerFired(let server):
            lines[server]?.alarm.fired()
            handle(.timerFired, server, &group)
        }
    }

    private mutating func join(_ member: RealtimeHub.Member, _ group: inout DiscardingTaskGroup) {
        let server = RealtimeHub.Server(member.channel)
        members[member.id] = member
        if lines[server] == nil { lines[server] = Line() }
        if lines[server]?.machine.channels[member.channel.name]?.state == .subscribed { member.onNews(.connected) }
        handle(.joined(channel: member.channel.name), server, &group)
    }

    private mutating func leave(_ id: UInt64, _ group: inout DiscardingTaskGroup) {
        guard let member = members.removeValue(forKey: id) else { return }
        guard !members.values.contains(where: { $0.channel == member.channel }) else { return }
        let server = RealtimeHub.Server(member.channel)
        handle(.left(channel: member.channel.name), server, &group)
        if lines[server]?.machine.channels.isEmpty == true {
            lines[server]?.alarm.clear()
            lines[server] = nil
        }
    }

    private mutating func opened(
        _ server: RealtimeHub.Server, _ generation: Int, _ socket: WebSocketConnection?, _ group: inout DiscardingTaskGroup
    ) {
        guard let line = lines[server], line.generation == generation else {
            socket?.drop()
            return
        }
        guard let socket else { return handle(.openFailed, server, &group) }
        line.socket = socket
        handle(.opened, server, &group)
        let post = post
        group.addTask {
            for await events in socket.events {
                await withCheckedContinuation { taken in
                    post(.received(server, generation: generation, events, taken))
                }
            }
        }
    }

    private mutating func received(
        _ server: RealtimeHub.Server, _ generation: Int, _ events: [WebSocketEvent], _ group: inout DiscardingTaskGroup
    ) {
        for event in events {
            // Within a batch the connection may be given up.
            guard lines[server]?.generation == generation else { return }
            switch event {
            case .text(let text): handle(.text(text), server, &group)
            case .frame: handle(.frame, server, &group)
            case .closed(let code, _):
                lines[server]?.generation += 1
                lines[server]?.socket = nil
                handle(.closed(code: code), server, &group)
            }
        }
    }

    private mutating func handle(
        _ event: PusherMachine.Event, _ server: RealtimeHub.Server, _ group: inout DiscardingTaskGroup
    ) {
        guard let line = lines[server] else { return }
        let actions = line.machine.handle(event, at: parts.time.now, jitter: parts.randomness.fraction())
        for action in actions { carryOut(action, line, server, &group) }
        let post = post
        line.alarm.set(to: line.machine.nextWake, on: parts.time) { post(.timerFired(server)) }
    }

    private func carryOut(
        _ action: PusherMachine.Action, _ line: Line, _ server: RealtimeHub.Server, _ group: inout DiscardingTaskGroup
    ) {
        switch action {
        case .open: open(line, server, &group)
        case .send(let text): line.socket?.send(text: text)
        case .drop:
            line.socket?.drop()
            line.socket = nil
            line.generation += 1
        case .authorise(let channel, let socketID): authorise(channel, socketID, server, &group)
        case .tell(let channel, let news):
            for member in members.values where member.channel.name == channel && RealtimeHub.Server(member.channel) == server {
                member.onNews(news)
            }
        case .note(.lost(let loss, let wait)):
            parts.log.info(
                "realtime connection lost", ("host", server.host), ("why", "\(loss)"), ("retry_in_seconds", "\(wait.inSeconds)"))
        case .note(.channelRefused):
            parts.log.info("realtime channel refused; polling goes on at full pace", ("host", server.host))
        }
    }

    private func open(_ line: Line, _ server: RealtimeHub.Server, _ group: inout DiscardingTaskGroup) {
        line.generation += 1
        let (generation, parts, post) = (line.generation, parts, post)
        group.addTask {
            let opened = await parts.transport.openWebSocket(
                WebSocketRequest(url: server.url(version: parts.version), connectTimeout: parts.time.real(.seconds(10))))
            switch opened {
            case .success(let socket): post(.opened(server, generation: generation, socket))
            case .failure(let failure):
                parts.log.debug("realtime connection failed", ("host", server.host), ("reason", "\(failure.kind)"))
                post(.opened(server, generation: generation, nil))
            }
        }
    }

    private func authorise(
        _ channel: String, _ socketID: String, _ server: RealtimeHub.Server, _ group: inout DiscardingTaskGroup
    ) {
        let member = members.values.first { $0.channel.name == channel && RealtimeHub.Server($0.channel) == server }
        guard let member else { return }
        let (api, post) = (parts.api, post)
        group.addTask {
            let answer: PusherMachine.Authorisation
            switch await api.authorizeChannel(channel, socketID: socketID, token: member.token) {
            case .success(let authorization): answer = .granted(authorization)
            case .failure(.refused): answer = .refused
            case .failure(.unanswered): answer = .unanswered
            }
            post(.authorised(server, channel: channel, socketID: socketID, answer))
        }
    }

    /// Leaves all sockets.
    mutating func stop() {
        for line in lines.values {
            line.alarm.clear()
            line.socket?.drop()
        }
        lines = [:]
    }
}

extension RealtimeHub.Server {
    init(_ channel: RealtimeChannel) {
        self.init(host: channel.host, port: channel.port, tls: channel.tls, key: channel.key)
    }

    /// Protocol 7 (`pusher.md`, "URL").
    func url(version: String) -> String {
        "\(tls ? "wss" : "ws")://\(host):\(port)/app/\(FormText.escaped(key))?protocol=7&client=wajubd&version=\(version)"
    }
}
