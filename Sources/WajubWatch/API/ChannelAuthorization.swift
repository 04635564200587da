package import Platform

/// The leave to subscribe to one channel over one connection (`pusher.md`, "Authorise").
package struct ChannelAuthorization: Hashable, Sendable {
    /// `key:signature`.
    package let auth: Secret
    /// Passed on as it came, where the server gave any.
    package let channelData: String?

    package init(auth: Secret, channelData: String? = nil) {
        self.auth = auth
        self.channelData = channelData
    }
}
