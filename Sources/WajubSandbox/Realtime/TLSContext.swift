internal import CSSL

/// The realtime port's certificate and key, ready for handshakes.
///
/// libmicrohttpd could upgrade TLS connections too, but 0.9.75 corrupts its heap when one closes while bytes are in
/// flight (16 clients that come and go abort it within seconds); its plain HTTPS is sound.
///
/// `@unchecked Sendable`: an `SSL_CTX` may be shared once it is set up (openssl-threads(7)), which `init` does.
final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer

    /// - throws: ``SandboxStartError`` when the texts are no PEM certificate (maybe with its chain) and its key.
    init(_ identity: TLSIdentity) throws(SandboxStartError) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw SandboxStartError("no SSL_CTX") }
        self.context = context
        SSL_CTX_ctrl(
            context, SSL_CTRL_MODE, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
        guard useCertificates(identity.certificate), useKey(identity.key) else {
            throw SandboxStartError("the files of --tls are no PEM certificate and its key")
        }
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// The server's side of a connection, its handshake still to come; `nil` without memory.
    func connection(_ descriptor: Int32) -> OpaquePointer? {
        guard let connection = SSL_new(context) else { return nil }
        guard SSL_set_fd(connection, descriptor) == 1 else {
            SSL_free(connection)
            return nil
        }
        SSL_set_accept_state(connection)
        return connection
    }

    private func useCertificates(_ text: String) -> Bool {
        guard let bio = Self.memory(text) else { return false }
        defer { BIO_free(bio) }
        guard let own = PEM_read_bio_X509(bio, nil, nil, nil) else { return false }
        defer { X509_free(own) }
        guard SSL_CTX_use_certificate(context, own) == 1 else { return false }
        while let issuer = PEM_read_bio_X509(bio, nil, nil, nil) {
            // The context owns it from here on: it is not freed.
            guard SSL_CTX_ctrl(context, SSL_CTRL_EXTRA_CHAIN_CERT, 0, UnsafeMutableRawPointer(issuer)) == 1 else {
                X509_free(issuer)
                return false
            }
        }
        // The end of the text is an error of the last read, which is none of ours.
        ERR_clear_error()
        return true
    }

    private func useKey(_ text: String) -> Bool {
        guard let bio = Self.memory(text) else { return false }
        defer { BIO_free(bio) }
        guard let key = PEM_read_bio_PrivateKey(bio, nil, nil, nil) else { return false }
        defer { EVP_PKEY_free(key) }
        return SSL_CTX_use_PrivateKey(context, key) == 1 && SSL_CTX_check_private_key(context) == 1
    }

    private static func memory(_ text: String) -> OpaquePointer? {
        let bytes = Array(text.utf8)
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        guard BIO_write(bio, bytes, Int32(bytes.count)) == bytes.count else {
            BIO_free(bio)
            return nil
        }
        return bio
    }
}
