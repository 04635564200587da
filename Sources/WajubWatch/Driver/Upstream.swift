package import Contract
package import Platform

/// Wajub's session API, as a driver uses it: every call ends, with an answer or with why there is none.
package protocol WajubAPI: Sendable {
    func session(token: Secret) async -> Result<Session, CallFailure>
    func configuration(token: Secret) async -> Result<SDKConfiguration, CallFailure>
    func status(token: Secret) async -> Result<StatusReading, CallFailure>
    func cancel(token: Secret) async -> Result<Void, CallFailure>
}

/// Realtime, as a driver uses it.
package protocol Realtime: Sendable {
    /// Joins a channel until ``leave(_:)``; `onEvent` may be called from any thread, in order.
    func join(_ channel: RealtimeChannel, token: Secret, onEvent: @escaping @Sendable (RealtimeNews) -> Void)
        -> RealtimeMembership
    func leave(_ membership: RealtimeMembership)
}

extension APIClient: WajubAPI {}
extension RealtimeHub: Realtime {}
