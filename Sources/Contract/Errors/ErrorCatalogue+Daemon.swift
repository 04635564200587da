// The rows of what the daemon itself refuses.

extension ErrorCatalogue {
    /// `protocol.md`, "Errors".
    static let daemon: [Entry] = [
        row(
            .ambiguousReference, .invalidRequest, retryable: false, nil,
            "More than one payment has this reference.", "Plusieurs paiements portent cette référence."),
        row(
            .attemptUndecided, .invalidRequest, retryable: true, .indefinite,
            "A payment attempt is still undecided.", "Une tentative de paiement est encore indécise."),
        row(
            .cardNumberRefused, .invalidRequest, retryable: false, nil,
            "Card numbers are not accepted here.", "Les numéros de carte ne sont pas acceptés ici."),
        row(
            .messageTooLarge, .invalidRequest, retryable: false, nil,
            "The request is longer than 65,536 bytes.", "La requête dépasse 65 536 octets."),
        row(
            .noStepPending, .invalidRequest, retryable: false, nil,
            "Nothing waits to be confirmed.", "Aucune confirmation n'est en attente."),
        row(
            .notReady, .invalidRequest, retryable: true, nil,
            "The payment has not loaded yet.", "Le paiement n'est pas encore chargé."),
        row(
            .paymentEnded, .invalidRequest, retryable: false, nil,
            "The payment has its result already.", "Le paiement a déjà son résultat."),
        // The step that waits belongs to an attempt that is still running.
        row(
            .resendTooEarly, .rateLimit, retryable: true, .indefinite,
            "A new code cannot be sent yet. Wait a moment.",
            "Un nouveau code ne peut pas encore être envoyé. Patientez un instant."),
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
