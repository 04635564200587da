// The rows of what Wajub answers, and of a payment that cannot be opened.

extension ErrorCatalogue {
    static let sessionNotFound = row(
        .sessionNotFound, .authentication, retryable: false, nil,
        "This payment was not found.", "Ce paiement est introuvable.")
    static let paymentError = row(
        .paymentError, .payment, retryable: true, .definite,
        "The payment was refused.", "Le paiement a été refusé.")
    static let rateLimited = row(
        .rateLimited, .rateLimit, retryable: true, .definite,
        "Too many requests. Wait a moment.", "Trop de requêtes. Patientez un instant.")
    static let validationError = row(
        .validationError, .invalidRequest, retryable: true, .definite,
        "Check the information entered.", "Vérifiez les informations saisies.")

    /// Seed 000, "Loading".
    static let loading: [Entry] = [
        sessionNotFound,
        row(
            .loadError, .api, retryable: true, nil,
            "The payment methods could not be loaded.", "Les moyens de paiement n'ont pas pu être chargés."),
        row(
            .noPaymentMethod, .invalidRequest, retryable: false, nil,
            "This payment offers no method that can be used here.",
            "Ce paiement n'offre aucun moyen de paiement utilisable ici."),
        row(
            .readyTimeout, .api, retryable: true, nil,
            "The payment takes too long to load.", "Le paiement met trop de temps à charger."),
        row(
            .sessionTerminalCancelled, .payment, retryable: false, .definite,
            "This payment was cancelled.", "Ce paiement a été annulé."),
        row(
            .sessionTerminalExpired, .payment, retryable: false, .definite,
            "This payment has expired.", "Ce paiement a expiré."),
        row(
            .sessionTerminalFailed, .payment, retryable: false, .definite,
            "This payment failed.", "Ce paiement a échoué."),
        row(
            .sheetAlreadyPresented, .invalidRequest, retryable: true, nil,
            "A payment is open already.", "Un paiement est déjà ouvert."),
    ]

    /// `wire.md`, "Common".
    static let api: [Entry] = [
        paymentError, rateLimited, validationError,
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
            .serverError, .api, retryable: true, .indefinite,
            "Wajub could not answer.", "Wajub n'a pas pu répondre."),
    ]

    /// Seed 001, "Errors".
    static let refusals: [Entry] = [
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
            .securityCheckFailed, .payment, retryable: true, .definite,
            "The security check failed.", "La vérification de sécurité a échoué."),
        row(
            .shieldBlocked, .payment, retryable: false, .definite,
            "This payment was blocked for security.", "Ce paiement a été bloqué par sécurité."),
    ]

    /// What the sandbox answers beside the codes of the documents: the daemon meets them in rehearsals.
    static let sandbox: [Entry] = [
        row(
            .approvalTimeout, .payment, retryable: true, .definite,
            "The payment was not approved in time.", "Le paiement n'a pas été approuvé à temps."),
        row(
            .cardDeclined, .payment, retryable: true, .definite,
            "The card was declined.", "La carte a été refusée."),
        // The refusal says nothing of this attempt: an earlier request of the same attempt may be what paid.
        row(
            .paymentAlreadyPaid, .payment, retryable: false, .indefinite,
            "This payment is paid already.", "Ce paiement est déjà payé."),
        row(
            .paymentCancelled, .payment, retryable: false, .definite,
            "The payment was cancelled on the phone.", "Le paiement a été annulé sur le téléphone."),
        row(
            .unsupportedChannel, .invalidRequest, retryable: true, .definite,
            "This method cannot be used that way. Choose another.",
            "Ce moyen de paiement ne peut pas être utilisé ainsi. Choisissez-en un autre."),
    ]
}
