internal import CLinux
internal import Glibc
internal import Platform

/// The realtime thread: moves bytes between WebSockets and ``PusherServer``, and lets timers fire.
///
/// `@unchecked Sendable`: everything but `driver` and `thread` is touched by the thread it starts alone; `thread` is
/// written before the thread runs and read by ``join()``, which is called once.
final class WebSocketServer: @unchecked Sendable {
    let driver: SandboxDriver
    private let randomness: any Randomness
    private let epoll: Int32
    private var thread = pthread_t()
    private var peers: [PusherServer.ConnectionID: WebSocketPeer] = [:]
    private var accepted = 0

    init(driver: SandboxDriver) throws(SandboxStartError) {
        self.driver = driver
        randomness = SystemRandomness()
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SandboxStartError("epoll_create1: \(String(cString: strerror(errno)))") }
        try watch(driver.wakeDescriptor, EPOLL_CTL_ADD, number: 0, writing: false)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = pthread_create(&thread, nil, runWebSocketServer, context)
        guard code == 0 else { throw SandboxStartError("pthread_create: \(String(cString: strerror(code)))") }
    }

    deinit {
        close(epoll)
    }

    /// Waits for the thread, which ends after ``SandboxDriver/stop()``.
    func join() {
        pthread_join(thread, nil)
    }

    fileprivate func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let lingering = peers.values.contains { $0.closesAt != nil }
            let sleep = driver.planSleep()
            let count = epoll_wait(
                epoll, &events, Int32(events.count), lingering && (sleep < 0 || sleep > 50) ? 50 : sleep)
            guard count >= 0 || errno == EINTR else { preconditionFailure("epoll_wait: \(errno)") }
            for event in events.prefix(Int(max(count, 0))) {
                if event.data.u64 == 0 { drainWakes() } else { ready(event) }
            }
            guard work() else { break }
        }
        for peer in peers.values { peer.socket.close() }
        peers = [:]
    }

    private func drainWakes() {
        var value: eventfd_t = 0
        // EAGAIN, the only failure here, says that it is drained.
        eventfd_read(driver.wakeDescriptor, &value)
    }

    /// Does what the core wants until it wants nothing; false at the end.
    private func work() -> Bool {
        while true {
            let work = driver.takeWork()
            guard !work.isStopping else {
                for socket in work.sockets { socket.close() }
                return false
            }
            for output in work.outputs { apply(output) }
            for socket in work.sockets { open(socket) }
            closeLingering()
            if work.outputs.isEmpty, work.sockets.isEmpty { return true }
        }
    }

    private func open(_ socket: UpgradedSocket) {
        accepted += 1
        let id = PusherServer.ConnectionID(number: accepted)
        let peer = WebSocketPeer(socket: socket, randomness: randomness)
        do throws(SandboxStartError) {
            try watch(socket.descriptor, EPOLL_CTL_ADD, number: accepted, writing: false)
        } catch {
            // No descriptor to watch is no connection.
            return socket.close()
        }
        peers[id] = peer
        driver.perform { core, now in
            core.realtime.connected(id, path: socket.path, version: socket.version, at: now)
        }
        if !socket.early.isEmpty { handle(peer.take(socket.early, answeringPings: true), id, peer) }
    }

    private func ready(_ event: epoll_event) {
        let id = PusherServer.ConnectionID(number: Int(event.data.u64))
        guard let peer = peers[id] else { return }
        if event.events & EPOLLOUT.rawValue != 0 { flush(id, peer) }
        guard event.events & ~EPOLLOUT.rawValue != 0, peers[id] != nil else { return }
        let answers = driver.perform { core, _ in core.realtime.answersPings(id) }
        handle(peer.read(answeringPings: answers), id, peer)
    }

    private func handle(_ reading: WebSocketPeer.Reading, _ id: PusherServer.ConnectionID, _ peer: WebSocketPeer) {
        driver.perform { core, now in
            if reading.isAlive { core.realtime.heard(from: id, at: now) }
            for text in reading.texts { core.realtime.received(text, on: id, at: now) }
        }
        if reading.hasEnded {
            forget(id, peer)
        } else {
            flush(id, peer)
        }
    }

    private func apply(_ output: PusherServer.Output) {
        switch output {
        case .send(let id, let text):
            guard let peer = peers[id] else { return }
            if peer.queue(text) { flush(id, peer) } else { forget(id, peer) }
        case .close(let id, let code, let reason):
            guard let peer = peers[id] else { return }
            peer.queueClose(code: code, reason: reason)
            flush(id, peer)
        case .drop(let id):
            if let peer = peers[id] { forget(id, peer) }
        }
    }

    private func flush(_ id: PusherServer.ConnectionID, _ peer: WebSocketPeer) {
        let wasWaiting = peer.waitsToWrite
        guard peer.flush() else { return forget(id, peer) }
        guard peer.waitsToWrite != wasWaiting else { return }
        do throws(SandboxStartError) {
            try watch(peer.socket.descriptor, EPOLL_CTL_MOD, number: id.number, writing: peer.waitsToWrite)
        } catch {
            forget(id, peer)
        }
    }

    /// Closes connections whose close frame the client never answered.
    private func closeLingering() {
        for (id, peer) in peers {
            if let deadline = peer.closesAt, deadline <= .now { forget(id, peer) }
        }
    }

    private func forget(_ id: PusherServer.ConnectionID, _ peer: WebSocketPeer) {
        guard peers.removeValue(forKey: id) != nil else { return }
        // Before the descriptor is closed and its number used again; it is watched, so this cannot fail.
        epoll_ctl(epoll, EPOLL_CTL_DEL, peer.socket.descriptor, nil)
        peer.socket.close()
        driver.perform { core, _ in core.realtime.disconnected(id) }
    }

    private func watch(
        _ descriptor: Int32, _ operation: Int32, number: Int, writing: Bool
    ) throws(SandboxStartError) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (writing ? EPOLLOUT.rawValue : 0)
        event.data.u64 = UInt64(number)
        guard epoll_ctl(epoll, operation, descriptor, &event) == 0 else {
            throw SandboxStartError("epoll_ctl: \(String(cString: strerror(errno)))")
        }
    }
}

/// The thread's body; the server outlives it, since ``WebSocketServer/join()`` waits for it.
private func runWebSocketServer(context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<WebSocketServer>.fromOpaque(context).takeUnretainedValue().run()
    return nil
}
