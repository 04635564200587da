internal import CMicrohttpd
internal import Glibc

/// Why the sandbox does not start.
package struct SandboxStartError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The certificate and key of `--tls`, as PEM texts.
package struct TLSIdentity: Hashable, Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The API on 127.0.0.1, by libmicrohttpd.
///
/// `@unchecked Sendable`: `daemon` is written by `init` and `stop` alone, and `Sandbox` calls `stop` once; the calls on
/// it in between are thread-safe by libmicrohttpd's manual.
final class HTTPServer: @unchecked Sendable {
    static let mostConnections: UInt32 = 8_192
    /// An idle connection is closed after so many real seconds.
    private static let idleSeconds: UInt32 = 120

    private var daemon: OpaquePointer?
    fileprivate let driver: SandboxDriver

    /// - throws: ``SandboxStartError`` when the port is taken or the TLS files are unusable.
    init(port: UInt16, tls: TLSIdentity?, driver: SandboxDriver) throws(SandboxStartError) {
        self.driver = driver
        let context = Unmanaged.passUnretained(self).toOpaque()
        daemon = Self.withTexts(tls) { key, certificate in
            CMicrohttpd_start(
                port, key, certificate, handleHTTPRequest, completeHTTPRequest, context, Self.mostConnections,
                Self.idleSeconds)
        }
        guard daemon != nil else {
            let reason = String(cString: strerror(errno))
            // libmicrohttpd does not tell an unusable certificate from another failure.
            let hint = tls == nil ? "" : ", or the files of --tls are no PEM certificate and key"
            throw SandboxStartError("cannot listen on 127.0.0.1:\(port): \(reason)\(hint)")
        }
    }

    /// The port it listens on.
    var port: UInt16 {
        guard let daemon else { return 0 }
        return CMicrohttpd_port(daemon)
    }

    /// Accepts no more connections. The descriptor that is given back is ours to close.
    func quiesce() {
        guard let daemon else { return }
        let descriptor = MHD_quiesce_daemon(daemon)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends the thread and every connection; nothing may be suspended or upgraded any more.
    func stop() {
        guard let daemon else { return }
        MHD_stop_daemon(daemon)
        self.daemon = nil
    }

    private static func withTexts(
        _ tls: TLSIdentity?, _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> OpaquePointer?
    ) -> OpaquePointer? {
        guard let tls else { return body(nil, nil) }
        return tls.key.withCString { key in tls.certificate.withCString { certificate in body(key, certificate) } }
    }
}

/// `MHD_AccessHandlerCallback`: called once without the body, then for each part of it, then once more; and again after
/// a suspended connection was resumed.
private func handleHTTPRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
    uploadSize: UnsafeMutablePointer<Int>?, state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let url, let method, let uploadSize, let state else { return .NO }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    guard let current = state.pointee else {
        let exchange = HTTPExchange(
            connection: connection, method: String(cString: method), path: String(cString: url))
        state.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return .YES
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(current).takeUnretainedValue()
    if uploadSize.pointee > 0 {
        let isTaken = exchange.take(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
        uploadSize.pointee = 0
        return isTaken ? .YES : .NO
    }
    switch exchange.outcome(server.driver.receive) {
    case nil: return .YES
    case .drop?: return .NO
    case .answer(let answer)?: return answer.queue(on: connection)
    }
}

/// `MHD_RequestCompletedCallback`: the exchange's last use.
private func completeHTTPRequest(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    state: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, reason: MHD_RequestTerminationCode
) {
    guard let current = state?.pointee else { return }
    Unmanaged<HTTPExchange>.fromOpaque(current).release()
    state?.pointee = nil
}
