/// A `ws://` or `wss://` URL, taken apart for libcurl and for the upgrade.
struct WebSocketURL: Equatable {
    /// The same with `http` or `https`.
    let httpURL: String
    /// Host and port as written; user names are refused.
    let authority: String
    /// Path and query.
    let target: String

    /// Nil when it is another scheme, or could not stand in a request line.
    init?(_ url: String) {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let secure: Bool
        switch url[..<scheme.lowerBound].lowercased() {
        case "ws": secure = false
        case "wss": secure = true
        default: return nil
        }
        let rest = url[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
        guard !authority.isEmpty, !authority.contains("@"), rest.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return nil
        }
        self.authority = String(authority)
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
        httpURL = (secure ? "https://" : "http://") + authority + self.target
    }
}
