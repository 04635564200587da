/// A payment's status as the API words it. What the words mean is wire.md's, "POST /pay/process"; a word nobody knows
/// counts as processing, and may be set from outside to try that out.
package struct PaymentStatus: Hashable, Sendable {
    package enum Family: Hashable, Sendable {
        case pending, processing, succeeded, failed, cancelled, expired
    }

    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static let pending = PaymentStatus("pending")
    package static let processing = PaymentStatus("processing")
    package static let succeeded = PaymentStatus("succeeded")
    package static let failed = PaymentStatus("failed")
    package static let cancelled = PaymentStatus("cancelled")
    package static let expired = PaymentStatus("expired")

    package var family: Family {
        switch text.lowercased() {
        case "success", "successful", "succeeded", "paid", "complete": .succeeded
        case "pending": .pending
        case "failed": .failed
        case "cancelled": .cancelled
        case "expired": .expired
        default: .processing
        }
    }

    /// Whether nothing changes it any more.
    package var hasEnded: Bool {
        switch family {
        case .pending, .processing: false
        case .succeeded, .failed, .cancelled, .expired: true
        }
    }
}
