/// Every error code that the documents name, by document and section. What Wajub's own server or a realtime server alone sees is not
/// among them.
enum NamedCodes {
    static let all: [(document: String, codes: [String])] = [
        (
            "seed 000, Loading",
            [
                "load_error", "no_payment_method", "session_terminal_cancelled", "session_terminal_expired",
                "session_terminal_failed",
            ]
        ),
        ("seed 000, Results", ["sheet_already_presented"]),
        ("seed 000, A payment without an answer", ["not_processable", "payment_in_progress"]),
        ("seed 000, Mobile Money", ["invalid_phone", "operator_mismatch", "operator_required", "phone_required"]),
        ("seed 000, Cards", ["client_session_expired"]),
        ("seed 000, Confirmation steps", ["unsupported_action"]),
        ("seed 000, Appearance", ["ready_timeout"]),
        ("seed 000, Errors", ["no_payment_method", "session_not_found", "session_terminal_expired"]),
        ("seed 001, Quick start", ["sheet_already_presented"]),
        (
            "seed 001, Opening and unanswered payments", ["load_error", "no_payment_method", "not_processable"]
        ),
        ("seed 001, Cards", ["validation_error"]),
        (
            "seed 001, Errors",
            [
                "insufficient_funds", "merchant_restricted", "payment_attempt_ended", "payment_declined",
                "payment_failed", "rate_limited", "redirect_unavailable", "security_check_failed",
                "session_terminal_expired", "shield_blocked", "unsupported_action",
            ]
        ),
        (
            "wire.md, Common",
            [
                "blocked", "insufficient_funds", "network_error", "payment_error", "rate_limited", "server_error",
                "session_not_found", "session_terminal_expired", "validation_error",
            ]
        ),
        ("wire.md, POST /pay/process", ["unsupported_action"]),
        ("wire.md, POST /pay/client-session", ["client_session_expired", "missing_fields"]),
        ("wire.md, Steps", ["invalid_code", "step_expired", "too_many_attempts"]),
        ("protocol.md, Transport", ["message_too_large"]),
        (
            "protocol.md, Errors",
            [
                "ambiguous_reference", "attempt_undecided", "no_step_pending", "not_ready", "payment_ended",
                "resend_too_early", "shutting_down", "storage_unavailable", "too_many_clients", "unknown_payment",
            ]
        ),
        ("the daemon, for seed 000, Cards", ["card_number_refused"]),
        (
            "the sandbox, /pay/*",
            [
                "approval_timeout", "card_declined", "client_session_not_found", "payment_already_paid",
                "payment_cancelled", "unsupported_channel",
            ]
        ),
    ]
}
