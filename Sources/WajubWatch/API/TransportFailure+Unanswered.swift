internal import Contract
internal import Transport

extension TransportFailure {
    /// Whether the certificate's dates and the machine's clock are at odds.
    var isDateError: Bool { kind == .tls(.date) }
}

extension Unanswered {
    /// No answer at all, told by a constant sentence.
    init(_ failure: TransportFailure) {
        switch failure.kind {
        case .nameResolution: self.init(.network, reason: "the name does not resolve")
        case .refused: self.init(.network, reason: "the connection was refused")
        case .unreachable: self.init(.network, reason: "the network cannot be reached")
        case .tls(.certificate): self.init(.network, reason: "the certificate is not trusted")
        case .tls(.date): self.init(.clockSuspect, reason: "the certificate's dates do not fit the clock")
        case .tls(.handshake): self.init(.network, reason: "TLS failed")
        case .tls(.trustStore): self.init(.network, reason: "the trusted certificates do not load")
        case .timeout(.queue): self.init(.timeout, reason: "too many requests were waiting")
        case .timeout(.lookup): self.init(.timeout, reason: "the name did not resolve in time")
        case .timeout(.connect): self.init(.timeout, reason: "the connection took too long")
        case .timeout(.answer): self.init(.timeout, reason: "the answer took too long")
        case .cutBody: self.init(.network, reason: "the answer was cut")
        case .emptyReply: self.init(.network, reason: "the connection ended before the answer")
        case .proxy: self.init(.network, reason: "the proxy did not connect")
        case .tooLarge: self.init(.notJSON, reason: "the answer is too large")
        case .cancelled, .closed: self.init(.network, reason: "the daemon is stopping")
        case .overloaded: self.init(.network, reason: "too many requests are waiting")
        case .invalidRequest: self.init(.network, reason: "the request cannot be sent")
        case .upgradeRefused, .upgradeMalformed, .other: self.init(.network, reason: "the connection failed")
        }
    }
}
