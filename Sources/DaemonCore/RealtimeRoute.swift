internal import Contract
internal import Platform
internal import WajubWatch

/// Leads every payment to the realtime server of the daemon's options, where they name one.
struct RealtimeRoute: Realtime {
    let hub: RealtimeHub
    let server: DaemonOptions.RealtimeServer

    func join(_ channel: RealtimeChannel, token: Secret, onNews: @escaping @Sendable (RealtimeNews) -> Void)
        -> RealtimeMembership
    {
        var channel = channel
        switch server {
        case .session: break
        case .off: return RealtimeMembership(id: 0)
        case .server(let host, let port, let tls): (channel.host, channel.port, channel.tls) = (host, port, tls)
        }
        return hub.join(channel, token: token, onNews: onNews)
    }

    func leave(_ membership: RealtimeMembership) {
        if membership.id != 0 { hub.leave(membership) }
    }
}
