/// What the cashier may do now: derived from the machine, never guessed (design.md, "Advice").
package struct Advice: Hashable, Codable, Sendable {
    /// The payment may be tried again as it is.
    package var safeToRetry: Bool
    /// This payment certainly did not and will not charge.
    package var safeToTakeOtherPayment: Bool
    package var canCancel: Bool
    /// One sentence, in the payment's language.
    package var reason: String

    package enum CodingKeys: String, CodingKey {
        case safeToRetry = "safe_to_retry"
        case safeToTakeOtherPayment = "safe_to_take_other_payment"
        case canCancel = "can_cancel"
        case reason
    }
}

extension PaymentMachine {
    /// The advice as long as the attempt's key may still be posted.
    package var advice: Advice { advice(whereKeyIsOld: false) }

    /// - parameter wallTime: the wall clock in seconds since 1970.
    package func advice(at now: Instant, wallTime: Double) -> Advice {
        advice(whereKeyIsOld: isUndecided && attempt?.isKeyOld(at: now, wallTime: wallTime) == true)
    }

    /// A key that Wajub may have forgotten is not posted again: its attempt is only read.
    private func advice(whereKeyIsOld isOld: Bool) -> Advice {
        let sentence = isOld ? Self.waiting : adviceSentence
        return Advice(
            safeToRetry: isSafeToRetry && !isOld,
            safeToTakeOtherPayment: EndedStatus(status) != nil,
            canCancel: canCancel,
            reason: language == .fr ? sentence.french : sentence.english)
    }

    /// After a refusal that may pass, or where the request most likely never arrived: the same key makes pressing again safe.
    private var isSafeToRetry: Bool {
        guard result == nil, closing == nil, status == .pending else { return false }
        if isUndecided { return attempt?.isPayOpen == true && attempt?.isWorking == false }
        return state == .failed && error?.retryable == true
    }

    private var adviceSentence: (english: String, french: String) {
        if isUndecided { return undecidedSentence }
        return statusSentence
    }

    private var undecidedSentence: (english: String, french: String) {
        attempt?.isPayOpen == true && result == nil
            ? (
                "The request most likely never arrived. Pay this payment again; do not take another.",
                "La demande n'est sans doute pas arrivée. Relancez ce paiement ; n'en encaissez pas un autre."
            )
            : Self.waiting
    }

    private static let waiting = (
        english: "Money may be moving. Wait for the outcome.",
        french: "De l'argent est peut-être en mouvement. Attendez l'issue."
    )

    private var statusSentence: (english: String, french: String) {
        switch status {
        case .succeeded:
            ("Paid. Do not take another payment.", "Payé. N'encaissez pas une seconde fois.")
        case .failed, .cancelled, .expired:
            ("This payment ended without a charge.", "Ce paiement s'est terminé sans débit.")
        case .processing:
            Self.waiting
        case .pending:
            (
                "Not paid yet. The payment is open: cancel it before taking another.",
                "Pas encore payé. Le paiement est ouvert : annulez-le avant d'en encaisser un autre."
            )
        case .unknown:
            (
                "Wajub has not told what became of this payment.",
                "Wajub n'a pas encore dit ce qu'est devenu ce paiement."
            )
        }
    }
}
