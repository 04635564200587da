import Testing

@testable import Contract

@Suite("The error catalogue")
struct ErrorCatalogueTests {
    @Test("Every code that the documents name has a row", arguments: NamedCodes.all)
    func named(document: String, codes: [String]) {
        for code in codes {
            #expect(ErrorCatalogue.entry(for: ErrorCode(rawValue: code)) != nil, "\(code), of \(document)")
        }
    }

    @Test("Every row is of a code that a document names, and no code has two")
    func rows() {
        let codes = ErrorCatalogue.entries.map(\.code.rawValue)
        #expect(codes == codes.sorted())
        #expect(Set(codes).count == codes.count)
        #expect(Set(codes) == Set(NamedCodes.all.flatMap(\.codes)))
    }

    @Test("Every message is a sentence, in both languages", arguments: ErrorCatalogue.entries.map(\.code))
    func messages(code: ErrorCode) throws {
        let entry = try #require(ErrorCatalogue.entry(for: code))
        for language in Language.allCases {
            let message = entry.message(in: language)
            #expect(message.last == "." && message.first?.isUppercase == true && message.count > 5, "\(message)")
        }
        #expect(entry.english != entry.french)
        #expect(WajubError(code, in: .en).message == entry.english)
        #expect(WajubError(code, in: .fr).message == entry.french)
    }

    @Test("Definite only where the attempt certainly did not and will not charge; none where no attempt is concerned")
    func certainties() {
        let definite: Set = [
            "approval_timeout", "blocked", "card_declined", "client_session_expired", "insufficient_funds",
            "merchant_restricted", "missing_fields", "not_processable", "payment_attempt_ended", "payment_cancelled",
            "payment_declined", "payment_error", "payment_failed", "rate_limited", "security_check_failed",
            "session_terminal_cancelled", "session_terminal_expired", "session_terminal_failed", "shield_blocked",
            "step_expired", "too_many_attempts", "unsupported_channel", "validation_error",
        ]
        let indefinite: Set = [
            "attempt_undecided", "client_session_not_found", "invalid_code", "network_error", "payment_already_paid",
            "payment_in_progress", "redirect_unavailable", "resend_too_early", "server_error", "unsupported_action",
        ]
        #expect(codes { $0.certainty == .definite } == definite)
        #expect(codes { $0.certainty == .indefinite } == indefinite)
    }

    @Test("Trying again cannot work where the payment, the merchant or the request itself stands in the way")
    func retryable() {
        #expect(
            codes { !$0.retryable } == [
                "ambiguous_reference", "blocked", "card_number_refused", "client_session_not_found",
                "merchant_restricted", "message_too_large", "no_payment_method", "no_step_pending",
                "payment_already_paid", "payment_cancelled", "payment_ended", "payment_in_progress",
                "redirect_unavailable", "session_not_found", "session_terminal_cancelled", "session_terminal_expired",
                "session_terminal_failed", "shield_blocked", "unknown_payment", "unsupported_action",
            ])
    }

    @Test("Nothing that Wajub did not refuse is called the gateway's decision")
    func kinds() {
        let application: Set<ErrorType> = [.api, .authentication, .invalidRequest, .rateLimit]
        #expect(Set(ErrorType.allCases.filter { $0.kind == .application }) == application)
        #expect(ErrorType.payment.kind == .business)
        let unanswered: [ErrorCode] = [.networkError, .serverError, .loadError, .readyTimeout]
        for code in unanswered {
            #expect(ErrorCatalogue.entry(for: code)?.type.kind == .application, "\(code.rawValue)")
        }
    }

    private func codes(where isIncluded: (ErrorCatalogue.Entry) -> Bool) -> Set<String> {
        Set(ErrorCatalogue.entries.filter(isIncluded).map(\.code.rawValue))
    }
}
