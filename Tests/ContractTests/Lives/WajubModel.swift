import Contract

/// Wajub and the payment's customer, who pays on their own phone: what is true, whatever reaches the machine.
struct WajubModel {
    private(set) var status: PaymentStatus
    private(set) var refusal: Refusal?
    private var refusals = 0
    private let expiresAt: Instant
    /// Whether an expired payment still reads `pending`.
    private let expiresLazily: Bool
    private var tokenEndsAt: Instant
    let channels: [Channel]
    let configuration: SDKConfiguration
    let realtime: RealtimeChannel?
    private let refusesCancelWhileProcessing: Bool
    /// The codes of all refusals that this payment ever had.
    private(set) var refusalCodes: Set<ErrorCode> = []

    /// What no note may carry.
    static let secret = "+237677123456"

    private static let mobile = Channel(slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney)
    private static let card = Channel(slug: "card", name: "Card", family: .card)
    private static let wallet = Channel(slug: "djamo", name: "Djamo", family: .wallet)

    init(_ dice: inout Dice, at now: Instant) {
        status = dice.pick([.pending, .pending, .pending, .pending, .processing, .succeeded, .failed])
        expiresAt = now + .seconds(dice.pick([-10, 30, 300, 3600, 86_400]))
        expiresLazily = dice.chance(50)
        tokenEndsAt = now + .seconds(dice.pick([5, 200, 86_400, 86_400, 86_400]))
        channels = dice.pick([[Self.mobile], [Self.mobile, Self.card], [Self.card], [Self.wallet], []])
        configuration = dice.pick([
            [:], ["card": ChannelConfiguration(available: true, sdk: "stripe_elements")],
            ["djamo": ChannelConfiguration(available: true, sdk: "form")],
            ["cm.mobile": ChannelConfiguration(available: false)],
        ])
        realtime = dice.chance(60) ? Sheet.channel : nil
        refusesCancelWhileProcessing = dice.chance(70)
        if dice.chance(20) { refuse(&dice) }
    }

    func tokenIsDead(at now: Instant) -> Bool { tokenEndsAt <= now }

    /// Whether money can have moved, or can still move.
    func canCharge(at now: Instant) -> Bool {
        switch status {
        case .succeeded, .processing: true
        case .pending: expiresAt > now
        case .failed, .cancelled, .expired, .unknown: false
        }
    }

    /// The customer, the provider or the merchant does something; returns whether the status changed.
    mutating func live(_ dice: inout Dice, at now: Instant) -> Bool {
        expire(at: now)
        let before = status
        switch status {
        case .pending where expiresAt <= now: break
        case .pending: status = dice.pick([.processing, .processing, .processing, .pending, .cancelled])
        case .processing:
            switch dice.int(0...9) {
            case 0...2: status = .succeeded
            case 3...5:
                refuse(&dice)
                status = .pending
            case 6: status = .pending
            case 7:
                if dice.chance(60) { refuse(&dice) }
                status = .failed
            default: break
            }
        case .succeeded, .failed, .cancelled, .expired, .unknown: break
        }
        return status != before
    }

    mutating func expire(at now: Instant) {
        if status == .pending, expiresAt <= now, !expiresLazily { status = .expired }
    }

    private mutating func refuse(_ dice: inout Dice) {
        refusals += 1
        let code = dice.pick([ErrorCode.insufficientFunds, .paymentDeclined, ErrorCode(rawValue: "do_not_honour")])
        refusalCodes.insert(code)
        refusal = Refusal(code: code, message: "Refused for \(Self.secret)", at: "t\(refusals)")
    }

    /// POST /pay/cancel: nil when it cancelled.
    mutating func cancel(at now: Instant) -> APIRefusal? {
        expire(at: now)
        guard status == .pending || status == .processing && !refusesCancelWhileProcessing else {
            return APIRefusal(httpStatus: 409, code: .paymentError)
        }
        status = .cancelled
        tokenEndsAt = min(tokenEndsAt, now + .seconds(60))
        return nil
    }

    func transaction(at now: Instant) -> Transaction {
        let context = ProcessingContext(
            channelSlug: "cm.mobile", isMobileMoney: true, payerInstruction: "Approve on \(Self.secret)")
        return Transaction(
            id: "pay_1", reference: "order-7", amount: "15000", currency: "XAF", status: status, sandbox: true,
            isPastExpiry: expiresAt <= now, context: status == .processing ? context : nil)
    }
}
