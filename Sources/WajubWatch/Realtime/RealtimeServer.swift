internal import Contract

/// What one connection serves: payments that name the same server and key share it.
struct RealtimeServer: Hashable, Sendable {
    let host: String
    let port: Int
    let tls: Bool
    let key: String

    init(_ channel: RealtimeChannel) {
        host = channel.host.lowercased()
        port = channel.port
        tls = channel.tls
        key = channel.key
    }

    /// The address to connect to (`pusher.md`, "URL").
    func url(version: String) -> String {
        let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(tls ? "wss" : "ws")://\(authority):\(port)/app/\(PercentEncoding.encode(key))"
            + "?protocol=7&client=wajubd&version=\(PercentEncoding.encode(version))"
    }
}
