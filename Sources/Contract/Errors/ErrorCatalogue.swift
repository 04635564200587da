/// Every error that the contract or the daemon names: the table that the code runs on and `contract.describe` prints.
package enum ErrorCatalogue {
    /// One row of the table.
    package struct Entry: Sendable {
        package let code: ErrorCode
        package let type: ErrorType
        /// Whether trying again can work, as it is or with another number, answer or method.
        package let retryable: Bool
        /// What it settles about money; nil where no attempt is concerned.
        package let certainty: Certainty?
        package let english: String
        package let french: String

        /// The text for the payer.
        package func message(in language: Language) -> String {
            switch language {
            case .en: english
            case .fr: french
            }
        }
    }

    /// The row of a code; nil for one that is passed through.
    package static func entry(for code: ErrorCode) -> Entry? {
        byCode[code]
    }

    /// The row whose message stands in for that of a code that is passed through.
    package static func standIn(for type: ErrorType) -> Entry {
        switch type {
        case .authentication: sessionNotFound
        case .invalidRequest: validationError
        case .rateLimit: rateLimited
        case .api, .payment: paymentError
        }
    }

    /// The table, in alphabetical order of codes.
    package static let entries: [Entry] =
        (loading + api + refusals + mobileMoney + paying + steps + sandbox + daemon).sorted {
            $0.code.rawValue < $1.code.rawValue
        }

    private static let byCode = Dictionary(uniqueKeysWithValues: entries.map { ($0.code, $0) })

    static func row(
        _ code: ErrorCode, _ type: ErrorType, retryable: Bool, _ certainty: Certainty?, _ english: String,
        _ french: String
    ) -> Entry {
        Entry(code: code, type: type, retryable: retryable, certainty: certainty, english: english, french: french)
    }
}
