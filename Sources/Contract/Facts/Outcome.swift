/// The contract's PaymentSuccess (seed 000, "Callbacks").
package struct PaymentSuccess: Hashable, Codable, Sendable {
    /// Wajub's payment id, the one GET /payments/{id} takes.
    package var id: String
    package var reference: String
    /// A decimal string in major units, fee included.
    package var amount: String?
    package var currency: String?
    package var method: MethodFamily
    package var status = "success"
    /// RFC 3339; absent where Wajub's answer gave no time.
    package var timestamp: String?
    package var receiptURL: String?

    /// The success that a paid transaction tells.
    package init(_ transaction: Transaction, method: MethodFamily) {
        id = transaction.id
        reference = transaction.reference
        amount = transaction.amount
        currency = transaction.currency
        self.method = method
        timestamp = transaction.updatedAt
        receiptURL = transaction.receiptURL
    }

    package enum CodingKeys: String, CodingKey {
        case id, reference, amount, currency, method, status, timestamp
        case receiptURL = "receipt_url"
    }
}

/// Why a payment certainly ended without money: the only thing that a `failed` result is made from (design.md, promise 2).
///
/// Silence cannot make one, since no initialiser takes an ``Unanswered``.
package struct CertainFailure: Hashable, Codable, Sendable {
    package let error: WajubError

    /// An ended status that a read found; told by a newer refusal where `failed` carries one, else by `session_terminal_*`.
    package init(ended: EndedStatus, refusal: Refusal?, in language: Language) {
        let refusal = ended == .failed ? refusal : nil
        var error = WajubError(refusal?.code ?? ended.code, in: language)
        error.apiMessage = refusal?.message
        error.certainty = .definite
        error.retryable = false
        self.error = error
    }

    /// Wajub refused the token before anything was loaded: the payment cannot be taken here, though nothing is known of its money.
    package init(tokenRefusedAtLoad refusal: APIRefusal, in language: Language) {
        error = refusal.error(in: language)
    }
}

/// How a presentation resolved; set once (seed 000, "Results").
package enum CheckoutResult: Hashable, Codable, Sendable {
    case complete(PaymentSuccess)
    case processing
    case failed(CertainFailure)
    case cancelled(CancelReason)

    /// The result's name.
    package var status: ResultStatus {
        switch self {
        case .complete: .complete
        case .processing: .processing
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }
}

/// What the till should draw while the payer has something to do (`protocol.md`, `screen`).
package struct Screen: Hashable, Codable, Sendable {
    package enum Kind: String, ContractName {
        case approval, ussd, step, redirect
        case clientSession = "client_session"
        case waiting

        package var meaning: String {
            switch self {
            case .approval: "The payer approves on their phone."
            case .ussd: "The payer dials a code; `instruction` holds it."
            case .step: "The payer is asked for one more thing."
            case .redirect: "The payer opens `action_url`."
            case .clientSession: "The payer completes a provider's page or widget."
            case .waiting: "Nothing to do: the outcome is awaited."
            }
        }
    }

    package var kind: Kind
    package var instruction: String?
    package var actionURL: String?
    /// The payer's number, all but its end hidden.
    package var phoneMasked: String?

    package init(_ kind: Kind, instruction: String? = nil, actionURL: String? = nil, phoneMasked: String? = nil) {
        self.kind = kind
        self.phoneMasked = phoneMasked
        self.instruction = instruction
        self.actionURL = actionURL
    }
}
