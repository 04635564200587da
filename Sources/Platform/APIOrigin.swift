/// Where Wajub's API is: a scheme, a host and maybe a port (`wire.md`, "Common").
package struct APIOrigin: Hashable, Sendable {
    /// `https://host[:port]`, without a slash at the end.
    package let text: String
    /// Whether the host is this machine: only there is plain `http` allowed, and a clock that runs faster.
    package let isLoopback: Bool

    /// Wajub's own.
    package static let wajub = APIOrigin(text: "https://api.wajub.com", isLoopback: false)

    private init(text: String, isLoopback: Bool) {
        self.text = text
        self.isLoopback = isLoopback
    }

    /// Takes `https://` anywhere, plain `http://` on loopback alone; one slash at the end is dropped.
    ///
    /// - throws: what is wrong with it.
    package init(_ text: String) throws(APIOriginError) {
        let lower = text.lowercased()
        let scheme = lower.hasPrefix("https://") ? "https://" : "http://"
        guard lower.hasPrefix(scheme) else { throw APIOriginError("must begin with https://") }
        var rest = lower.dropFirst(scheme.count)
        if rest.last == "/" { rest = rest.dropLast() }
        guard !rest.contains(where: { "/?#@\\".contains($0) }) else {
            throw APIOriginError("must be an origin: a scheme and a host, no path, user or query")
        }
        guard let authority = Authority(rest) else { throw APIOriginError("names no host, or no usable port") }
        guard scheme == "https://" || authority.isLoopback else {
            throw APIOriginError("must be https, except on loopback")
        }
        isLoopback = authority.isLoopback
        self.text = scheme + authority.host + (authority.port.map { ":\($0)" } ?? "")
    }
}

/// Why a text is no origin for Wajub's API.
package struct APIOriginError: Error, Hashable, Sendable {
    /// For a person; follows the option's name.
    package let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
