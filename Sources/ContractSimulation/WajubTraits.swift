internal import Contract

/// How one life's Wajub behaves where nobody published it.
struct WajubTraits {
    /// The customer's own phone, which scanned the QR code.
    enum Phone {
        case absent
        /// Pays, gives up, or ends the payment.
        case pays
        /// Is refused as well, and the payment is pending again.
        case isRefused
    }

    let phone: Phone
    /// Whether an expired payment still reads `pending`.
    let expiresLazily: Bool
    let refusesCancelWhileProcessing: Bool
    /// Whether two keys at once, or after one another, would charge twice: the key alone protects the customer.
    let isLenient: Bool
    /// Whether a payment under way may still read `pending`.
    let readsPending: Bool
    /// Whether a 422 is kept under its key, or made anew from the body.
    let keepsInvalid: Bool
    /// How much later than its answer a refusal shows in the reads.
    let refusalLag: Duration
    /// In percent: how many refusals show in the reads at all.
    let recorded: Int

    init(_ dice: inout Dice) {
        phone = dice.pick([.absent, .pays, .isRefused])
        expiresLazily = dice.chance(50)
        refusesCancelWhileProcessing = dice.chance(70)
        isLenient = phone == .absent && dice.chance(60)
        readsPending = phone != .isRefused && dice.chance(25)
        keepsInvalid = dice.chance(50)
        refusalLag = phone == .isRefused ? .zero : dice.pick([.zero, .zero, .seconds(2), .seconds(20)])
        recorded = dice.pick([100, 100, 80, 0])
    }
}
