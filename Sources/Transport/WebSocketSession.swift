internal import CCurl
internal import Platform
internal import WebSocketCodec

/// One WebSocket on the engine's thread: connects as a ``Job``, upgrades by hand, then passes frames.
///
/// libcurl makes the connection (`CONNECT_ONLY`) with proxy and TLS, and moves its bytes. The socket is polled as it is: the
/// session ends before libcurl closes it.
final class WebSocketSession: Job {
    typealias Reply = CheckedContinuation<Result<WebSocketConnection, TransportFailure>, Never>

    enum Ending {
        case failed(TransportFailure)
        /// The peer's close frame, or the violation that made us close.
        case closed(code: Int, reason: String)
        case connectionLost
    }

    enum State {
        /// libcurl connects.
        case connecting
        /// The request is on its way, or its answer is; the bytes that came so far.
        case upgrading(received: [UInt8])
        case open(WebSocketCodec)
        /// Our close frame waits for the peer's, until the deadline.
        case closing(WebSocketCodec, deadline: ContinuousClock.Instant)
        /// All is said; our last bytes leave, until the deadline.
        case draining(Ending, deadline: ContinuousClock.Instant)
    }

    /// How long a close may take.
    static let closeTimeout = Duration.seconds(5)

    let request: WebSocketRequest
    let userAgent: String
    let channel: WebSocketChannel
    let randomness: any Randomness
    let key: String
    var reply: Reply?
    var state = State.connecting
    var stream: CurlStream?
    /// Whether ``serve()`` has something to do.
    var needsService = false

    init(
        id: UInt64, submitted: ContinuousClock.Instant, request: WebSocketRequest, userAgent: String, reply: Reply,
        gate: HostGate, channel: WebSocketChannel, randomness: any Randomness
    ) {
        self.request = request
        self.userAgent = userAgent
        self.reply = reply
        self.channel = channel
        self.randomness = randomness
        key = WebSocketHandshake.key(randomness)
        super.init(
            id: id, submitted: submitted, url: request.url, connectTimeout: request.connectTimeout, gate: gate)
    }

    override func configure(_ easy: EasyHandle, _ configuration: TransportConfiguration) throws(CurlRefusal) {
        try super.configure(easy, configuration)
        guard HeaderLines.areSound(request.headers), let url = WebSocketURL(request.url) else {
            throw CurlRefusal(code: CURLE_URL_MALFORMAT)
        }
        try easy.set(CURLOPT_URL, url.httpURL)
        try easy.set(CURLOPT_CONNECT_ONLY, 1)
        // Else an HTTP proxy would get the upgrade itself instead of a CONNECT.
        try easy.set(CURLOPT_HTTPPROXYTUNNEL, true)
        try easy.set(CURLOPT_FRESH_CONNECT, true)
    }

    override func finish(_ result: Result<Void, TransportFailure>) {
        guard case .failure(let failure) = result else { return }
        end(.failed(failure))
    }

    var isUpgrading: Bool {
        if case .upgrading = state { true } else { false }
    }

    /// When ``timedOut`` is the answer.
    var deadline: ContinuousClock.Instant? {
        switch state {
        case .connecting: nil
        case .upgrading: submitted + connectTimeout
        case .open: nil
        case .closing(_, let deadline), .draining(_, let deadline): deadline
        }
    }

    var timedOut: Ending {
        switch state {
        case .connecting, .upgrading: .failed(.init(.timeout(.answer), mayHaveReachedServer: true))
        case .open, .closing: .connectionLost
        case .draining(let ending, _): ending
        }
    }

    /// What to poll for; nil when that is nothing, since `poll` would tell of a hang-up all the same, without end.
    var waitDescriptor: curl_waitfd? {
        guard let stream else { return nil }
        var events: Int32 = 0
        if wantsRead { events |= CURL_WAIT_POLLIN }
        if stream.hasOutput { events |= CURL_WAIT_POLLOUT }
        return events == 0 ? nil : curl_waitfd(fd: stream.socket, events: Int16(events), revents: 0)
    }

    var wantsRead: Bool {
        switch state {
        case .connecting: false
        case .upgrading: true
        case .open, .closing: !channel.isFull
        case .draining: false
        }
    }

    /// Tells the owner; the engine closes the connection.
    func end(_ ending: Ending) {
        if let reply = reply.take() {
            let failure: TransportFailure =
                switch ending {
                case .failed(let failure): failure
                case .closed, .connectionLost: .init(.cancelled, mayHaveReachedServer: true)
                }
            reply.resume(returning: .failure(failure))
        } else {
            switch ending {
            case .closed(let code, let reason): channel.deliver([.closed(code: code, reason: reason)])
            case .connectionLost, .failed: channel.deliver([.closed(code: 1006, reason: "")])
            }
        }
        channel.finish()
        stream = nil
    }
}
