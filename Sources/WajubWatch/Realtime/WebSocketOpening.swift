package import Transport

/// Whoever opens WebSockets: ``Transport/Transport``, or a test's own.
package protocol WebSocketOpening: Sendable {
    /// Opens a WebSocket. Cancelling the task ends the attempt.
    func open(_ request: WebSocketRequest) async -> Result<any WebSocketPeer, TransportFailure>
}

/// An open WebSocket. Dropping the last reference drops the connection.
package protocol WebSocketPeer: Sendable {
    /// What arrived, for one consumer; nil after ``Transport/WebSocketEvent/closed(code:reason:)``, or when its task is
    /// cancelled.
    func nextEvents() async -> [WebSocketEvent]?
    /// Sends a text message.
    func send(text: String)
    /// Sends a close frame; `closed` comes when the peer answers, or after a few seconds.
    func close(code: Int, reason: String)
    /// Ends the connection at once; `closed` follows.
    func drop()
}

extension Transport: WebSocketOpening {
    package func open(_ request: WebSocketRequest) async -> Result<any WebSocketPeer, TransportFailure> {
        await openWebSocket(request).map { $0 }
    }
}

extension WebSocketConnection: WebSocketPeer {
    package func nextEvents() async -> [WebSocketEvent]? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }
}
