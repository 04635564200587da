internal import Glibc

/// The thread of a server: owns every descriptor, and alone reads, writes and closes them.
final class ServerLoop {
    /// What the thread is given.
    struct Context: Sendable {
        let listener: UnixListener
        let handler: any RPCHandler
        let limits: RPCServerLimits
        let inbox: ServerInbox
        let jobs: AsyncStream<ServerJob>.Continuation
    }

    /// Where the listener stands.
    enum Accepting {
        case armed
        /// Out of descriptors or memory: not told of clients until a connection closes, or this moment.
        case disarmed(until: ContinuousClock.Instant)
        case ended
    }

    static let inboxKey: UInt64 = 0
    static let listenerKey = UInt64.max

    let context: Context
    let epoll: Epoll
    var channels: [UInt64: ServerChannel] = [:]
    var accepting = Accepting.armed
    /// Given up for a moment when descriptors run out, to refuse a client rather than leave it waiting; -1 when lost.
    var reserve: Int32
    var lastID: UInt64 = 0
    var chunk = [UInt8](repeating: 0, count: 16_384)
    private var scheduled: [ServerChannel] = []
    private var grace: Duration?
    private var stopDeadline: ContinuousClock.Instant?

    var isStopping: Bool { stopDeadline != nil }

    init(_ context: Context) throws(SystemError) {
        self.context = context
        epoll = try Epoll()
        reserve = try SystemError.check("open") { Self.openReserve() }
        try epoll.add(context.inbox.descriptor, key: Self.inboxKey, events: Epoll.acceptable)
        try epoll.add(context.listener.descriptor, key: Self.listenerKey, events: Epoll.acceptable)
    }

    deinit {
        if reserve >= 0 { SystemError.closeDescriptor(reserve) }
    }

    /// Serves until stopped.
    ///
    /// - throws: what made going on impossible; every connection is closed then too.
    func run() throws(SystemError) {
        defer {
            for channel in channels.values { close(channel) }
            context.listener.close()
        }
        while true {
            try turn()
            guard let stopDeadline else { continue }
            if channels.isEmpty && context.inbox.requestsInFlight == 0 { return }
            if ContinuousClock.now >= stopDeadline { return }
        }
    }

    /// Puts a connection among those that are served in the next turn.
    func schedule(_ channel: ServerChannel) {
        guard !channel.isScheduled else { return }
        channel.isScheduled = true
        scheduled.append(channel)
    }

    private func turn() throws(SystemError) {
        let events = try epoll.wait(milliseconds: timeout)
        var hasClients = false
        for event in events {
            switch event.key {
            case Self.inboxKey: context.inbox.acknowledge()
            case Self.listenerKey: hasClients = true
            case let key: channels[key].map { told($0, event) }
            }
        }
        let mail = context.inbox.collect()
        for key in mail.touched {
            guard let channel = channels[key] else { continue }
            channel.connection.touchTaken()
            schedule(channel)
        }
        if let grace = mail.stop, grace != self.grace { try stop(grace: grace) }
        if hasClients { try acceptClients() }
        try rearmWhenDue()
        let turn = scheduled
        scheduled.removeAll(keepingCapacity: true)
        for channel in turn {
            channel.isScheduled = false
            try serve(channel)
        }
    }

    private func told(_ channel: ServerChannel, _ event: Epoll.Event) {
        channel.mayRead = !channel.hasInputEnded
        if event.isHungUp { abandon(channel) }
        schedule(channel)
    }

    private func stop(grace: Duration) throws(SystemError) {
        self.grace = grace
        stopDeadline = min(stopDeadline ?? .now + grace, .now + grace)
        if case .ended = accepting { return }
        accepting = .ended
        try epoll.remove(context.listener.descriptor)
        context.listener.close()
        for channel in channels.values { schedule(channel) }
    }

    /// How long to wait for events: forever, unless somebody waits to be served or a moment was set.
    private var timeout: Int32 {
        if !scheduled.isEmpty { return 0 }
        var deadline = stopDeadline
        if case .disarmed(let until) = accepting { deadline = min(deadline ?? until, until) }
        guard let deadline else { return -1 }
        let left = ContinuousClock.now.duration(to: deadline)
        // Rounded up, so that the moment has come when the wait is over; a day at most.
        return left <= .zero ? 0 : Int32(min(left / .milliseconds(1) + 1, 86_400_000))
    }
}
