package import Contract
package import Platform

/// Wajub's session API, as a driver uses it: every call ends, with an answer or with why there is none.
package protocol WajubAPI: Sendable {
    func session(token: Secret) async -> Result<Session, CallFailure>
    func configuration(token: Secret) async -> Result<SDKConfiguration, CallFailure>
    func status(token: Secret) async -> Result<StatusReading, CallFailure>
    func cancel(token: Secret) async -> Result<Void, CallFailure>
    /// - parameter body: as ``PayRequestBody`` makes it, byte for byte the same at each try of a key.
    func process(_ body: Secret, key: IdempotencyKey, token: Secret) async -> Result<PayAnswer, CallFailure>
    func startClientSession(_ body: Secret, token: Secret) async -> Result<PayAnswer, CallFailure>
    func completeClientSession(id: String, token: Secret) async -> Result<PayAnswer, CallFailure>
    func verify(_ kind: Step.Kind, id: String, fields: StepFields, token: Secret) async -> Result<
        PayAnswer, CallFailure
    >
    func resend(_ kind: Step.Kind, id: String, token: Secret) async -> Result<Step?, CallFailure>
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
