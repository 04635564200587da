/// A request to open a WebSocket. Its headers may carry secrets, so it does not describe itself.
package struct WebSocketRequest: Sendable {
    /// `wss://` or `ws://`.
    package var url: String
    /// Beside those of the handshake.
    package var headers: [(name: String, value: String)]
    /// Real time from the call to the established WebSocket: line, look-up, TCP, TLS and upgrade together.
    package var connectTimeout: Duration
    /// A longer inbound message closes the connection with 1009.
    package var maxMessageBytes: Int

    package init(
        url: String, headers: [(name: String, value: String)] = [], connectTimeout: Duration = .seconds(10),
        maxMessageBytes: Int = 1 << 20
    ) {
        self.url = url
        self.headers = headers
        self.connectTimeout = connectTimeout
        self.maxMessageBytes = maxMessageBytes
    }
}

extension WebSocketRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "WebSocket" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a WebSocket brings.
package enum WebSocketEvent: Equatable, Sendable {
    case text(String)
    /// Any other frame: no content of interest, but the peer is alive.
    case frame
    /// The last event: the code of the peer's close frame, the code with which a violation made us close, or 1006 where the
    /// connection ended without a close frame, by ``WebSocketConnection/drop()`` too.
    case closed(code: Int, reason: String)
}

/// An open WebSocket. Dropping the last reference drops the connection.
package final class WebSocketConnection: Sendable {
    private let channel: WebSocketChannel

    init(_ channel: WebSocketChannel) {
        self.channel = channel
    }

    deinit {
        channel.request(.drop)
    }

    /// What arrives, in batches of one readable event each, for one consumer. When more than 1 MiB waits here the socket is
    /// not read until some is taken.
    package var events: WebSocketEvents { WebSocketEvents(channel: channel) }

    /// Sends a text message. When more than 256 KiB wait to be sent the connection is dropped instead. Nothing happens after
    /// a close.
    package func send(text: String) {
        channel.request(.text(text))
    }

    /// Sends a WebSocket ping; pings of the peer are answered without help.
    package func ping() {
        channel.request(.ping)
    }

    /// Sends a close frame; the peer has five seconds to answer it.
    package func close(code: Int = 1000, reason: String = "") {
        channel.request(.close(code: code, reason: reason))
    }

    /// Ends the connection at once, without a word.
    package func drop() {
        channel.request(.drop)
    }
}

/// The batches of a ``WebSocketConnection``; ends after ``WebSocketEvent/closed(code:reason:)``, or when its task is
/// cancelled.
package struct WebSocketEvents: AsyncSequence, Sendable {
    package typealias Element = [WebSocketEvent]
    package typealias Failure = Never

    let channel: WebSocketChannel

    package struct AsyncIterator: AsyncIteratorProtocol {
        let channel: WebSocketChannel

        package mutating func next() async -> [WebSocketEvent]? {
            await channel.next()
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> [WebSocketEvent]? {
            await channel.next()
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(channel: channel)
    }
}
