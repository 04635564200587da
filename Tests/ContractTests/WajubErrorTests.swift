import FoundationEssentials
import Testing

@testable import Contract

@Suite("Wajub's error")
struct WajubErrorTests {
    @Test(
        "An unknown code is passed through with what its HTTP status stands for",
        arguments: [
            (402, ErrorType.payment, true, "The payment was refused."),
            (403, .payment, false, "The payment was refused."),
            (422, .invalidRequest, true, "Check the information entered."),
            (401, .authentication, true, "This payment was not found."),
            (404, .authentication, true, "This payment was not found."),
            (429, .rateLimit, true, "Too many requests. Wait a moment."),
        ])
    func unknown(status: Int, type: ErrorType, retryable: Bool, message: String) {
        let error = WajubError(ErrorCode(rawValue: "provider_x17"), httpStatus: status, in: .en)
        #expect(error.code.rawValue == "provider_x17")
        #expect(error.type == type)
        #expect(error.retryable == retryable)
        #expect(error.message == message)
        #expect(error.httpStatus == status)
        #expect(error.certainty == nil, "what an unknown code settles is for the one who asked to know")
    }

    @Test("An unknown code without a status is a refusal, in the payment's language")
    func unknownRefusal() {
        let error = WajubError(ErrorCode(rawValue: "provider_x17"), in: .fr)
        #expect(error.type == .payment)
        #expect(error.message == "Le paiement a été refusé.")
    }

    @Test("The catalogue, not the HTTP status, decides for a code that it knows")
    func known() {
        let error = WajubError(.shieldBlocked, httpStatus: 422, in: .en)
        #expect(error.type == .payment)
        #expect(!error.retryable)
    }

    @Test(
        "The code of a body that names none goes by its HTTP status",
        arguments: [
            (402, "insufficient_funds"), (403, "blocked"), (410, "session_terminal_expired"), (422, "validation_error"),
            (429, "rate_limited"), (401, "session_not_found"), (404, "session_not_found"), (409, "payment_error"),
        ])
    func byStatus(status: Int, code: String) {
        #expect(ErrorCode(httpStatus: status).rawValue == code)
        #expect(ErrorCatalogue.entry(for: ErrorCode(httpStatus: status))?.type == ErrorType(httpStatus: status))
    }

    @Test("A 5xx that names no code is a server_error")
    func serverError() {
        #expect(ErrorCode(httpStatus: 503) == .serverError)
    }

    @Test("decline_code is set on a 402 only")
    func declineCode() {
        #expect(APIRefusal(httpStatus: 402, code: .paymentDeclined).error(in: .en).declineCode == "payment_declined")
        #expect(APIRefusal(httpStatus: 422, code: .validationError).error(in: .en).declineCode == nil)
    }

    @Test("All fields are written under the contract's names, and absent ones left out")
    func fields() throws {
        var error = WajubError(.shieldBlocked, httpStatus: 402, in: .en)
        #expect(
            try names(of: error) == ["type", "code", "message", "retryable", "http_status", "certainty"])
        error.declineCode = "shield_blocked"
        error.param = "phone"
        error.correlationID = "req-1"
        error.retryAfterSeconds = 2.5
        error.details = ["phone": "Not valid."]
        error.blockReference = "blk-1"
        error.apiMessage = "Blocked."
        #expect(
            try names(of: error) == [
                "type", "code", "message", "decline_code", "retryable", "param", "http_status", "correlation_id",
                "retry_after_seconds", "details", "block_reference", "api_message", "certainty",
            ])
        #expect(try names(of: error) == Set(WajubError.CodingKeys.allCases.map(\.rawValue)))
        let read = try JSONDecoder().decode(WajubError.self, from: JSONEncoder().encode(error))
        #expect(read == error)
    }

    private struct AnyName: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Names: Decodable {
        let names: Set<String>
        init(from decoder: any Decoder) throws {
            names = Set(try decoder.container(keyedBy: AnyName.self).allKeys.map(\.stringValue))
        }
    }

    private func names(of error: WajubError) throws -> Set<String> {
        try JSONDecoder().decode(Names.self, from: JSONEncoder().encode(error)).names
    }
}
