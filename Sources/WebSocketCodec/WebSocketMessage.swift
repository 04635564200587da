/// One inbound message, fragments joined.
package enum WebSocketMessage: Equatable, Sendable {
    case text(String)
    case binary([UInt8])
    /// Answered with a pong already.
    case ping([UInt8])
    case pong([UInt8])
    /// The peer's close frame, echoed already. 1005 is a close frame without a code (RFC 6455, 7.1.5), which wslay also
    /// makes of a single byte.
    case close(code: Int, reason: String)
}

/// What a portion of bytes brought: messages in order, and at the end perhaps the violation that ended reading.
package struct WebSocketReception: Equatable, Sendable {
    package let messages: [WebSocketMessage]
    package let violation: WebSocketViolation?
}

/// The peer broke the protocol.
package struct WebSocketViolation: Error, Equatable, Sendable {
    /// 1002 protocol error, 1007 not UTF-8, 1008 pings whose answers are not read, 1009 too long (RFC 6455, 7.4.1). Where we
    /// had sent a close frame before, that one's code.
    package let closeCode: Int
}

/// Why a message was not queued.
package enum WebSocketQueueError: Error, Equatable, Sendable {
    /// A close frame was queued or received: nothing may follow.
    case closed
    /// The peer does not read, and the output has reached its bound.
    case full
    /// A ping longer than 125 bytes.
    case invalid
}
