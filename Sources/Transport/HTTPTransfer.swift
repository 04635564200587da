internal import CCurl

/// One HTTP request on its way.
final class HTTPTransfer: Job {
    typealias Reply = CheckedContinuation<Result<HTTPResponse, TransportFailure>, Never>

    /// Headers in all; libcurl bounds each line.
    static let maxHeaderBytes = 64 << 10

    private let request: HTTPRequest
    private let reply: Reply
    private var headers: [(name: String, value: String)] = []
    private var headerBytes = 0
    private var body: [UInt8] = []

    init(id: UInt64, submitted: ContinuousClock.Instant, request: HTTPRequest, reply: Reply, gate: HostGate) {
        self.request = request
        self.reply = reply
        super.init(
            id: id, submitted: submitted, url: request.url,
            connectTimeout: min(request.connectTimeout, request.timeout), gate: gate)
    }

    override func configure(_ easy: EasyHandle, _ configuration: TransportConfiguration) throws(CurlRefusal) {
        try super.configure(easy, configuration)
        guard HeaderLines.areSound(request.headers), !request.url.utf8.contains(0) else {
            throw CurlRefusal(code: CURLE_URL_MALFORMAT)
        }
        try easy.set(CURLOPT_URL, request.url)
        try easy.set(CURLOPT_USERAGENT, configuration.userAgent)
        try easy.set(milliseconds: CURLOPT_TIMEOUT_MS, remaining(of: request.timeout))
        try easy.set(offset: CURLOPT_MAXFILESIZE_LARGE, request.maxBodyBytes)
        try easy.set(CURLOPT_FRESH_CONNECT, request.freshConnection)
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        var lines = request.headers.map(HeaderLines.line)
        switch request.method {
        case .get: try easy.set(CURLOPT_HTTPGET, true)
        case .post:
            let body = request.body ?? []
            try easy.set(CURLOPT_POST, true)
            try easy.set(offset: CURLOPT_POSTFIELDSIZE_LARGE, body.count)
            // One byte more than is sent: without an address libcurl would ask a read callback for the body.
            try easy.check(
                (body + [0]).withUnsafeBytes { CCurl_set_pointer(easy.pointer, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
            )
            lines.append("Expect:")
        }
        try easy.set(headerLines: lines)
        let this = Unmanaged.passUnretained(self as Job).toOpaque()
        try easy.set(CURLOPT_WRITEDATA, this)
        try easy.check(CCurl_set_receiver(easy.pointer, CURLOPT_WRITEFUNCTION, HTTPCallbacks.body))
        try easy.set(CURLOPT_HEADERDATA, this)
        try easy.check(CCurl_set_receiver(easy.pointer, CURLOPT_HEADERFUNCTION, HTTPCallbacks.header))
    }

    override func finish(_ result: Result<Void, TransportFailure>) {
        reply.resume(
            returning: result.map {
                HTTPResponse(status: easy?.long(CURLINFO_RESPONSE_CODE) ?? 0, headers: headers, body: body)
            })
    }

    var headersBegun: Bool { headerBytes > 0 }

    /// Takes a part of the body; false when it is too long.
    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= request.maxBodyBytes else { return false }
        body.append(contentsOf: bytes)
        return true
    }

    /// Takes a header line, status lines and the empty one included; false when there are too many.
    func take(header bytes: UnsafeRawBufferPointer) -> Bool {
        headerBytes += bytes.count
        guard headerBytes <= Self.maxHeaderBytes else { return false }
        let line = String(decoding: bytes, as: UTF8.self)
        guard let colon = line.firstIndex(of: ":") else {
            // An interim answer (1xx) came before.
            if line.hasPrefix("HTTP/") { headers = [] }
            return true
        }
        headers.append((String(line[..<colon]), HeaderLines.trimmed(line[line.index(after: colon)...])))
        return true
    }
}

/// Header lines to and from libcurl.
enum HeaderLines {
    /// Whether no header could end its line early, or is no `Name: value` at all.
    static func areSound(_ headers: [(name: String, value: String)]) -> Bool {
        headers.allSatisfy { name, value in
            !name.isEmpty
                && !name.utf8.contains { $0 <= 32 || $0 >= 127 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }
                && !value.utf8.contains { $0 == 13 || $0 == 10 || $0 == 0 }
        }
    }

    /// "If you add a header with no content as in 'Accept:' the internally used header is disabled", and 'Accept;' sends it
    /// empty (CURLOPT_HTTPHEADER).
    static func line(name: String, value: String) -> String {
        trimmed(value[...]).isEmpty ? "\(name);" : "\(name): \(value)"
    }

    static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0.isWhitespace }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}

/// libcurl's callbacks with the answer; the context is the ``HTTPTransfer``, which the engine keeps while it runs. Any count
/// but the one given ends the transfer with `CURLE_WRITE_ERROR`.
enum HTTPCallbacks {
    static let body: curl_write_callback = { bytes, size, count, context in
        HTTPCallbacks.receive(bytes, size * count, context) { $0.take(body: $1) }
    }

    static let header: curl_write_callback = { bytes, size, count, context in
        HTTPCallbacks.receive(bytes, size * count, context) { $0.take(header: $1) }
    }

    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
        _ take: (HTTPTransfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard let transfer = JobCallbacks.job(context) as? HTTPTransfer else { return -1 }
        return take(transfer, UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
    }
}
