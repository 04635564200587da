package import Contract
package import FoundationEssentials

/// A result as the protocol shows it, in the payment object and in `complete`.
package struct ResultObject: Encodable, Sendable {
    let status: ResultStatus
    var payment: PaymentSuccess?
    var error: WajubError?
    var reason: CancelReason?
    /// When it settled: RFC 3339, information only.
    let at: String

    package init(_ result: CheckoutResult, at: String) {
        status = result.status
        self.at = at
        switch result {
        case .complete(let success): payment = success
        case .failed(let failure): error = failure.error
        case .cancelled(let reason): self.reason = reason
        case .processing: break
        }
    }
}

/// How the daemon writes JSON and times.
package enum JSONText {
    /// Keys in order, slashes bare: the same value gives the same text.
    package static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// RFC 3339 in UTC with milliseconds, rounded as the store rounds: a moment reads the same before and after a
    /// restart.
    package static func time(_ date: Date) -> String {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // The style cuts off what is below a millisecond, and a whole one is often a little less in binary seconds.
        return Date(timeIntervalSince1970: (milliseconds + 0.25) / 1000)
            .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
