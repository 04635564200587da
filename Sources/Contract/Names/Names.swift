/// The family of methods a state is reported with (seed 000, "States").
package enum MethodFamily: String, ContractName {
    case mobileMoney = "mobile_money"
    case card, wallet, unknown

    package var meaning: String {
        switch self {
        case .mobileMoney: "Mobile Money."
        case .card: "A card."
        case .wallet: "A one-tap wallet."
        case .unknown: "None chosen yet, or not known."
        }
    }
}

/// The four results; a presentation resolves with exactly one (seed 000, "Results").
package enum ResultStatus: String, ContractName {
    case complete, processing, failed, cancelled

    package var meaning: String {
        switch self {
        case .complete: "Paid."
        case .processing: "Closed or timed out while money may still move."
        case .failed: "Certainly not paid, or the token was refused; `error` says which."
        case .cancelled: "Left before any attempt was under way; `reason` says how."
        }
    }
}

/// Why a result is `cancelled` (seed 001, "Results").
package enum CancelReason: String, ContractName {
    case payerCancelled = "payer_cancelled"
    case dismissed
    case hostGone = "host_gone"

    package var meaning: String {
        switch self {
        case .payerCancelled: "The payer cancelled the payment."
        case .dismissed: "The payment was closed before any attempt."
        case .hostGone: "What presented the payment went away; nothing was cancelled."
        }
    }
}

/// How a till closes a payment; becomes the reason of a `cancelled` result.
package enum CloseReason: String, Hashable, Codable, Sendable, CaseIterable {
    case dismissed
    case hostGone = "host_gone"

    /// The same reason in a result.
    package var cancelReason: CancelReason {
        switch self {
        case .dismissed: .dismissed
        case .hostGone: .hostGone
        }
    }
}

/// Events in the contract's order for a payment; `complete` exactly once a presentation, and after it only `status`.
package enum EventKind: String, ContractName {
    case accepted, ready
    case loadError = "load_error"
    case state
    case paymentStarted = "payment_started"
    case redirect, progress, step, success, error, cancel, complete, status

    package var meaning: String {
        switch self {
        case .accepted: "The hand-off is durable; a presentation begins."
        case .ready: "The payment loaded and has not ended; `methods` can be offered."
        case .loadError: "The payment cannot be offered; retried by itself when `retryable`."
        case .state: "A new checkout state."
        case .paymentStarted: "An attempt is durable and goes out."
        case .redirect: "A page for the payer to open."
        case .progress: "Work began or ended."
        case .step: "The payer is asked for one more thing."
        case .success: "Paid."
        case .error: "A refusal, or an end without payment."
        case .cancel: "Cancelled, with the reason."
        case .complete: "The result. Last of its presentation."
        case .status: "A later truth, after the result."
        }
    }
}

/// Whether the payment moves real money; read from the payment, never from the token's shape (seed 000, "Sandbox").
package enum Environment: String, Hashable, Codable, Sendable, CaseIterable {
    case sandbox, live
}

/// The languages of messages (seed 000, "Errors").
package enum Language: String, Hashable, Codable, Sendable, CaseIterable {
    case en, fr

    /// `fr`, `fr-CM`, `FR_ci` are French; any other locale that names a language is English.
    package init?(locale: String) {
        guard let first = locale.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" || $0 == "." }).first,
            first.count >= 2, first.allSatisfy(\.isLetter)
        else { return nil }
        self = first == "fr" ? .fr : .en
    }
}
