internal import CCurl
internal import Glibc

extension TransportFailure {
    /// What a finished transfer tells about itself, beside its result code.
    struct Evidence {
        /// libcurl announced the request (`CURLOPT_PREREQFUNCTION`: after the connection, before any of its bytes).
        var requestStarted: Bool
        /// A socket was made, so the name had an address.
        var lookedUp: Bool
        var headersBegun: Bool
        var verifyResult: Int
        var osError: Int32
    }

    init(_ code: CURLcode, _ evidence: Evidence) {
        kind = Self.kind(code, evidence)
        mayHaveReachedServer = evidence.requestStarted
    }

    private static func kind(_ code: CURLcode, _ evidence: Evidence) -> Kind {
        if let kind = connectionKind(code, evidence) {
            // The request left on a reused connection that then ended; what failed is the second connection, which libcurl
            // opened to send it again.
            return evidence.requestStarted ? .emptyReply : kind
        }
        switch code {
        case CURLE_OPERATION_TIMEDOUT: return .timeout(phase(evidence))
        case CURLE_PARTIAL_FILE: return .cutBody
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
            if !evidence.requestStarted { return .proxy }
            return evidence.headersBegun ? .cutBody : .emptyReply
        case CURLE_FILESIZE_EXCEEDED, CURLE_WRITE_ERROR: return .tooLarge
        case CURLE_PROXY: return .proxy
        case CURLE_URL_MALFORMAT: return .invalidRequest
        case CURLE_UNSUPPORTED_PROTOCOL where !evidence.requestStarted: return .invalidRequest
        default: return .other(code: Int(code.rawValue), text: String(cString: curl_easy_strerror(code)))
        }
    }

    /// The results of making a connection.
    private static func connectionKind(_ code: CURLcode, _ evidence: Evidence) -> Kind? {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameResolution
        case CURLE_COULDNT_CONNECT:
            evidence.osError == ECONNREFUSED ? .refused : .unreachable(errno: evidence.osError)
        case CURLE_PEER_FAILED_VERIFICATION:
            // X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED
            .tls(evidence.verifyResult == 9 || evidence.verifyResult == 10 ? .date : .certificate)
        case CURLE_SSL_CACERT_BADFILE: .tls(.trustStore)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            .tls(.handshake)
        default: nil
        }
    }

    private static func phase(_ evidence: Evidence) -> Phase {
        if evidence.requestStarted { return .answer }
        return evidence.lookedUp ? .connect : .lookup
    }
}
