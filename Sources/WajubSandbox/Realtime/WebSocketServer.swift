internal import CLinux
internal import Glibc
internal import Platform
internal import WebSocketCodec

/// The realtime thread: accepts connections on 127.0.0.1, moves bytes between WebSockets and ``PusherServer``, and lets
/// timers fire.
///
/// `@unchecked Sendable`: `thread` is written before the thread runs and read by ``join()``, which is called once, as is
/// `listener` after it ended; the other variables are touched by that thread alone.
final class WebSocketServer: @unchecked Sendable {
    /// Marks of what epoll watches besides clients, whose numbers start at 1.
    private static let wakeMark: UInt64 = 0
    private static let listenerMark = UInt64.max

    let port: UInt16
    private let driver: SandboxDriver
    private let randomness: any Randomness = SystemRandomness()
    private let tls: TLSContext?
    private var listener: Int32
    private let epoll: Int32
    private var thread = pthread_t()
    private var peers: [PusherServer.ConnectionID: WebSocketPeer] = [:]
    private var accepted = 0

    /// - throws: ``SandboxStartError`` when the port is taken or the TLS files are unusable.
    init(driver: SandboxDriver, port: UInt16, tls identity: TLSIdentity?) throws(SandboxStartError) {
        if let identity { tls = try TLSContext(identity) } else { tls = nil }
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SandboxStartError("epoll_create1: \(String(cString: strerror(errno)))") }
        do throws(SandboxStartError) {
            (listener, self.port) = try PeerStream.listen(port: port)
        } catch {
            close(epoll)
            throw error
        }
        self.epoll = epoll
        self.driver = driver
        try watch(driver.wakeDescriptor, EPOLL_CTL_ADD, Self.wakeMark)
        try watch(listener, EPOLL_CTL_ADD, Self.listenerMark)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = pthread_create(&thread, nil, runWebSocketServer, context)
        guard code == 0 else { throw SandboxStartError("pthread_create: \(String(cString: strerror(code)))") }
    }

    deinit {
        if listener >= 0 { close(listener) }
        close(epoll)
    }

    /// Waits for the thread, which ends after ``SandboxDriver/stop()``, and gives the port back.
    func join() {
        pthread_join(thread, nil)
        close(listener)
        listener = -1
    }

    fileprivate func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let count = epoll_wait(epoll, &events, Int32(events.count), sleep())
            guard count >= 0 || errno == EINTR else { preconditionFailure("epoll_wait: \(errno)") }
            for event in events.prefix(Int(max(count, 0))) {
                switch event.data.u64 {
                case Self.wakeMark: drainWakes()
                case Self.listenerMark: accept()
                default: ready(event)
                }
            }
            guard work() else { break }
        }
        for peer in peers.values { peer.stream.close() }
        peers = [:]
    }

    /// Milliseconds until something is due.
    private func sleep() -> Int32 {
        let planned = driver.planSleep()
        guard let deadline = peers.values.compactMap(\.closesAt).min() else { return planned }
        let left = max(deadline - .now, .zero)
        let own = Int32(min(left / .milliseconds(1), 60_000).rounded(.up))
        return planned < 0 ? own : min(planned, own)
    }

    private func drainWakes() {
        var value: eventfd_t = 0
        // EAGAIN, the only failure here, says that it is drained.
        eventfd_read(driver.wakeDescriptor, &value)
    }

    private func accept() {
        while true {
            let descriptor = CLinux_accept4(listener)
            // Nobody more, or no descriptors: whoever is left is accepted when the socket is readable next.
            guard descriptor >= 0 else { return }
            guard peers.count < PusherServer.mostConnections else {
                close(descriptor)
                continue
            }
            // Frames are small and wait for each other's acknowledgements otherwise; a wish, not a need.
            var yes: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            guard let stream = PeerStream(descriptor: descriptor, context: tls) else { continue }
            accepted += 1
            do throws(SandboxStartError) {
                try watch(descriptor, EPOLL_CTL_ADD, UInt64(accepted))
            } catch {
                // No descriptor to watch is no connection.
                stream.close()
                continue
            }
            peers[PusherServer.ConnectionID(number: accepted)] = WebSocketPeer(stream: stream, randomness: randomness)
        }
    }

    private func ready(_ event: epoll_event) {
        let id = PusherServer.ConnectionID(number: Int(event.data.u64))
        guard let peer = peers[id] else { return }
        let answers = driver.perform { core, _ in core.realtime.answersPings(id) }
        let reading = peer.read(answeringPings: answers)
        if let head = reading.head { request(head, id, peer) } else { pass(reading, id) }
        if reading.hasEnded { forget(id) } else { flush(id, peer) }
    }

    /// Hands what arrived to the Pusher server.
    private func pass(_ reading: WebSocketPeer.Reading, _ id: PusherServer.ConnectionID) {
        guard reading.isAlive else { return }
        driver.perform { core, now in
            core.realtime.heard(from: id, at: now)
            for text in reading.texts { core.realtime.received(text, on: id, at: now) }
        }
    }

    private func request(_ head: HTTPHead, _ id: PusherServer.ConnectionID, _ peer: WebSocketPeer) {
        let parts = (head.request?.target ?? "").split(separator: "?", maxSplits: 1).map(String.init)
        let (path, query) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        let version = query.split(separator: "&").first { $0.hasPrefix("protocol=") }.map { $0.dropFirst(9) }
        switch driver.perform({ core, _ in core.realtime.upgradeRequested(path: path) }) {
        case .stall: break
        case .refuse(let status): peer.refuse(status: status)
        case .accept:
            guard let early = peer.upgrade(head) else { return peer.refuse(status: 426) }
            driver.perform { core, now in
                core.realtime.connected(id, path: path, version: version.map(String.init), at: now)
            }
            pass(early, id)
        }
    }

    /// Does what the core wants until it wants nothing; false at the end.
    private func work() -> Bool {
        while true {
            let work = driver.takeWork()
            guard !work.isStopping else { return false }
            for output in work.outputs { apply(output) }
            for (id, peer) in peers where peer.closesAt.map({ $0 <= .now }) ?? false { forget(id) }
            if work.outputs.isEmpty { return true }
        }
    }

    private func apply(_ output: PusherServer.Output) {
        switch output {
        case .send(let id, let text):
            guard let peer = peers[id] else { return }
            if peer.queue(text) { flush(id, peer) } else { forget(id) }
        case .close(let id, let code, let reason):
            guard let peer = peers[id] else { return }
            peer.queueClose(code: code, reason: reason)
            flush(id, peer)
        case .drop(let id): forget(id)
        }
    }

    private func flush(_ id: PusherServer.ConnectionID, _ peer: WebSocketPeer) {
        guard peer.flush() else { return forget(id) }
        let writing = peer.waitsToWrite ? EPOLLOUT.rawValue : 0
        do throws(SandboxStartError) {
            try watch(peer.stream.descriptor, EPOLL_CTL_MOD, UInt64(id.number), writing)
        } catch {
            forget(id)
        }
    }

    private func forget(_ id: PusherServer.ConnectionID) {
        guard let peer = peers.removeValue(forKey: id) else { return }
        // Closing a descriptor ends its watch, since nobody duplicated it.
        peer.stream.close()
        driver.perform { core, _ in core.realtime.disconnected(id) }
    }

    private func watch(
        _ descriptor: Int32, _ operation: Int32, _ mark: UInt64, _ more: UInt32 = 0
    ) throws(SandboxStartError) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | more
        event.data.u64 = mark
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
