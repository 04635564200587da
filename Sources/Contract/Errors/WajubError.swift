/// The kind of an error (seed 000, "Errors").
package enum ErrorType: String, ContractName {
    case api = "api_error"
    case authentication = "authentication_error"
    case invalidRequest = "invalid_request_error"
    case payment = "payment_error"
    case rateLimit = "rate_limit_error"

    package var meaning: String {
        switch self {
        case .api: "No answer, or a fault that is nobody's refusal."
        case .authentication: "The token was refused."
        case .invalidRequest: "What was asked cannot be done as asked."
        case .payment: "The payment was refused, or has ended."
        case .rateLimit: "Asked too often."
        }
    }

    /// Whose no it is.
    package var kind: ErrorKind { self == .payment ? .business : .application }

    /// The type that an HTTP status stands for where the catalogue does not know the code (`wire.md`, "Common").
    package init(httpStatus: Int) {
        switch httpStatus {
        case 401, 404: self = .authentication
        case 422: self = .invalidRequest
        case 429: self = .rateLimit
        default: self = .payment
        }
    }
}

/// An application's error is told from the gateway's refusal (seed 002, "handleTransactionError").
package enum ErrorKind: String, ContractName {
    case application, business

    package var meaning: String {
        switch self {
        case .application: "The request did not get through, or was not right: nothing that the gateway decided."
        case .business: "The gateway's own decision about the payment."
        }
    }
}

/// Wajub's error: the contract's fields, plus `certainty` (seed 000, "Errors"; seed 002, "Definite vs indefinite errors").
package struct WajubError: Error, Hashable, Codable, Sendable {
    package var type: ErrorType
    package var code: ErrorCode
    /// For the payer, in the payment's language.
    package var message: String
    /// The provider's code of a decline: on a 402 only.
    package var declineCode: String?
    package var retryable: Bool
    /// The field that is wrong.
    package var param: String?
    package var httpStatus: Int?
    /// The response's `X-Request-Id`: quote it to support.
    package var correlationID: String?
    package var retryAfterSeconds: Double?
    /// The field errors.
    package var details: [String: String]?
    package var blockReference: String?
    /// The API's own English text, for logs.
    package var apiMessage: String?
    /// What the error settles about money; absent where no attempt is concerned.
    package var certainty: Certainty?

    /// An error of the catalogue, or of a code that it does not know: passed through with what its HTTP status stands for.
    package init(_ code: ErrorCode, httpStatus: Int? = nil, in language: Language) {
        let entry = ErrorCatalogue.entry(for: code)
        self.code = code
        self.httpStatus = httpStatus
        type = entry?.type ?? httpStatus.map(ErrorType.init(httpStatus:)) ?? .payment
        retryable = entry?.retryable ?? (httpStatus != 403)
        certainty = entry?.certainty
        message = (entry ?? ErrorCatalogue.standIn(for: type)).message(in: language)
    }

    package enum CodingKeys: String, CodingKey, ContractName {
        case type, code, message, retryable, param, details, certainty
        case declineCode = "decline_code"
        case httpStatus = "http_status"
        case correlationID = "correlation_id"
        case retryAfterSeconds = "retry_after_seconds"
        case blockReference = "block_reference"
        case apiMessage = "api_message"

        package var meaning: String {
            switch self {
            case .type: "The error's type, of the table above."
            case .code: "The error's name, of the table below or passed through."
            case .message: "For the payer, in the payment's language."
            case .retryable: "Whether trying again can work, as it is or with another number, answer or method."
            case .param: "The field that is wrong."
            case .details: "The field errors: what is wrong, by field."
            case .certainty: "What the error settles about money; absent where no attempt is concerned."
            case .declineCode: "The provider's code of a decline: on a 402 only."
            case .httpStatus: "The status of Wajub's answer."
            case .correlationID: "The answer's `X-Request-Id`: quote it to support."
            case .retryAfterSeconds: "How long Wajub asked to be left alone."
            case .blockReference: "What Wajub knows a block by, with `shield_blocked`."
            case .apiMessage: "Wajub's own English text, for logs."
            }
        }
    }
}
