/// Where Wajub's API is: a scheme, a host and maybe a port (`wire.md`, "Common").
package struct APIOrigin: Hashable, Sendable {
    /// `https://host[:port]`, without a slash at the end.
    package let text: String
    /// Whether the host is this machine: only there is plain `http` allowed, and a clock that runs faster.
    package let isLoopback: Bool

    /// Takes `https://` anywhere, plain `http://` on loopback alone.
    ///
    /// - throws: what is wrong with it.
    package init(_ text: String) throws(APIOriginError) {
        let lower = text.lowercased()
        let isHTTPS = lower.hasPrefix("https://")
        guard isHTTPS || lower.hasPrefix("http://") else { throw APIOriginError("must begin with https://") }
        var authority = lower.dropFirst(isHTTPS ? 8 : 7)
        if authority.last == "/" { authority = authority.dropLast() }
        guard !authority.isEmpty else { throw APIOriginError("names no host") }
        guard !authority.contains(where: { "/?#@\\".contains($0) }) else {
            throw APIOriginError("must be an origin: a scheme and a host, no path, user or query")
        }
        let (host, port) = Self.split(authority)
        if let port {
            guard let number = Int(port), (1...65_535).contains(number) else {
                throw APIOriginError("has no usable port")
            }
        }
        guard Self.isPlain(host) else { throw APIOriginError("names no host") }
        isLoopback = Self.isLoopback(host)
        guard isHTTPS || isLoopback else { throw APIOriginError("must be https, except on loopback") }
        self.text = (isHTTPS ? "https://" : "http://") + authority
    }

    /// Host and port; an IPv6 address keeps its brackets.
    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?) {
        if authority.first == "[", let end = authority.firstIndex(of: "]") {
            let rest = authority[authority.index(after: end)...]
            return (authority[...end], rest.isEmpty ? nil : rest.first == ":" ? rest.dropFirst() : "?")
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func isPlain(_ host: Substring) -> Bool {
        let inside = host.first == "[" ? host.dropFirst().dropLast() : host
        let allowed = host.first == "[" ? "0123456789abcdef:." : "0123456789abcdefghijklmnopqrstuvwxyz-._"
        return !inside.isEmpty && inside.count <= 253 && inside.allSatisfy { allowed.contains($0) }
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
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
