/// Whether an error settles what became of the money (seed 002, "Definite vs indefinite errors").
package enum Certainty: String, ContractName {
    case definite, indefinite

    package var meaning: String {
        switch self {
        case .definite: "This attempt certainly did not and will not charge."
        case .indefinite: "Money may still move: ask for the status."
        }
    }
}

/// Why Wajub gave no answer that decides anything: silence, and everything that is worth no more (design.md, promise 2).
///
/// It can never become a failure: no initialiser of ``CertainFailure`` takes one.
package struct Unanswered: Error, Hashable, Codable, Sendable {
    /// What stood in for an answer.
    package enum Kind: String, Hashable, Codable, Sendable {
        /// No connection, or it broke.
        case network
        /// Connected, and silent past the limit.
        case timeout
        /// A body that is not Wajub's JSON, whatever its status: a captive portal, a proxy.
        case notJSON = "not_json"
        /// A 5xx, or a status that no rule knows.
        case server
        /// A 429.
        case rateLimited = "rate_limited"
        /// The certificate's dates do not fit the machine's clock.
        case clockSuspect = "clock_suspect"
    }

    package var kind: Kind
    /// A constant sentence for people: no addresses, no secrets.
    package var reason: String
    package var httpStatus: Int?
    /// How long the server asked to be left alone.
    package var retryAfter: Duration?
    package var correlationID: String?

    package init(
        _ kind: Kind, reason: String, httpStatus: Int? = nil, retryAfter: Duration? = nil, correlationID: String? = nil
    ) {
        self.kind = kind
        self.reason = reason
        self.httpStatus = httpStatus
        self.retryAfter = retryAfter
        self.correlationID = correlationID
    }

    /// The error that tells it. `certainty` is for the caller to add: a missed read concerns no attempt.
    package func error(in language: Language) -> WajubError {
        let code: ErrorCode =
            switch kind {
            case .network, .timeout, .notJSON, .clockSuspect: .networkError
            case .server: .serverError
            case .rateLimited: .rateLimited
            }
        var error = WajubError(code, in: language)
        // A read or a load that missed concerns no attempt.
        error.certainty = nil
        error.httpStatus = httpStatus
        error.correlationID = correlationID
        error.retryAfterSeconds = retryAfter?.inSeconds
        error.apiMessage = reason
        error.certainty = nil
        return error
    }
}

/// A 4xx of Wajub with a JSON body: an answer (`wire.md`, "Common").
package struct APIRefusal: Error, Hashable, Codable, Sendable {
    package var httpStatus: Int
    package var code: ErrorCode
    package var apiMessage: String?
    package var details: [String: String]
    package var blockReference: String?
    package var correlationID: String?
    package var retryAfter: Duration?
    /// How often a confirmation step may still be answered.
    package var attemptsLeft: Int?

    package init(
        httpStatus: Int, code: ErrorCode, apiMessage: String? = nil, details: [String: String] = [:],
        blockReference: String? = nil, correlationID: String? = nil, retryAfter: Duration? = nil,
        attemptsLeft: Int? = nil
    ) {
        self.attemptsLeft = attemptsLeft
        self.httpStatus = httpStatus
        self.code = code
        self.apiMessage = apiMessage
        self.details = details
        self.blockReference = blockReference
        self.correlationID = correlationID
        self.retryAfter = retryAfter
    }

    /// Whether it refuses the token rather than what was asked.
    package var refusesToken: Bool { [401, 403, 404, 410].contains(httpStatus) }

    /// Whether the token is of no more use. A 403 may pass: it says who asks, not that the payment is gone.
    package var endsToken: Bool { [401, 404, 410].contains(httpStatus) }

    /// The error that tells it. `certainty` is for the caller to add: a refused read says nothing about money.
    package func error(in language: Language) -> WajubError {
        var error = WajubError(code, httpStatus: httpStatus, in: language)
        error.declineCode = httpStatus == 402 ? code.rawValue : nil
        error.details = details.isEmpty ? nil : details
        error.param = details.keys.min()
        error.blockReference = blockReference
        error.correlationID = correlationID
        error.retryAfterSeconds = retryAfter?.inSeconds
        error.apiMessage = apiMessage
        error.certainty = nil
        return error
    }
}

/// What became of a call that changes nothing: the two ways in which it can miss.
package enum CallFailure: Error, Hashable, Codable, Sendable {
    case refused(APIRefusal)
    case unanswered(Unanswered)

    /// How long the server asked to be left alone.
    package var retryAfter: Duration? {
        switch self {
        case .refused(let refusal): refusal.retryAfter
        case .unanswered(let unanswered): unanswered.retryAfter
        }
    }

    /// The error that tells it.
    package func error(in language: Language) -> WajubError {
        switch self {
        case .refused(let refusal): refusal.error(in: language)
        case .unanswered(let unanswered): unanswered.error(in: language)
        }
    }
}
