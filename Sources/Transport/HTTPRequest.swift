/// An HTTP request. Its headers and body carry secrets, so it describes itself by method and size alone.
package struct HTTPRequest: Sendable {
    /// The methods that Wajub's session API uses (wire.md).
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method
    /// `https://` or `http://`; who may use the latter is the caller's to decide.
    package var url: String
    /// In order; CR, LF and NUL are refused.
    package var headers: [(name: String, value: String)]
    /// A POST without a body sends an empty one.
    package var body: [UInt8]?
    /// Real time for waiting in line, name look-up, TCP and TLS.
    package var connectTimeout: Duration
    /// Real time for the whole, the body's last byte included.
    package var timeout: Duration
    /// A longer body is ``TransportFailure/Kind/tooLarge``.
    package var maxBodyBytes: Int
    /// Opens a new connection for this request. libcurl sends a request again by itself, whatever its method, when a
    /// *reused* connection ends without a byte of answer (`Curl_retry_request`); on a fresh one it never does. For requests
    /// that must not leave twice.
    package var freshConnection: Bool

    package init(
        method: Method, url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        connectTimeout: Duration = .seconds(10), timeout: Duration, maxBodyBytes: Int = 1 << 20,
        freshConnection: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.maxBodyBytes = maxBodyBytes
        self.freshConnection = freshConnection
    }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(method.rawValue), \(body?.count ?? 0) bytes" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
