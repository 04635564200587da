/// What is the same for every request of a ``Transport``.
///
/// Proxies come from the environment (`https_proxy`, `http_proxy`, `no_proxy`), which libcurl reads itself.
package struct TransportConfiguration: Sendable {
    /// A PEM file of trusted authorities, in place of the system's; nil for the system's.
    package var caFile: String?
    /// The `User-Agent` of HTTP requests and upgrades.
    package var userAgent: String

    package init(caFile: String? = nil, userAgent: String) {
        self.caFile = caFile
        self.userAgent = userAgent
    }
}

/// Why a ``Transport`` could not be made.
package enum TransportError: Error, Equatable, Sendable {
    /// The CA file cannot be read, with the system's error number.
    case caFileUnreadable(errno: Int32)
    /// libcurl did not initialise.
    case curlUnavailable
    /// No thread could be started, with the system's error number.
    case threadUnavailable(errno: Int32)
}
