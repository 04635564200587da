@testable import Contract

/// A machine under test, with the clock that its test moves and shorthand for what happens to it.
struct Sheet {
    var machine: PaymentMachine
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var actions: [PaymentAction] = []

    init(_ options: PaymentOptions = PaymentOptions(language: .en)) {
        machine = PaymentMachine(options: options)
        send(.handedOff)
    }

    /// A payment whose session and configuration have answered.
    init(
        _ options: PaymentOptions = PaymentOptions(language: .en), loaded status: PaymentStatus,
        context: ProcessingContext? = nil, realtime: RealtimeChannel? = Sheet.channel
    ) {
        self.init(options)
        send(.configurationAnswered([:]))
        send(.sessionAnswered(Sheet.session(status, context: context, realtime: realtime)))
    }

    static let channel = RealtimeChannel(host: "ws", port: 443, tls: true, key: "k", name: "private-payment.ref")

    static func transaction(_ status: PaymentStatus, context: ProcessingContext? = nil) -> Transaction {
        Transaction(
            id: "txn", reference: "ref", amount: "15000", currency: "XAF", status: status, sandbox: true,
            context: context)
    }

    static func session(
        _ status: PaymentStatus, channels: [Channel]? = nil, context: ProcessingContext? = nil,
        realtime: RealtimeChannel? = Sheet.channel, isPastExpiry: Bool = false
    ) -> Session {
        var transaction = transaction(status, context: context)
        transaction.isPastExpiry = isPastExpiry
        return Session(
            transaction: transaction,
            channels: channels ?? [Channel(slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney)],
            realtime: realtime)
    }

    static let silence = CallFailure.unanswered(Unanswered(.timeout, reason: "silence"))
    static func refusal(_ status: Int, retryAfter: Duration? = nil) -> CallFailure {
        .refused(APIRefusal(httpStatus: status, code: ErrorCode(httpStatus: status), retryAfter: retryAfter))
    }

    mutating func send(_ event: PaymentEvent) {
        actions = machine.handle(event, at: now)
    }

    mutating func wait(_ duration: Duration) { now = now + duration }

    /// Moves the clock to the machine's next wake and fires it.
    mutating func wake() {
        now = max(machine.nextWake ?? now, now)
        send(.timerFired)
    }

    mutating func read(_ status: PaymentStatus, refusal: Refusal? = nil, context: ProcessingContext? = nil) {
        send(
            .readAnswered(StatusReading(transaction: Sheet.transaction(status, context: context), lastFailure: refusal))
        )
    }

    /// Fires the machine's timers until it sends a status read.
    mutating func untilRead() {
        for _ in 0..<100 where !calls.contains(.status) || actions.isEmpty {
            if calls.contains(.status) { return }
            wake()
        }
    }

    var news: [PaymentNews] { actions.compactMap { if case .emit(let news) = $0 { news } else { nil } } }
    var kinds: [EventKind] { news.map(\.kind) }
    var calls: [WajubCall] { actions.compactMap { if case .send(let call) = $0 { call } else { nil } } }
    var nextRead: Duration? { machine.nextRead.map { $0 - now } }
}
