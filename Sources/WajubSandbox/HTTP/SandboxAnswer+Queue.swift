internal import CMicrohttpd
internal import Glibc

extension SandboxAnswer {
    /// Hands this answer to libmicrohttpd; `MHD_NO`, which cuts the connection, when it does not take it.
    func queue(on connection: OpaquePointer) -> MHD_Result {
        guard let response = response() else { return .NO }
        defer { MHD_destroy_response(response) }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            guard MHD_add_response_header(response, name, value) == .YES else { return .NO }
        }
        return MHD_queue_response(connection, UInt32(status), response)
    }

    private func response() -> OpaquePointer? {
        guard let cutAfter else {
            return body.withUnsafeBytes { bytes in
                // MUST_COPY: libmicrohttpd only reads the bytes, whatever the parameter's type says.
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        }
        let cut = CutBody(bytes: Array(body.prefix(cutAfter)))
        return MHD_create_response_from_callback(
            UInt64(body.count), 4_096, readCutBody, Unmanaged.passRetained(cut).toOpaque(), freeCutBody)
    }
}

/// A body that ends before the length it promised.
private final class CutBody {
    let bytes: [UInt8]

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// `MHD_ContentReaderCallback`: at the cut it ends the connection.
private func readCutBody(
    context: UnsafeMutableRawPointer?, position: UInt64, buffer: UnsafeMutablePointer<CChar>?, capacity: Int
) -> Int {
    guard let context, let buffer else { return CMicrohttpd_end_with_error() }
    let rest = Unmanaged<CutBody>.fromOpaque(context).takeUnretainedValue().bytes.dropFirst(Int(position))
    let part = rest.prefix(capacity)
    guard !part.isEmpty else { return CMicrohttpd_end_with_error() }
    part.withUnsafeBytes {
        UnsafeMutableRawPointer(buffer).copyMemory(
            from: $0.baseAddress ?? UnsafeRawPointer(context), byteCount: $0.count)
    }
    return part.count
}

private func freeCutBody(context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<CutBody>.fromOpaque(context).release()
}
