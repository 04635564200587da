internal import Contract

/// Wajub and everybody who pays there: what is true, whatever reaches the machine.
///
/// What is assumed of Wajub, since no client could tell it apart otherwise:
/// - It answers one key with one answer for 24 hours, and a 402, a 403 with its own code or a 422 is given under the key: no other
///   request of this key charges after it. A copy that arrives once its key is forgotten is dropped.
/// - A 400, 401, 403, 404, 409, 410 or 429 in front of the key concerns a whole try, not one of two copies of it. In front of what
///   confirms there is no 409 and no 410.
/// - A refusal in `last_failure` has the code that the answer had.
/// - While somebody else's attempts are refused, reads are not late, a request that was given up does not arrive, and nobody else is
///   refused between the machine's last read, 15 seconds ago at most, and the end of its request, or while its page is open.
/// - A cancel that left before an attempt began does not hit that attempt.
/// - An attempt under way keeps a payment from expiring, whatever its `expires_at` says; somebody else's moves that as well. A client session takes one payment, and a new one ends the one before.
/// - The session is never an old state; an ended status is never a lie.
struct WajubModel {
    static let keyMemory: Duration = .seconds(24 * 3600)

    let traits: WajubTraits
    private(set) var status: PaymentStatus
    private(set) var refusal: Refusal?
    private var refusals = 0
    private let expiresAt: Instant
    private var tokenEndsAt: Instant
    let channels: [Channel]
    let configuration: SDKConfiguration
    let realtime: RealtimeChannel?
    /// The codes of all refusals that this payment ever had.
    private(set) var refusalCodes: Set<ErrorCode> = []
    /// A refusal that the reads do not show yet.
    private var hidden: (refusal: Refusal, until: Instant)?
    /// What was true since when; kept where reads may be old.
    private var past: [(since: Instant, status: PaymentStatus, refusal: Refusal?)] = []

    var runs: [Run] = []
    /// Which runs charged, in order.
    private(set) var charges: [Run] = []
    var keys: [String: StoredAnswer] = [:]
    var invalidBodies: Set<String> = []
    var clientSessions: [OpenedSession] = []
    var identifiers = 0

    /// What no note may carry.
    static let secret = "+237677123456"

    static func isSecret(_ text: String) -> Bool { text.hasSuffix(secret) }

    private static let mobile = Channel(slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney)
    private static let card = Channel(slug: "card", name: "Card", family: .card)
    private static let wallet = Channel(slug: "djamo", name: "Djamo", family: .wallet)
    private static let server = RealtimeChannel(host: "ws", port: 443, tls: true, key: "k", name: "private-payment.ref")

    init(_ dice: inout Dice, traits: WajubTraits, pays: Bool, at now: Instant) {
        self.traits = traits
        status = .pending
        if !pays || dice.chance(5) { status = dice.pick([.pending, .pending, .processing, .succeeded, .failed]) }
        if status == .processing, traits.phone == .absent { status = .pending }
        let isShort = dice.chance(pays ? 15 : 60)
        let lives = isShort ? [-10, 30, 300, 1_200] : [3_600, 86_400, 400_000]
        expiresAt = now + .seconds(dice.pick(lives))
        tokenEndsAt = now + .seconds(dice.chance(pays ? 10 : 30) ? dice.pick([5, 200, 1_000]) : 400_000)
        channels = dice.pick([
            [Self.mobile], [Self.mobile, Self.card], [Self.mobile, Self.card], [Self.card], [Self.wallet], [],
        ])
        configuration = dice.pick([
            [:], ["card": ChannelConfiguration(available: true, sdk: "stripe_elements")],
            ["djamo": ChannelConfiguration(available: true, sdk: "form")],
            ["cm.mobile": ChannelConfiguration(available: false)],
        ])
        realtime = dice.chance(60) ? Self.server : nil
        past.append((now + .seconds(-86_400), status, nil))
        if dice.chance(20) { record(Self.declineCode(&dice), since: now + .seconds(-86_400), at: now) }
        if status == .processing { begin(by: 0, .provider) }
    }

    // MARK: What is true

    func tokenIsDead(at now: Instant) -> Bool { tokenEndsAt <= now }

