internal import CCurl
internal import Platform

/// The loop of the transport's thread: takes commands, lets libcurl work, serves the WebSockets, sleeps.
///
/// Lives on that one thread, so it needs no lock; only ``Inbox`` and the channels are shared.
final class Engine {
    /// Requests and connecting WebSockets on their way at once.
    static let maxRunning = 64
    /// Jobs in line; beyond it they fail as overloaded.
    static let maxQueued = 1 << 14
    /// Connections kept for reuse, beside WebSockets.
    static let maxConnections = 96

    let multi: UnsafeMutableRawPointer
    let inbox: Inbox
    let configuration: TransportConfiguration
    let randomness: any Randomness
    let gate = HostGate()
    var queue: [Job] = []
    /// No job in line is due before this.
    var queueDeadline: ContinuousClock.Instant?
    var running: [UInt64: Job] = [:]
    var pool: [EasyHandle] = []
    var sessions: [UInt64: WebSocketSession] = [:]
    private var stopping = false
    /// Whether the last sleep ended with a socket that is ready.
    private var isSocketReady = false

    init(
        multi: UnsafeMutableRawPointer, inbox: Inbox, configuration: TransportConfiguration, randomness: any Randomness
    ) {
        self.multi = multi
        self.inbox = inbox
        self.configuration = configuration
        self.randomness = randomness
        check(CCurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maxConnections))
    }

    /// Runs until told to stop, and frees everything.
    func run() {
        while true {
            inbox.takeAll().forEach(perform)
            if stopping { break }
            startQueued()
            // It looks at every transfer each time, so a command alone is no reason.
            if isSocketReady || isCurlDue { letCurlWork() }
            serveSessions()
            sleep()
        }
        stop()
    }

    private func letCurlWork() {
        var count: Int32 = 0
        check(curl_multi_perform(multi, &count))
        finishDone()
        // What just finished made room, and a look-up that succeeded opened its gate.
        startQueued()
    }

    /// Whether a time limit of libcurl's has passed; one that was just given a transfer has one at once.
    private var isCurlDue: Bool {
        var milliseconds = 0
        check(curl_multi_timeout(multi, &milliseconds))
        return milliseconds == 0
    }

    private func perform(_ command: Command) {
        switch command {
        case .request(let id, let request, let submitted, let reply):
            enqueue(HTTPTransfer(id: id, submitted: submitted, request: request, reply: reply, gate: gate))
        case .open(let id, let request, let submitted, let reply):
            enqueue(
                WebSocketSession(
                    id: id, submitted: submitted, request: request, userAgent: configuration.userAgent, reply: reply,
                    gate: gate, channel: WebSocketChannel(id: id, inbox: inbox), randomness: randomness))
        case .cancel(let id): cancel(id)
        case .serve(let id): sessions[id]?.needsService = true
        case .stop: stopping = true
        }
    }

    private func stop() {
        inbox.close()
        for job in queue { job.finish(.failure(.init(.cancelled, mayHaveReachedServer: false))) }
        queue = []
        for job in running.values {
            let failure = TransportFailure(.cancelled, mayHaveReachedServer: job.requestStarted)
            release(job)
            job.finish(.failure(failure))
        }
        running = [:]
        for session in sessions.values { end(session, .connectionLost) }
        pool = []
        check(curl_multi_cleanup(multi))
        inbox.end()
    }

    /// Sleeps until a socket, a time limit or a command; for ever when there is none of the former two.
    private func sleep() {
        var descriptors: [curl_waitfd] = []
        var polled: [WebSocketSession] = []
        for session in sessions.values {
            guard let descriptor = session.waitDescriptor else { continue }
            descriptors.append(descriptor)
            polled.append(session)
        }
        // libcurl shortens this to its own next time limit.
        var ready: Int32 = 0
        check(curl_multi_poll(multi, &descriptors, UInt32(descriptors.count), sleepMilliseconds, &ready))
        isSocketReady = ready > 0
        for (descriptor, session) in zip(descriptors, polled) where descriptor.revents != 0 {
            session.needsService = true
        }
    }

    private var sleepMilliseconds: Int32 {
        if sessions.values.contains(where: \.needsService) { return 0 }
        let deadlines = sessions.values.compactMap(\.deadline) + [queueDeadline].compactMap { $0 }
        guard let next = deadlines.min() else { return .max }
        let left = (next - .now) / .milliseconds(1)
        return Int32(max(0, min(left.rounded(.up), Double(Int32.max))))
    }

    /// Every code of the multi interface but `CURLM_OK` means a handle misused here, or no memory for `poll`.
    func check(_ code: CURLMcode) {
        precondition(code == CURLM_OK, String(cString: curl_multi_strerror(code)))
    }
}
