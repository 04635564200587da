/// What an answer says of the payment itself; the same in the session and in a status read (`wire.md`).
package struct Transaction: Hashable, Codable, Sendable {
    package var id: String
    package var reference: String
    /// What the payer pays, fee included: a decimal string in major units.
    package var amount: String?
    /// ISO 4217.
    package var currency: String?
    package var status: PaymentStatus
    package var sandbox: Bool?
    /// Whether `expires_at` lay in the past at the `Date` header of the same answer: Wajub's own clock, never the machine's.
    package var isPastExpiry: Bool
    package var receiptURL: String?
    /// RFC 3339, as Wajub gave it.
    package var updatedAt: String?
    package var context: ProcessingContext?

    package init(
        id: String, reference: String, amount: String? = nil, currency: String? = nil, status: PaymentStatus,
        sandbox: Bool? = nil, isPastExpiry: Bool = false, receiptURL: String? = nil, updatedAt: String? = nil,
        context: ProcessingContext? = nil
    ) {
        self.id = id
        self.reference = reference
        self.amount = amount
        self.currency = currency
        self.status = status
        self.sandbox = sandbox
        self.isPastExpiry = isPastExpiry
        self.receiptURL = receiptURL
        self.updatedAt = updatedAt
        self.context = context
    }
}

/// What a payment under way waits for (`wire.md`, `processing_context`).
package struct ProcessingContext: Hashable, Codable, Sendable {
    package var channelSlug: String?
    package var isMobileMoney: Bool
    /// The provider's own instruction, in English.
    package var payerInstruction: String?
    /// A page for the payer; `https`, or the sandbox's loopback.
    package var actionURL: String?

    package init(
        channelSlug: String? = nil, isMobileMoney: Bool = false, payerInstruction: String? = nil,
        actionURL: String? = nil
    ) {
        self.channelSlug = channelSlug
        self.isMobileMoney = isMobileMoney
        self.payerInstruction = payerInstruction
        self.actionURL = actionURL
    }

    /// Whether the instruction holds a code to dial, `*126#` or `#150*50#` for instance.
    package var hasUSSDCode: Bool {
        guard let text = payerInstruction else { return false }
        return text.indices.contains { start in
            guard text[start] == "*" || text[start] == "#" else { return false }
            let code = text[text.index(after: start)...].prefix { $0.isNumber || $0 == "*" || $0 == "#" }
            return code.first?.isNumber == true && code.last == "#"
        }
    }
}

/// A refusal that a status read carries (`wire.md`, `last_failure`).
package struct Refusal: Hashable, Codable, Sendable {
    package var code: ErrorCode
    package var message: String?
    /// Wajub's time of it, as text: compared for inequality, never as a time.
    package var at: String

    package init(code: ErrorCode, message: String? = nil, at: String) {
        self.code = code
        self.message = message
        self.at = at
    }

    /// Whether this refusal is another one than `known` (`wire.md`, GET /pay/status).
    package func isNewer(than known: Refusal?) -> Bool {
        known?.at != at
    }
}

/// What GET /pay/status said.
package struct StatusReading: Hashable, Codable, Sendable {
    package var transaction: Transaction
    package var lastFailure: Refusal?

    package init(transaction: Transaction, lastFailure: Refusal? = nil) {
        self.transaction = transaction
        self.lastFailure = lastFailure
    }
}
