import CSSL
import FoundationEssentials
import Glibc

/// A test authority with its PEM file.
final class TestAuthority: @unchecked Sendable {
    // `@unchecked Sendable`: the pointers are written in `init` alone, and libcrypto counts references with atomics.
    fileprivate let key: OpaquePointer
    fileprivate let certificate: OpaquePointer
    let file: String

    init() throws {
        key = CSSL_generate_key()
        certificate = TestAuthority.makeCertificate(
            name: "authority \(UUID().uuidString)", key: key, issuer: nil, alternativeName: nil, authority: true,
            validFrom: -3600,
            until: 3600)
        let bio = BIO_new(BIO_s_mem())
        defer { BIO_free(bio) }
        PEM_write_bio_X509(bio, certificate)
        var bytes: UnsafeMutablePointer<CChar>?
        let count = CSSL_bio_contents(bio, &bytes)
        file = FileManager.default.temporaryDirectory.appending(path: "wajubd-ca-\(UUID().uuidString).pem").path
        try Data(UnsafeRawBufferPointer(start: bytes, count: count)).write(to: URL(filePath: file))
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
        unlink(file)
    }

    /// A server's certificate by this authority; times are seconds from now.
    func identity(name: String = "DNS:localhost", validFrom: Int = -3600, until: Int = 3600) -> TLSIdentity {
        let serverKey = CSSL_generate_key()
        let server = Self.makeCertificate(
            name: "server", key: serverKey, issuer: (certificate, key), alternativeName: name, authority: false,
            validFrom: validFrom, until: until)
        return TLSIdentity(certificate: server, key: serverKey)
    }

    private static func makeCertificate(
        name: String, key: OpaquePointer?, issuer: (certificate: OpaquePointer, key: OpaquePointer)?,
        alternativeName: String?, authority: Bool, validFrom: Int, until: Int
    ) -> OpaquePointer {
        guard let certificate = X509_new() else { preconditionFailure("no memory") }
        X509_set_version(certificate, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...Int(Int32.max)))
        X509_gmtime_adj(X509_getm_notBefore(certificate), validFrom)
        X509_gmtime_adj(X509_getm_notAfter(certificate), until)
        X509_set_pubkey(certificate, key)
        let subject = X509_get_subject_name(certificate)
        let added = name.utf8CString.withUnsafeBytes { bytes in
            X509_NAME_add_entry_by_txt(
                subject, "CN", Int32(V_ASN1_UTF8STRING), bytes.bindMemory(to: UInt8.self).baseAddress, -1, -1, 0)
        }
        precondition(added == 1)
        X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
        var extensions = [(NID_basic_constraints, authority ? "critical,CA:TRUE" : "CA:FALSE")]
        if let alternativeName { extensions.append((NID_subject_alt_name, alternativeName)) }
        for (kind, value) in extensions {
            guard let made = X509V3_EXT_conf_nid(nil, nil, kind, value) else {
                preconditionFailure("extension \(value)")
            }
            X509_add_ext(certificate, made, -1)
            X509_EXTENSION_free(made)
        }
        precondition(X509_sign(certificate, issuer?.key ?? key, EVP_sha256()) > 0)
        return certificate
    }
}

/// A TLS server's certificate and key.
final class TLSIdentity: @unchecked Sendable {
    // `@unchecked Sendable`: an SSL_CTX may be shared by threads once it is set up (openssl-threads(7)), which `init` does.
    private let context: OpaquePointer

    init(certificate: OpaquePointer, key: OpaquePointer?) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { preconditionFailure("no SSL_CTX") }
        self.context = context
        precondition(SSL_CTX_use_certificate(context, certificate) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1)
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    deinit {
        SSL_CTX_free(context)
    }

    /// The server's side of a handshake; nil when it fails.
    func accept(_ descriptor: Int32) -> OpaquePointer? {
        guard let tls = SSL_new(context) else { return nil }
        SSL_set_fd(tls, descriptor)
        guard SSL_accept(tls) == 1 else {
            SSL_free(tls)
            return nil
        }
        return tls
    }

    static func finish(_ tls: OpaquePointer) {
        SSL_shutdown(tls)
        SSL_free(tls)
    }
}
