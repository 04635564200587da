internal import Contract
internal import Platform
internal import Transport

/// Drives a ``PusherMachine``: carries out its actions and brings it what happened, one after the other.
actor PusherConnection {
    /// What ``run(for:)`` takes in. Its queue holds what payments ask, and what the machine allows to be under way at
    /// once.
    private enum Job {
        case handle(PusherMachine.Event)
        case open
        case authorise(channel: String, socketID: String)
        case wake(at: Instant)
        case retire
    }

    private let server: RealtimeServer
    private let environment: RealtimeHub.Environment
    let log: Log
    private let jobs: AsyncStream<Job>
    private nonisolated let queue: AsyncStream<Job>.Continuation
    private var machine: PusherMachine
    private var socket: (any WebSocketPeer)?
    /// Ends the attempt to open that is under way.
    private var abandonment: AsyncStream<Never>.Continuation?
    /// Timers that sleep. One is added only for an earlier moment than all others, and they end with the connection.
    private var timers: Set<Instant> = []

    init(to server: RealtimeServer, resuming machine: PusherMachine, in environment: RealtimeHub.Environment) {
        self.server = server
        self.machine = machine
        self.environment = environment
        log = environment.log.with("realtime_host", server.host).with("realtime_port", "\(server.port)")
        (jobs, queue) = AsyncStream.makeStream()
    }

    /// Queues an event, in the order of the calls.
    nonisolated func post(_ event: PusherMachine.Event) {
        queue.yield(.handle(event))
    }

    /// Runs until the hub retires the connection, or the task is cancelled.
    func run(for hub: RealtimeHub) async {
        await withDiscardingTaskGroup { group in
            for await job in jobs {
                switch job {
                case .handle(let event): handle(event, for: hub)
                case .open: group.addTask { await self.open(for: hub) }
                case .authorise(let channel, let socketID):
                    group.addTask { await self.authorise(channel, socketID: socketID, for: hub) }
                case .wake(let moment): group.addTask { await self.wake(at: moment, for: hub) }
                case .retire: break
                }
                if machine.isIdle, hub.retire(machine, of: server) { break }
            }
            group.cancelAll()
        }
    }

    /// The one entry to the machine.
    private func handle(_ event: PusherMachine.Event, for hub: RealtimeHub) {
        for action in machine.handle(event, at: environment.time.now, randomness: environment.randomness) {
            switch action {
            case .open: queue.yield(.open)
            case .send(let text): socket?.send(text: text)
            case .drop:
                abandonment?.finish()
                socket?.drop()
            case .close: socket?.close(code: 1000, reason: "")
            case .authorise(let channel, let socketID): queue.yield(.authorise(channel: channel, socketID: socketID))
            case .tell(let channel, .subscribed): hub.tell(.connected, channel: channel, on: server)
            case .tell(let channel, .down): hub.tell(.connecting, channel: channel, on: server)
            case .deliver(let channel, let status): hub.tell(.signal(status), channel: channel, on: server)
            case .note(let note): write(note)
            }
        }
        if machine.isIdle { queue.yield(.retire) }
        if let moment = machine.nextWake, timers.allSatisfy({ moment < $0 }) {
            timers.insert(moment)
            queue.yield(.wake(at: moment))
        }
    }

    // MARK: Work under way

    /// Opens the WebSocket and reads it to its end. Once the task is cancelled nothing is of interest any more.
    private func open(for hub: RealtimeHub) async {
        switch await attempt() {
        case .failure(let failure):
            guard !Task.isCancelled else { return }
            log.debug("Realtime connection not opened", ("reason", Unanswered(failure).reason))
            handle(.openFailed, for: hub)
        case .success(let socket):
            self.socket = socket
            handle(.opened, for: hub)
            let code = await read(socket, for: hub)
            self.socket = nil
            guard !Task.isCancelled else { return socket.drop() }
            handle(.closed(code: code), for: hub)
        }
    }

    /// An attempt that a `drop` ends at once.
    private func attempt() async -> Result<any WebSocketPeer, TransportFailure> {
        let (abandoned, abandonment) = AsyncStream<Never>.makeStream()
        self.abandonment = abandonment
        defer { self.abandonment = nil }
        let opener = environment.opener
        let request = WebSocketRequest(
            url: server.url(version: environment.version),
            connectTimeout: environment.time.real(.seconds(10)), maxMessageBytes: 1 << 20)
        return await withTaskGroup { group in
            group.addTask { () -> Result<any WebSocketPeer, TransportFailure>? in await opener.open(request) }
            group.addTask {
                for await _ in abandoned {}
                return nil
            }
            var outcome: Result<any WebSocketPeer, TransportFailure>?
            // Whichever ends first ends the other.
            for await ended in group {
                outcome = ended ?? outcome
                group.cancelAll()
            }
            return outcome ?? .failure(TransportFailure(.cancelled, mayHaveReachedServer: false))
        }
    }

    /// Hands on what arrives, a batch at a time, so that a peer which sends faster than we handle fills its own
    /// buffers. Returns the close code.
    private func read(_ socket: any WebSocketPeer, for hub: RealtimeHub) async -> Int {
        while let events = await socket.nextEvents() {
            for event in events {
                switch event {
                case .text(let text): handle(.text(text), for: hub)
                case .frame: handle(.otherFrame, for: hub)
                case .closed(let code, _): return code
                }
            }
        }
        return 1006
    }

    private func authorise(_ channel: String, socketID: String, for hub: RealtimeHub) async {
        // Without a member the channel has been left, and the machine is about to learn of it.
        guard let token = hub.nextToken(for: channel, on: server) else { return }
        let result = await environment.authoriser(token, socketID, channel)
        handle(.authorised(channel: channel, socketID: socketID, result), for: hub)
    }

    private func wake(at moment: Instant, for hub: RealtimeHub) async {
        do {
            try await environment.time.sleep(until: moment)
        } catch {
            return  // Cancelled: the connection ends.
        }
        timers.remove(moment)
        handle(.timerFired, for: hub)
    }
}
