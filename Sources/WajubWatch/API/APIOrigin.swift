/// Where Wajub's API is: `https://` anywhere, plain `http://` on loopback alone (`wire.md`, "Common").
package struct APIOrigin: Hashable, Sendable {
    /// Scheme, host and perhaps port, without a slash at the end.
    package let text: String
    /// Whether nothing sent there leaves this machine.
    package let isLoopback: Bool

    /// Wajub's own.
    package static let wajub = APIOrigin(text: "https://api.wajub.com", isLoopback: false)

    private init(text: String, isLoopback: Bool) {
        self.text = text
        self.isLoopback = isLoopback
    }

    /// Reads an origin; one slash at its end is dropped.
    ///
    /// - throws: ``APIOriginError``, which says what is wrong.
    package static func parse(_ text: String) throws(APIOriginError) -> APIOrigin {
        let scheme: String
        if text.lowercased().hasPrefix("https://") {
            scheme = "https://"
        } else if text.lowercased().hasPrefix("http://") {
            scheme = "http://"
        } else {
            throw .scheme
        }
        var rest = text.dropFirst(scheme.count)
        if rest.contains("#") || rest.contains("?") { throw .query }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        if rest.contains("@") { throw .userInformation }
        if rest.contains("/") || rest.contains("\\") { throw .path }
        guard let authority = Authority(rest) else { throw .host }
        if scheme == "http://", !authority.isLoopback { throw .plainHTTP }
        let port = authority.port.map { ":\($0)" } ?? ""
        return APIOrigin(text: scheme + authority.host + port, isLoopback: authority.isLoopback)
    }
}

/// What is wrong with an origin.
package enum APIOriginError: Error, Equatable, CustomStringConvertible {
    case scheme, userInformation, query, path, host, plainHTTP

    package var description: String {
        switch self {
        case .scheme: "the API's origin must begin with https:// (or http:// on loopback)"
        case .userInformation: "the API's origin must not carry a user name or a password"
        case .query: "the API's origin must not carry a query or a fragment"
        case .path: "the API's origin must not carry a path"
        case .host: "the API's origin does not name a host, or its port is not 1 to 65535"
        case .plainHTTP: "the API's origin may be plain http:// on loopback alone"
        }
    }
}
