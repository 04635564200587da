package import Contract
package import Platform

/// Wajub's session API, as a driver uses it: every call ends, with an answer or with why there is none.
package protocol WajubAPI: Sendable {
    func session(token: Secret) async -> Result<Session, CallFailure>
    func configuration(token: Secret) async -> Result<SDKConfiguration, CallFailure>
    func status(token: Secret) async -> Result<StatusReading, CallFailure>
    func cancel(token: Secret) async -> Result<Void, CallFailure>
}

/// What a realtime channel tells its payment.
package enum RealtimeNews: Hashable, Sendable {
    /// Subscribed: from here on nothing is missed.
    case connected
    /// Not subscribed; being tried again.
    case connecting
    /// A message named this status, in Wajub's word.
    case signal(String)
}

/// Realtime, as a driver uses it.
package protocol Realtime: Sendable {
    /// Joins a channel until ``leave(_:)``; `onNews` may be called from any thread, in order.
    func join(_ channel: RealtimeChannel, token: Secret, onNews: @escaping @Sendable (RealtimeNews) -> Void)
        -> RealtimeMembership
    func leave(_ membership: RealtimeMembership)
}

/// One payment's place in a channel.
package struct RealtimeMembership: Hashable, Sendable {
    package let id: UInt64

    package init(id: UInt64) {
        self.id = id
    }
}
