/// The name of an error. Open: a code that the catalogue does not know is passed through (seed 000, "Errors").
package struct ErrorCode: RawRepresentable, Hashable, Codable, Sendable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    private init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    // Loading (seed 000, "Loading").
    package static let loadError = ErrorCode("load_error")
    package static let noPaymentMethod = ErrorCode("no_payment_method")
    package static let sessionNotFound = ErrorCode("session_not_found")
    package static let sessionTerminalCancelled = ErrorCode("session_terminal_cancelled")
    package static let sessionTerminalExpired = ErrorCode("session_terminal_expired")
    package static let sessionTerminalFailed = ErrorCode("session_terminal_failed")

    // The API (`wire.md`, "Common").
    package static let blocked = ErrorCode("blocked")
    package static let insufficientFunds = ErrorCode("insufficient_funds")
    package static let networkError = ErrorCode("network_error")
    package static let paymentError = ErrorCode("payment_error")
    package static let rateLimited = ErrorCode("rate_limited")
    package static let serverError = ErrorCode("server_error")
    package static let validationError = ErrorCode("validation_error")

    // Refusals that a read may carry (seed 001, "Errors").
    package static let merchantRestricted = ErrorCode("merchant_restricted")
    package static let paymentAttemptEnded = ErrorCode("payment_attempt_ended")
    package static let paymentDeclined = ErrorCode("payment_declined")
    package static let paymentFailed = ErrorCode("payment_failed")
    package static let shieldBlocked = ErrorCode("shield_blocked")

    // The daemon's own (`protocol.md`, "Errors").
    package static let ambiguousReference = ErrorCode("ambiguous_reference")
    package static let attemptUndecided = ErrorCode("attempt_undecided")
    package static let messageTooLarge = ErrorCode("message_too_large")
    package static let notReady = ErrorCode("not_ready")
    package static let paymentEnded = ErrorCode("payment_ended")
    package static let shuttingDown = ErrorCode("shutting_down")
    package static let storageUnavailable = ErrorCode("storage_unavailable")
    package static let tooManyClients = ErrorCode("too_many_clients")
    package static let unknownPayment = ErrorCode("unknown_payment")

    /// The code of a refusal whose body names none (`wire.md`, "Common").
    package init(httpStatus: Int) {
        self =
            switch httpStatus {
            case 401, 404: .sessionNotFound
            case 402: .insufficientFunds
            case 403: .blocked
            case 410: .sessionTerminalExpired
            case 422: .validationError
            case 429: .rateLimited
            case 500...599: .serverError
            default: .paymentError
            }
    }
}
