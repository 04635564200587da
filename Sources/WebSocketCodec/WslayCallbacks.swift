internal import CWslay
internal import Platform

/// What wslay reads from and writes to: memory.
final class Buffers {
    var input: [UInt8] = []
    var inputOffset = 0
    var output: [UInt8] = []
    var messages: [WebSocketMessage] = []
    let maskKeys: any Randomness

    init(maskKeys: any Randomness) {
        self.maskKeys = maskKeys
    }
}

/// wslay's callbacks. None captures; each finds its ``Buffers`` in the user pointer, which the codec keeps alive longer
/// than the context.
enum WslayCallbacks {
    static var table: wslay_event_callbacks {
        wslay_event_callbacks(
            recv_callback: { WslayCallbacks.receive($0, $1, $2, $4) },
            send_callback: { WslayCallbacks.send($1, $2, $4) },
            genmask_callback: { WslayCallbacks.maskKey($1, $2, $3) },
            on_frame_recv_start_callback: nil,
            on_frame_recv_chunk_callback: nil,
            on_frame_recv_end_callback: nil,
            on_msg_recv_callback: { WslayCallbacks.messageReceived($1, $2) })
    }

    private static func buffers(_ user: UnsafeMutableRawPointer?) -> Buffers? {
        user.map { Unmanaged<Buffers>.fromOpaque($0).takeUnretainedValue() }
    }

    static func receive(
        _ context: OpaquePointer?, _ target: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
        _ user: UnsafeMutableRawPointer?
    ) -> Int {
        guard let buffers = buffers(user), let target else { return -1 }
        let count = min(capacity, buffers.input.count - buffers.inputOffset)
        guard count > 0 else {
            // "This is important because it tells wslay_event_recv() to stop receiving further data and return."
            wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK.rawValue)
            return -1
        }
        buffers.input.withUnsafeBufferPointer { input in
            guard let base = input.baseAddress else { return }
            target.update(from: base + buffers.inputOffset, count: count)
        }
        buffers.inputOffset += count
        return count
    }

    static func send(
        _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ user: UnsafeMutableRawPointer?
    ) -> Int {
        guard let buffers = buffers(user) else { return -1 }
        buffers.output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
        return count
    }

    static func maskKey(
        _ target: UnsafeMutablePointer<UInt8>?, _ count: Int, _ user: UnsafeMutableRawPointer?
    ) -> Int32 {
        guard let buffers = buffers(user), let target else { return -1 }
        for index in 0..<count {
            target[index] = UInt8(truncatingIfNeeded: buffers.maskKeys.next())
        }
        return 0
    }

    static func messageReceived(
        _ argument: UnsafePointer<wslay_event_on_msg_recv_arg>?, _ user: UnsafeMutableRawPointer?
    ) {
        guard let buffers = buffers(user), let argument = argument?.pointee else { return }
        let payload = UnsafeBufferPointer(start: argument.msg, count: argument.msg_length)
        switch wslay_opcode(UInt32(argument.opcode)) {
        case WSLAY_TEXT_FRAME: buffers.messages.append(.text(String(decoding: payload, as: UTF8.self)))
        case WSLAY_BINARY_FRAME: buffers.messages.append(.binary(Array(payload)))
        case WSLAY_PING: buffers.messages.append(.ping(Array(payload)))
        case WSLAY_PONG: buffers.messages.append(.pong(Array(payload)))
        case WSLAY_CONNECTION_CLOSE:
            let code = argument.status_code == 0 ? Int(WSLAY_CODE_NO_STATUS_RCVD.rawValue) : Int(argument.status_code)
            // The payload is the code's two bytes and then the reason.
            buffers.messages.append(.close(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self)))
        default: break  // wslay has refused the reserved opcodes before.
        }
    }
}
