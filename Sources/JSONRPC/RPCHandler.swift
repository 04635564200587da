/// What a server does with requests. Knows nothing of sockets.
package protocol RPCHandler: Sendable {
    /// Called on the server's thread, in the order the requests of a connection arrived: answers at once, or returns
    /// `nil` to be asked again through ``handle(_:on:)``. Every client waits meanwhile, so it must not block.
    func handleNow(_ request: RPCRequest, on connection: RPCConnection) -> RPCOutcome?

    /// Called off the thread, at the same time as other requests. It completes even when the connection closes
    /// meanwhile (what was handed over stays handed over); its task is cancelled only when the server's grace has run
    /// out.
    func handle(_ request: RPCRequest, on connection: RPCConnection) async -> RPCOutcome

    /// Called once on the server's thread when a connection is gone. Must not block.
    func connectionClosed(_ connection: RPCConnection)
}

/// The bounds of a server.
package struct RPCServerLimits: Sendable {
    /// Connections at once; one more gets `too_many_clients`.
    package var connections = 256
    /// The longest request, in bytes, its newline not counted.
    package var requestBytes = 65_536
    /// Requests of one connection that handlers work on at once; past it the connection is not read from.
    package var requestsInFlight = 256
    /// Bytes queued for one client; past it notifications are refused and the connection is not read from.
    package var outboundBytes = 1_048_576

    package init() {}
}