    /// Whether money can have moved, or can still move.
    func canCharge(at now: Instant) -> Bool {
        if !charges.isEmpty || runs.contains(where: \.isAlive) { return true }
        return switch status {
        case .succeeded, .processing: true
        case .pending: expiresAt > now
        case .failed, .cancelled, .expired, .unknown: false
        }
    }

    /// Whether this attempt of the machine's has charged, or a run of it still may.
    func hasMoved(_ attempt: Int) -> Bool {
        runs.contains { $0.attempt == attempt && ($0.isAlive || $0.stage == .charged) }
    }

    /// Whether money of the machine's own attempts moves or has moved.
    var ownMoney: Bool { runs.contains { $0.attempt > 0 && ($0.isAlive || $0.stage == .charged) } }

    /// How often the machine's own attempts charged.
    var ownCharges: Int { charges.count { $0.attempt > 0 } }

    var isRunning: Bool { runs.contains(where: \.isAlive) }

    func isOpen(at now: Instant) -> Bool {
        status == .pending && (expiresAt > now || isRunning) || status == .processing
    }

    // MARK: What happens

    mutating func setStatus(_ new: PaymentStatus, at now: Instant) {
        status = new
        past.append((now, status, refusal))
    }

    /// Notes a refusal for the reads.
    mutating func record(_ code: ErrorCode, since: Instant? = nil, at now: Instant) {
        refusals += 1
        refusalCodes.insert(code)
        let new = Refusal(code: code, message: "Refused for \(Self.secret)", at: "t\(refusals)")
        if traits.refusalLag > .zero, since == nil {
            hidden = (new, now + traits.refusalLag)
        } else {
            refusal = new
            past.append((since ?? now, status, refusal))
        }
    }

    static func declineCode(_ dice: inout Dice) -> ErrorCode {
        dice.pick([ErrorCode.insufficientFunds, .paymentDeclined, ErrorCode(rawValue: "do_not_honour")])
    }

    @discardableResult
    mutating func begin(by attempt: Int, _ stage: Run.Stage) -> Run {
        identifiers += 1
        let run = Run(id: identifiers, attempt: attempt, stage: stage)
        runs.append(run)
        return run
    }

    mutating func charge(_ index: Int, at now: Instant) {
        runs[index].stage = .charged
        charges.append(runs[index])
        if EndedStatus(status) == nil { setStatus(.succeeded, at: now) }
    }

    /// The run comes to nothing, and the payment is pending again.
    mutating func refuse(_ index: Int, _ code: ErrorCode, isRecorded: Bool, at now: Instant) {
        runs[index].stage = .refused
        settle(at: now)
        if isRecorded { record(code, at: now) }
    }

    /// What the payment is once nothing is under way any more.
    mutating func settle(at now: Instant) {
        guard status == .processing, !isRunning else { return }
        setStatus(expiresAt > now || traits.expiresLazily ? .pending : .expired, at: now)
    }

    /// Lets everything happen that time alone brings.
    mutating func advance(to now: Instant, _ dice: inout Dice) {
        if let hidden, hidden.until <= now {
            refusal = hidden.refusal
            past.append((now, status, refusal))
            self.hidden = nil
        }
        for index in runs.indices {
            guard case .step(let step) = runs[index].stage, step.expiresAt <= now else { continue }
            refuse(index, .stepExpired, isRecorded: dice.chance(traits.recorded), at: now)
        }
        if status == .pending, expiresAt <= now, !traits.expiresLazily, !isRunning { setStatus(.expired, at: now) }
    }

    /// The customer or the merchant does something; returns the run that began, and whether the status changed.
    mutating func live(_ dice: inout Dice, at now: Instant) -> (run: Int?, changed: Bool) {
        let before = status
        advance(to: now, &dice)
        var begun: Int?
        if status == .pending, expiresAt > now, !isRunning {
            let hasPage = clientSessions.contains { $0.state == .open && $0.expiresAt > now }
            if traits.phone != .absent, !hasPage, dice.chance(50) {
                begun = begin(by: 0, .provider).id
                setStatus(.processing, at: now)
            } else if dice.chance(6) {
                clientSessions.indices.forEach { clientSessions[$0].close() }
                setStatus(.cancelled, at: now)
            }
        }
        return (begun, status != before)
    }

