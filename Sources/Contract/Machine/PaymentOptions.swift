/// What the till asked for at the hand-off (`protocol.md`, `payment.watch`).
package struct PaymentOptions: Hashable, Codable, Sendable {
    /// Where realtime comes from.
    package enum Realtime: Hashable, Codable, Sendable {
        /// The server that the session names.
        case session
        /// Another server, with the session's key and channel.
        case server(host: String, port: Int, tls: Bool)
        /// Polling only.
        case off
    }

    /// The language of messages; nil leaves it to the session, then English.
    package var language: Language?
    package var realtime: Realtime
    /// Whether dismissing a pending payment cancels it (seed 000, "Cancelling and closing").
    package var cancelOnDismiss: Bool
    /// How long reads go on after the watch; zero: not at all.
    package var followUp: Duration

    package init(
        language: Language? = nil, realtime: Realtime = .session, cancelOnDismiss: Bool = true,
        followUp: Duration = .zero
    ) {
        self.language = language
        self.realtime = realtime
        self.cancelOnDismiss = cancelOnDismiss
        self.followUp = followUp
    }
}
