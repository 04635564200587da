internal import Contract
package import Transport

extension Contract.Unanswered {
    /// A failed transfer as the contract knows it; the reason names the phase and nothing that is secret.
    package init(_ failure: TransportFailure) {
        let (kind, reason): (Kind, String) =
            switch failure.kind {
            case .nameResolution: (.network, "The server's name does not resolve.")
            case .refused: (.network, "The server refused the connection.")
            case .unreachable: (.network, "The server cannot be reached.")
            case .tls(.date): (.clockSuspect, "The certificate's dates do not fit this machine's clock.")
            case .tls(.certificate): (.network, "The server's certificate is not trusted.")
            case .tls(.handshake): (.network, "The TLS handshake failed.")
            case .tls(.trustStore): (.network, "The file of trusted authorities does not load.")
            case .timeout(.queue): (.network, "Timed out waiting for a free connection.")
            case .timeout(.lookup): (.network, "Timed out looking up the server's name.")
            case .timeout(.connect): (.network, "Timed out connecting.")
            case .timeout(.answer): (.timeout, "Timed out waiting for the answer.")
            case .cutBody: (.network, "The connection broke inside the answer.")
            case .emptyReply: (.network, "The connection broke before the answer.")
            case .proxy: (.network, "The proxy did not connect.")
            case .tooLarge: (.notJSON, "The answer is too large to be Wajub's.")
            case .cancelled: (.network, "The call was cancelled.")
            case .closed: (.network, "The daemon is shutting down.")
            case .overloaded: (.network, "Too many calls are waiting.")
            case .invalidRequest: (.network, "The request cannot be sent as it is.")
            case .upgradeRefused: (.network, "The server refused the WebSocket.")
            case .upgradeMalformed: (.network, "What answered is no WebSocket server.")
            case .other: (.network, "The transfer failed.")
            }
        self.init(kind, reason: reason)
    }
}
