/// Every error that the daemon can name: the table that the code runs on and `contract.describe` prints.
package enum ErrorCatalogue {
    /// One row of the table.
    package struct Entry: Sendable {
        package let code: ErrorCode
        package let type: ErrorType
        /// Whether trying again can work.
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

    /// What stands in for the messages of a code that is passed through.
    package static let unknown = Entry(
        code: .paymentError, type: .payment, retryable: true, certainty: nil,
        english: "The payment was refused.", french: "Le paiement a été refusé.")

    /// The table, in alphabetical order of codes.
    package static let entries: [Entry] = (loading + api + refusals + daemon).sorted {
        $0.code.rawValue < $1.code.rawValue
    }

    private static let byCode = Dictionary(uniqueKeysWithValues: entries.map { ($0.code, $0) })

    private static func row(
        _ code: ErrorCode, _ type: ErrorType, retryable: Bool, _ certainty: Certainty?, _ english: String,
        _ french: String
    ) -> Entry {
        Entry(code: code, type: type, retryable: retryable, certainty: certainty, english: english, french: french)
    }

    private static let loading: [Entry] = [
        row(
            .loadError, .api, retryable: true, nil,
            "The payment methods could not be loaded.", "Les moyens de paiement n'ont pas pu être chargés."),
        row(
            .noPaymentMethod, .invalidRequest, retryable: false, nil,
            "This payment offers no method that can be used here.",
            "Ce paiement n'offre aucun moyen de paiement utilisable ici."),
        row(
            .sessionNotFound, .authentication, retryable: false, nil,
            "This payment was not found.", "Ce paiement est introuvable."),
        row(
            .sessionTerminalCancelled, .payment, retryable: false, .definite,
            "This payment was cancelled.", "Ce paiement a été annulé."),
        row(
            .sessionTerminalExpired, .payment, retryable: false, .definite,
            "This payment has expired.", "Ce paiement a expiré."),
        row(
            .sessionTerminalFailed, .payment, retryable: false, .definite,
            "This payment failed.", "Ce paiement a échoué."),
    ]

    private static let api: [Entry] = [
        row(
            .blocked, .payment, retryable: false, .definite,
            "This payment was blocked.", "Ce paiement a été bloqué."),
        row(
            .insufficientFunds, .payment, retryable: true, .definite,
            "The balance is too low.", "Le solde est insuffisant."),
        row(
            .networkError, .api, retryable: true, .indefinite,
            "The connection to Wajub failed.", "La connexion à Wajub a échoué."),
        row(
            .paymentError, .payment, retryable: true, .definite,
            "The payment was refused.", "Le paiement a été refusé."),
        row(
            .rateLimited, .rateLimit, retryable: true, .definite,
            "Too many requests. Wait a moment.", "Trop de requêtes. Patientez un instant."),
        row(
            .serverError, .api, retryable: true, .indefinite,
            "Wajub could not answer.", "Wajub n'a pas pu répondre."),
        row(
            .validationError, .invalidRequest, retryable: true, .definite,
            "Check the information entered.", "Vérifiez les informations saisies."),
    ]

    private static let refusals: [Entry] = [
        row(
            .merchantRestricted, .payment, retryable: false, .definite,
            "This merchant cannot take payments now.", "Ce marchand ne peut pas encaisser pour le moment."),
        row(
            .paymentAttemptEnded, .payment, retryable: true, .definite,
            "The payment was refused. Nothing was charged.", "Le paiement a été refusé. Rien n'a été débité."),
        row(
            .paymentDeclined, .payment, retryable: true, .definite,
            "The payment was declined.", "Le paiement a été décliné."),
        row(
            .paymentFailed, .payment, retryable: true, .definite,
            "The payment failed.", "Le paiement a échoué."),
        row(
            .shieldBlocked, .payment, retryable: false, .definite,
            "This payment was blocked for security.", "Ce paiement a été bloqué par sécurité."),
    ]

    private static let daemon: [Entry] = [
        row(
            .ambiguousReference, .invalidRequest, retryable: false, nil,
            "More than one payment has this reference.", "Plusieurs paiements portent cette référence."),
        row(
            .attemptUndecided, .invalidRequest, retryable: true, .indefinite,
            "A payment attempt is still undecided.", "Une tentative de paiement est encore indécise."),
        row(
            .messageTooLarge, .invalidRequest, retryable: false, nil,
            "The request is longer than 65,536 bytes.", "La requête dépasse 65 536 octets."),
        row(
            .notReady, .invalidRequest, retryable: true, nil,
            "The payment has not loaded yet.", "Le paiement n'est pas encore chargé."),
        row(
            .paymentEnded, .invalidRequest, retryable: false, nil,
            "The payment has its result already.", "Le paiement a déjà son résultat."),
        row(
            .shuttingDown, .api, retryable: true, nil,
            "The daemon is stopping.", "Le service s'arrête."),
        row(
            .storageUnavailable, .api, retryable: true, nil,
            "The daemon cannot write to its disk.", "Le service ne peut pas écrire sur son disque."),
        row(
            .tooManyClients, .api, retryable: true, nil,
            "Too many clients are connected.", "Trop de clients sont connectés."),
        row(
            .unknownPayment, .invalidRequest, retryable: false, nil,
            "No such payment.", "Paiement inconnu."),
    ]
}
