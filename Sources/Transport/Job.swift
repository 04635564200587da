internal import CCurl

/// Something that needs a connection: waits in line, then runs on an ``EasyHandle``. Lives on the engine's thread.
class Job {
    let id: UInt64
    let submitted: ContinuousClock.Instant
    let connectTimeout: Duration
    /// The authority part of the URL, by which connections are counted.
    let host: String
    let gate: HostGate
    var easy: EasyHandle?
    private(set) var requestStarted = false
    private(set) var lookedUp = false

    init(id: UInt64, submitted: ContinuousClock.Instant, url: String, connectTimeout: Duration, gate: HostGate) {
        self.id = id
        self.submitted = submitted
        self.connectTimeout = connectTimeout
        self.gate = gate
        host = Self.host(of: url)
    }

    /// When waiting in line counts as a connect timeout.
    var queueDeadline: ContinuousClock.Instant { submitted + connectTimeout }

    /// What a time limit has left now.
    func remaining(of limit: Duration) -> Duration {
        limit - (ContinuousClock.now - submitted)
    }

    /// Sets the options on a fresh or reset handle.
    func configure(_ easy: EasyHandle, _ configuration: TransportConfiguration) throws(CurlRefusal) {
        try easy.set(CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
        try easy.set(CURLOPT_NOSIGNAL, true)
        // Else a time-out or a cancel blocks the thread until `getaddrinfo` returns, about ten seconds (7.88).
        try easy.set(CURLOPT_QUICK_EXIT, true)
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_FOLLOWLOCATION, false)
        try easy.set(CURLOPT_TCP_NODELAY, true)
        try easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try easy.set(CURLOPT_SSL_VERIFYPEER, true)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        // A directory of authorities would add to the file, and keep libcurl from caching the file once loaded (45 ms).
        try easy.set(CURLOPT_CAPATH, nil as UnsafeMutableRawPointer?)
        if let file = configuration.caFile { try easy.set(CURLOPT_CAINFO, file) }
        try easy.set(milliseconds: CURLOPT_CONNECTTIMEOUT_MS, remaining(of: connectTimeout))
        let this = Unmanaged.passUnretained(self).toOpaque()
        try easy.set(CURLOPT_SOCKOPTDATA, this)
        try easy.check(CCurl_set_on_socket(easy.pointer, JobCallbacks.socketMade))
        try easy.set(CURLOPT_PREREQDATA, this)
        try easy.check(CCurl_set_on_request(easy.pointer, JobCallbacks.requestStarts))
    }

    /// The transfer is over, or never began; told once.
    func finish(_ result: Result<Void, TransportFailure>) {}

    /// libcurl has made a socket, so the name has an address.
    func noteSocket() {
        lookedUp = true
        gate.resolved(host)
    }

    /// libcurl is about to send the request.
    func noteRequest() {
        requestStarted = true
        // A reused connection makes no socket.
        lookedUp = true
    }

    /// Reads what the handle knows after a failure.
    func failure(_ code: CURLcode, headersBegun: Bool = false) -> TransportFailure {
        TransportFailure(
            code,
            .init(
                requestStarted: requestStarted, lookedUp: lookedUp, headersBegun: headersBegun,
                verifyResult: easy?.long(CURLINFO_SSL_VERIFYRESULT) ?? 0,
                osError: Int32(truncatingIfNeeded: easy?.long(CURLINFO_OS_ERRNO) ?? 0)))
    }

    private static func host(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return "" }
        return String(url[scheme.upperBound...].prefix { !"/?#".contains($0) }).lowercased()
    }
}

/// libcurl's callbacks about connections; the context is the ``Job``, which the engine keeps while its transfer runs.
enum JobCallbacks {
    static let socketMade: curl_sockopt_callback = { context, _, _ in
        JobCallbacks.job(context)?.noteSocket()
        return CURL_SOCKOPT_OK
    }

    static let requestStarts: curl_prereq_callback = { context, _, _, _, _ in
        JobCallbacks.job(context)?.noteRequest()
        return CURL_PREREQFUNC_OK
    }

    static func job(_ context: UnsafeMutableRawPointer?) -> Job? {
        context.map { Unmanaged<Job>.fromOpaque($0).takeUnretainedValue() }
    }
}