    /// The provider decides about a run, or says that it needs more time (false).
    mutating func decide(_ id: Int, _ dice: inout Dice, at now: Instant) -> Bool {
        guard let index = runs.firstIndex(where: { $0.id == id }), runs[index].isAlive else { return true }
        if case .step = runs[index].stage { return true }
        let isRecorded = dice.chance(traits.recorded)
        let isPhone = runs[index].attempt == 0
        switch dice.int(0...9) {
        case 0...3: charge(index, at: now)
        case 4...6 where isPhone && traits.phone != .isRefused:
            refuse(index, .paymentDeclined, isRecorded: false, at: now)
        case 4...6: decline(index, Self.declineCode(&dice), isRecorded, at: now)
        case 7 where !traits.isLenient: end(index, &dice, isRecorded: isRecorded, at: now)
        case 8: decline(index, .paymentDeclined, false, at: now)
        default: return false
        }
        return true
    }

    private mutating func decline(_ index: Int, _ code: ErrorCode, _ isRecorded: Bool, at now: Instant) {
        for session in clientSessions.indices where clientSessions[session].state == .paid(run: runs[index].id) {
            clientSessions[session].state = .declined(code)
        }
        refuse(index, code, isRecorded: isRecorded, at: now)
    }

    private mutating func end(_ index: Int, _ dice: inout Dice, isRecorded: Bool, at now: Instant) {
        runs[index].stage = .refused
        if isRecorded { record(Self.declineCode(&dice), since: now, at: now) }
        if EndedStatus(status) == nil, !isRunning, charges.isEmpty { setStatus(.failed, at: now) }
    }

    /// POST /pay/cancel: nil when it cancelled. A provider that is at work charges all the same.
    mutating func cancel(sentBefore isOlder: Bool, at now: Instant) -> APIRefusal? {
        let isOurs = runs.contains { $0.isAlive && $0.attempt > 0 }
        guard status == .pending || status == .processing && !traits.refusesCancelWhileProcessing, !(isOurs && isOlder)
        else { return APIRefusal(httpStatus: 409, code: .paymentError) }
        for index in runs.indices where runs[index].attempt == 0 && runs[index].isAlive { runs[index].stage = .refused }
        clientSessions.indices.forEach { clientSessions[$0].close() }
        setStatus(.cancelled, at: now)
        tokenEndsAt = min(tokenEndsAt, now + .seconds(60))
        return nil
    }

    // MARK: What is told

    func transaction(at now: Instant, _ dice: inout Dice) -> Transaction {
        transaction(status, at: now, &dice)
    }

    private func transaction(_ true: PaymentStatus, at now: Instant, _ dice: inout Dice) -> Transaction {
        let hidesWork = `true` == .processing && traits.readsPending && dice.chance(50)
        let status = hidesWork ? .pending : `true`
        let context = ProcessingContext(
            channelSlug: "cm.mobile", isMobileMoney: true, payerInstruction: "Approve on \(Self.secret)")
        return Transaction(
            id: "pay_1", reference: "order-7", amount: "15000", currency: "XAF", status: status, sandbox: true,
            isPastExpiry: expiresAt <= now && !runs.contains { $0.isAlive && $0.attempt == 0 },
            context: status == .processing && dice.chance(70) ? context : nil)
    }

    /// GET /pay/status, as it was `age` ago.
    func reading(age: Duration, at now: Instant, _ dice: inout Dice) -> StatusReading {
        let moment = now + (.zero - age)
        let state = past.last { $0.since <= moment } ?? (now, status, refusal)
        return StatusReading(transaction: transaction(state.status, at: now, &dice), lastFailure: state.refusal)
    }
}

/// One try to charge, as Wajub sees it.
struct Run: Hashable {
    enum Stage: Hashable {
        /// The provider, or the payer's phone, decides.
        case provider
        case step(OpenStep)
        case charged, refused
    }

    let id: Int
    /// The machine's attempt; 0: the customer's own phone.
    let attempt: Int
    var stage: Stage

    var isAlive: Bool {
        switch stage {
        case .provider, .step: true
        case .charged, .refused: false
        }
    }
}
