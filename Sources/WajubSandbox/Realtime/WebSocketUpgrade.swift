internal import CMicrohttpd
internal import Glibc
internal import WebSocketCodec

/// A request that becomes a WebSocket.
struct WebSocketUpgrade {
    let server: WebSocketServer
    /// The client's `Sec-WebSocket-Key`.
    let key: String

    /// Whether a request asks for a WebSocket of version 13 (RFC 6455, 4.2.1).
    init?(_ request: SandboxRequest, server: WebSocketServer) {
        guard request.method == "GET", request.headers["upgrade"]?.lowercased() == "websocket",
            request.headers["sec-websocket-version"] == "13", let key = request.headers["sec-websocket-key"]
        else { return nil }
        self.server = server
        self.key = key
    }

    func queue(on connection: OpaquePointer) -> MHD_Result {
        // Unretained: the server outlives its libmicrohttpd, which outlives the response.
        let context = Unmanaged.passUnretained(server).toOpaque()
        guard let response = MHD_create_response_for_upgrade(takeUpgradedConnection, context) else { return .NO }
        defer { MHD_destroy_response(response) }
        guard MHD_add_response_header(response, "Upgrade", "websocket") == .YES,
            MHD_add_response_header(response, "Sec-WebSocket-Accept", WebSocketHandshake.accept(key)) == .YES
        else { return .NO }
        return MHD_queue_response(connection, UInt32(MHD_HTTP_SWITCHING_PROTOCOLS), response)
    }
}

/// The socket of an upgraded connection and the handle that closes it.
///
/// `@unchecked Sendable`: handed from libmicrohttpd's thread to the realtime thread through the driver's lock, and used
/// by that one thread from then on.
struct UpgradedSocket: @unchecked Sendable {
    let descriptor: Int32
    /// The network's own socket: `descriptor` itself, or what libmicrohttpd encrypts it to.
    let network: Int32
    let handle: OpaquePointer
    let path: String
    let version: String?
    /// What the client sent right behind its request.
    let early: [UInt8]

    /// Whether what was written is still on its way through libmicrohttpd's encryption.
    var isForwarded: Bool { descriptor != network }

    /// Closes the connection; libmicrohttpd closes the descriptors.
    func close() {
        // libmicrohttpd 0.9.75 can miss its own close under TLS (it looks for `was_closed` only on the next event of the
        // socket, and sets it after that event): end the network's side ourselves. Fails only when it has ended.
        shutdown(network, Int32(SHUT_RDWR))
        // Fails only for a handle closed before.
        _ = CMicrohttpd_close_upgraded(handle)
    }
}

/// `MHD_UpgradeHandler`.
private func takeUpgradedConnection(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, state: UnsafeMutableRawPointer?,
    early: UnsafePointer<CChar>?, earlyCount: Int, descriptor: Int32, handle: OpaquePointer?
) {
    guard let context, let state, let handle, let connection else { return }
    let server = Unmanaged<WebSocketServer>.fromOpaque(context).takeUnretainedValue()
    let request = Unmanaged<HTTPExchange>.fromOpaque(state).takeUnretainedValue().request
    server.driver.adopt(
        UpgradedSocket(
            descriptor: descriptor, network: CMicrohttpd_network_socket(connection), handle: handle, path: request.path,
            version: request.query["protocol"],
            early: Array(UnsafeRawBufferPointer(start: early, count: earlyCount))))
}
