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

    // Loading (seed 000, "Loading"; `ready_timeout`: "Appearance"; `sheet_already_presented`: "Results").
    package static let loadError = ErrorCode("load_error")
    package static let noPaymentMethod = ErrorCode("no_payment_method")
    package static let readyTimeout = ErrorCode("ready_timeout")
    package static let sessionNotFound = ErrorCode("session_not_found")
    package static let sessionTerminalCancelled = ErrorCode("session_terminal_cancelled")
    package static let sessionTerminalExpired = ErrorCode("session_terminal_expired")
    package static let sessionTerminalFailed = ErrorCode("session_terminal_failed")
    package static let sheetAlreadyPresented = ErrorCode("sheet_already_presented")

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
    package static let securityCheckFailed = ErrorCode("security_check_failed")
    package static let shieldBlocked = ErrorCode("shield_blocked")

    // Paying (seed 000, "A payment without an answer"; `wire.md`, POST /pay/process).
    package static let notProcessable = ErrorCode("not_processable")
    package static let paymentInProgress = ErrorCode("payment_in_progress")
    package static let redirectUnavailable = ErrorCode("redirect_unavailable")
    package static let unsupportedAction = ErrorCode("unsupported_action")

    // Client sessions (seed 000, "Cards"; `wire.md`, POST /pay/client-session).
    package static let clientSessionExpired = ErrorCode("client_session_expired")
    package static let clientSessionNotFound = ErrorCode("client_session_not_found")
    package static let missingFields = ErrorCode("missing_fields")

    // Confirmation steps (seed 000, "Confirmation steps"; `wire.md`, "Steps").
    package static let invalidCode = ErrorCode("invalid_code")
    package static let stepExpired = ErrorCode("step_expired")
    package static let tooManyAttempts = ErrorCode("too_many_attempts")

    // What the sandbox answers beside them.
    package static let approvalTimeout = ErrorCode("approval_timeout")
    package static let cardDeclined = ErrorCode("card_declined")
    package static let paymentAlreadyPaid = ErrorCode("payment_already_paid")
    package static let paymentCancelled = ErrorCode("payment_cancelled")
    package static let unsupportedChannel = ErrorCode("unsupported_channel")

    // The daemon's own (`protocol.md`, "Errors").
    package static let ambiguousReference = ErrorCode("ambiguous_reference")
    package static let attemptUndecided = ErrorCode("attempt_undecided")
    package static let cardNumberRefused = ErrorCode("card_number_refused")
    package static let messageTooLarge = ErrorCode("message_too_large")
    package static let noStepPending = ErrorCode("no_step_pending")
    package static let notReady = ErrorCode("not_ready")
    package static let paymentEnded = ErrorCode("payment_ended")
    package static let resendTooEarly = ErrorCode("resend_too_early")
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
