internal import Contract
internal import FoundationEssentials

extension Wire {
    /// The payment as the session and a status read tell it.
    struct Transaction: Decodable {
        private let id: String
        private let reference: String
        private let amount: String?
        private let currency: String?
        private let status: String
        private let sandbox: Bool?
        private let expiresAt: String?
        private let receiptURL: String?
        private let updatedAt: String?
        private let context: ProcessingContext?

        /// - throws: ``NotOurs`` without a status, or without both id and reference, which stand in for each other.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: TransactionKey.self)
            let (id, reference) = (container.text(.id), container.text(.reference))
            guard let status = container.text(.status), let either = id ?? reference else { throw NotOurs() }
            self.id = id ?? either
            self.reference = reference ?? either
            self.status = status
            amount = container.amount(.amountTotal) ?? container.amount(.amount)
            currency = container.text(.currency)
            sandbox = container.lenient(Bool.self, .sandbox)
            expiresAt = container.text(.expiresAt)
            receiptURL = container.pageURL(.receiptURL)
            updatedAt = container.text(.updatedAt)
            context = container.lenient(ProcessingContext.self, .processingContext)
        }

        /// The contract's transaction. `date` is the `Date` header of the same answer, in seconds since 1970: Wajub's
        /// own clock, the only one that its expiry is judged by.
        func transaction(answeredAt date: Double?) -> Contract.Transaction {
            let expiry = expiresAt.flatMap(WireTime.rfc3339)
            let isPastExpiry = if let expiry, let date { expiry < date } else { false }
            return Contract.Transaction(
                id: id, reference: reference, amount: amount, currency: currency, status: PaymentStatus(wire: status),
                sandbox: sandbox, isPastExpiry: isPastExpiry, receiptURL: receiptURL, updatedAt: updatedAt,
                context: context?.context)
        }

        /// The reference, for the name of the payment's channel.
        var channelReference: String { reference }
    }

    struct ProcessingContext: Decodable {
        let context: Contract.ProcessingContext

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ProcessingContextKey.self)
            context = Contract.ProcessingContext(
                channelSlug: container.text(.channelSlug),
                isMobileMoney: container.lenient(Bool.self, .isMobileMoney) ?? false,
                payerInstruction: container.text(.payerInstruction),
                actionURL: container.pageURL(.actionURL))
        }
    }

    /// GET /pay/status: a transaction and perhaps a refusal, or the transaction's fields at the top.
    struct Status: Decodable {
        private let transaction: Transaction
        private let lastFailure: LastFailure?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: StatusKey.self)
            transaction = try container.lenient(Transaction.self, .transaction) ?? Transaction(from: decoder)
            lastFailure = container.lenient(LastFailure.self, .lastFailure)
        }

        func reading(answeredAt date: Double?) -> StatusReading {
            StatusReading(transaction: transaction.transaction(answeredAt: date), lastFailure: lastFailure?.refusal)
        }
    }

    private struct LastFailure: Decodable {
        let refusal: Refusal

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: LastFailureKey.self)
            guard let code = container.text(.code), let at = container.text(.at) else { throw NotOurs() }
            refusal = Refusal(
                code: ErrorCode(rawValue: code), message: container.text(.message).map(Redaction.withoutNumbers), at: at
            )
        }
    }
}
