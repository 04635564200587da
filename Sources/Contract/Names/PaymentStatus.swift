/// What Wajub says of the payment, folded into seven words.
package enum PaymentStatus: String, ContractName {
    case pending, processing, succeeded, failed, cancelled, expired, unknown

    /// The status that a word of the wire means (`wire.md`, POST /pay/process): any case; an unknown word counts as processing,
    /// since only a word that certainly means an end may end a payment.
    package init(wire word: String) {
        switch word.lowercased() {
        case "success", "successful", "succeeded", "paid", "complete": self = .succeeded
        case "failed": self = .failed
        case "cancelled": self = .cancelled
        case "expired": self = .expired
        case "pending": self = .pending
        default: self = .processing
        }
    }

    /// Whether nothing can change it any more.
    package var isFinal: Bool {
        self == .succeeded || EndedStatus(self) != nil
    }

    package var meaning: String {
        switch self {
        case .pending: "Not paid; nothing is under way as far as Wajub knows."
        case .processing: "Money may be moving."
        case .succeeded: "Paid. Final."
        case .failed: "Failed for good. Final."
        case .cancelled: "Cancelled for good. Final."
        case .expired: "Expired. Final."
        case .unknown: "Wajub has not told yet, or refused the token."
        }
    }
}

/// A status that certainly means: not paid, and never will be.
package enum EndedStatus: String, Hashable, Codable, Sendable, CaseIterable {
    case failed, cancelled, expired

    package init?(_ status: PaymentStatus) {
        switch status {
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        case .expired: self = .expired
        case .pending, .processing, .succeeded, .unknown: return nil
        }
    }

    /// The code that tells this end where no refusal does (seed 000, "Loading").
    package var code: ErrorCode {
        switch self {
        case .failed: .sessionTerminalFailed
        case .cancelled: .sessionTerminalCancelled
        case .expired: .sessionTerminalExpired
        }
    }

    /// The checkout state it shows.
    package var state: CheckoutState {
        switch self {
        case .failed: .failed
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }

    /// The same end as a payment status.
    package var status: PaymentStatus {
        switch self {
        case .failed: .failed
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }
}
