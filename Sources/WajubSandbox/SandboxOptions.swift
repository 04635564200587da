/// The options of `wajub-sandbox`.
package struct SandboxOptions: Hashable, Sendable {
    /// The API's port; 0 for any free one.
    package var port: UInt16
    /// The Pusher server's port; 0 for any free one.
    package var webSocketPort: UInt16
    /// How many seconds of the sandbox pass in a real one.
    package var speed: Double
    /// Where tokens and ids come from; random when absent.
    package var seed: UInt64?
    package var tls: TLSIdentity?

    package init(
        port: UInt16 = 0, webSocketPort: UInt16 = 0, speed: Double = 1, seed: UInt64? = nil, tls: TLSIdentity? = nil
    ) {
        self.port = port
        self.webSocketPort = webSocketPort
        self.speed = speed
        self.seed = seed
        self.tls = tls
    }
}
