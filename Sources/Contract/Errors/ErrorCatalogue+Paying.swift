// The rows of an attempt: its form, its answer, and what it asks of the payer.

extension ErrorCatalogue {
    /// Checks before anything is sent, so that no attempt is concerned (seed 000, "Mobile Money").
    static let mobileMoney: [Entry] = [
        row(
            ErrorCode(rawValue: "invalid_phone"), .invalidRequest, retryable: true, nil,
            "This phone number is not valid.", "Ce numéro de téléphone n'est pas valide."),
        row(
            ErrorCode(rawValue: "operator_mismatch"), .invalidRequest, retryable: true, nil,
            "This number belongs to another operator.", "Ce numéro appartient à un autre opérateur."),
        row(
            ErrorCode(rawValue: "operator_required"), .invalidRequest, retryable: true, nil,
            "Choose an operator.", "Choisissez un opérateur."),
        row(
            ErrorCode(rawValue: "phone_required"), .invalidRequest, retryable: true, nil,
            "Enter a phone number.", "Saisissez un numéro de téléphone."),
    ]

    /// Seed 000, "A payment without an answer" and "Cards". What cannot be followed here is watched on: never a failure.
    static let paying: [Entry] = [
        row(
            .clientSessionExpired, .payment, retryable: true, .definite,
            "The payment page has expired. Start again.", "La page de paiement a expiré. Recommencez."),
        row(
            .clientSessionNotFound, .invalidRequest, retryable: false, .indefinite,
            "The payment page was not found.", "La page de paiement est introuvable."),
        row(
            .missingFields, .invalidRequest, retryable: true, .definite,
            "Some information is missing.", "Il manque des informations."),
        row(
            .notProcessable, .payment, retryable: true, .definite,
            "The payment could not be processed. Check the information entered.",
            "Le paiement n'a pas pu être traité. Vérifiez les informations saisies."),
        row(
            .paymentInProgress, .payment, retryable: false, .indefinite,
            "A payment is in progress. Wait for its outcome.", "Un paiement est en cours. Attendez son issue."),
        row(
            .redirectUnavailable, .api, retryable: false, .indefinite,
            "The payment page cannot be opened.", "La page de paiement ne peut pas être ouverte."),
        row(
            .unsupportedAction, .api, retryable: false, .indefinite,
            "This payment asks for something that cannot be done here.",
            "Ce paiement demande une étape qui n'est pas possible ici."),
    ]

    /// Seed 000, "Confirmation steps": a wrong answer keeps the step, so its attempt is still running.
    static let steps: [Entry] = [
        row(
            .invalidCode, .invalidRequest, retryable: true, .indefinite,
            "This is not right. Try again.", "La réponse est incorrecte. Réessayez."),
        row(
            .stepExpired, .payment, retryable: true, .definite,
            "The time to confirm is over. Start again.", "Le délai de confirmation est dépassé. Recommencez."),
        row(
            .tooManyAttempts, .payment, retryable: true, .definite,
            "Too many wrong answers. Start again.", "Trop de réponses incorrectes. Recommencez."),
    ]
}
