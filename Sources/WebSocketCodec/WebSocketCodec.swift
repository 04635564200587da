internal import CWslay
package import Platform

/// WebSocket frames (RFC 6455) without I/O: bytes in, messages out; messages in, bytes out. For either side of a connection.
///
/// Frames are wslay's. (It checks a close reason's UTF-8 portion by portion, so one that is not ASCII and arrives in pieces may
/// count as 1007.) Pings are answered and a close is echoed by themselves: both add to ``takeOutput()``. Not
/// `Sendable`: whoever owns the connection owns its codec.
package final class WebSocketCodec {
    /// Which side of the connection this is: a client masks what it sends, a server must not.
    package enum Role: Sendable {
        case client
        case server
    }

    private let context: OpaquePointer
    private let buffers: Buffers
    private let maxOutputBytes: Int
    private var violation: WebSocketViolation?

    /// - parameter maxMessageBytes: a longer inbound message, fragments together, is violation 1009.
    /// - parameter maxOutputBytes: what may wait in ``takeOutput()``, so that a peer that pings without reading ends as 1008.
    /// - parameter maskKeys: where a client's mask keys come from; unpredictable outside tests (RFC 6455, 5.3).
    package init(
        role: Role, maxMessageBytes: Int = 1 << 20, maxOutputBytes: Int = 1 << 18, maskKeys: any Randomness
    ) {
        self.maxOutputBytes = maxOutputBytes
        buffers = Buffers(maskKeys: maskKeys)
        var callbacks = WslayCallbacks.table
        let user = Unmanaged.passUnretained(buffers).toOpaque()
        var created: OpaquePointer?
        let code =
            switch role {
            case .client: wslay_event_context_client_init(&created, &callbacks, user)
            case .server: wslay_event_context_server_init(&created, &callbacks, user)
            }
        // The one documented error is WSLAY_ERR_NOMEM, where Swift's own allocations end the process too.
        guard code == 0, let created else { preconditionFailure("wslay made no context: \(code)") }
        context = created
        wslay_event_config_set_max_recv_msg_length(context, UInt64(maxMessageBytes))
    }

    deinit {
        wslay_event_context_free(context)
    }

    /// Whether the peer's close frame has arrived; everything after it is ignored.
    package var closeReceived: Bool { wslay_event_get_close_received(context) == 1 }

    /// Whether a close frame of ours is in the output, or left before.
    package var closeSent: Bool { wslay_event_get_close_sent(context) == 1 }

    /// How many bytes wait in ``takeOutput()``.
    package var outputCount: Int { buffers.output.count }

    /// The bytes to send now, in order; empty when there are none.
    package func takeOutput() -> [UInt8] {
        defer { buffers.output = [] }
        return buffers.output
    }

    /// Takes bytes from the peer, in portions of any size.
    ///
    /// After a violation its close frame is in the output, and the connection is to be closed once that is sent.
    package func receive(_ bytes: some Sequence<UInt8>) -> WebSocketReception {
        guard violation == nil, !closeReceived else {
            return WebSocketReception(messages: [], violation: violation)
        }
        buffers.input = Array(bytes)
        buffers.inputOffset = 0
        let code = wslay_event_recv(context)
        // Our callbacks do not fail, so this is a frame that breaks the rules on its own: wslay has queued a close without
        // a code. Else only WSLAY_ERR_NOMEM is documented.
        let badFrame = code == WSLAY_ERR_CALLBACK_FAILURE.rawValue
        precondition(code == 0 || badFrame, "wslay_event_recv: \(code)")
        flush()
        if buffers.output.count > maxOutputBytes, !closeReceived {
            fail(code: UInt16(WSLAY_CODE_POLICY_VIOLATION.rawValue))
            flush()
        }
        if badFrame {
            violation = WebSocketViolation(closeCode: Int(WSLAY_CODE_PROTOCOL_ERROR.rawValue))
        } else if wslay_event_get_read_enabled(context) == 0, !closeReceived {
            violation = WebSocketViolation(closeCode: Int(wslay_event_get_status_code_sent(context)))
        }
        defer { buffers.messages = [] }
        return WebSocketReception(messages: buffers.messages, violation: violation)
    }

    /// Queues a text message.
    ///
    /// - throws: ``WebSocketQueueError``: after a close, or when too much waits already.
    package func queue(text: String) throws(WebSocketQueueError) {
        try queue(WSLAY_TEXT_FRAME, Array(text.utf8))
    }

    /// Queues a binary message.
    ///
    /// - throws: ``WebSocketQueueError``: after a close, or when too much waits already.
    package func queue(binary: [UInt8]) throws(WebSocketQueueError) {
        try queue(WSLAY_BINARY_FRAME, binary)
    }

    /// Queues a ping, of at most 125 bytes.
    ///
    /// - throws: ``WebSocketQueueError``: after a close, or when too much waits already.
    package func queuePing(_ payload: [UInt8] = []) throws(WebSocketQueueError) {
        try queue(WSLAY_PING, payload)
    }

    /// Queues a close frame; the reason is cut to the 123 bytes of UTF-8 that fit. Nothing can be queued after it.
    ///
    /// - throws: ``WebSocketQueueError/closed`` when a close frame was queued before.
    package func queueClose(code: Int, reason: String = "") throws(WebSocketQueueError) {
        var reason = reason
        while reason.utf8.count > 123 { reason.removeLast() }
        let bytes = Array(reason.utf8)
        guard wslay_event_queue_close(context, UInt16(truncatingIfNeeded: code), bytes, bytes.count) == 0 else {
            throw .closed
        }
        flush()
    }

    private func queue(_ opcode: wslay_opcode, _ payload: [UInt8]) throws(WebSocketQueueError) {
        // 14: the longest frame header.
        guard buffers.output.count + payload.count + 14 <= maxOutputBytes else { throw .full }
        let code = payload.withUnsafeBufferPointer { payload in
            var message = wslay_event_msg(
                opcode: UInt8(opcode.rawValue), msg: payload.baseAddress, msg_length: payload.count)
            return wslay_event_queue_msg(context, &message)
        }
        switch code {
        case 0: flush()
        case WSLAY_ERR_INVALID_ARGUMENT.rawValue: throw .invalid
        default: throw .closed
        }
    }

    /// Ends reading and queues the close frame that says why.
    private func fail(code: UInt16) {
        wslay_event_shutdown_read(context)
        // Refused only when a close frame was queued before, which then has said goodbye already.
        _ = wslay_event_queue_close(context, code, nil, 0)
    }

    /// Turns what is queued into bytes of ``takeOutput()``; the callback always takes everything.
    private func flush() {
        let code = wslay_event_send(context)
        precondition(code == 0, "wslay_event_send: \(code)")
    }
}
