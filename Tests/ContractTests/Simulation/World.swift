import FoundationEssentials
import Testing

@testable import Contract

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// One payment's life: a model of Wajub, of the network, of the till, and of a daemon whose process dies at any moment, around the real
/// machine. The same seed gives the same life.
struct World {
    /// What this life has to suffer; each seed draws its own.
    struct Weather {
        var losesRequests: Bool, losesAnswers: Bool, failsServer: Bool, refusesToken: Bool, limitsRate: Bool
        var crashes: Bool, reboots: Bool, liesInSignals: Bool, dropsSignals: Bool, customerIsBusy: Bool
    }

    struct Call {
        let id: Int
        let call: WajubCall
        let sentAt: Instant
        /// What Wajub said when the request reached it; nil: not yet.
        var answer: PaymentEvent?
        var isAnswered = false
    }

    var random: SeededGenerator
    let weather: Weather
    let mutation: Mutation?

    // Wajub's truth.
    var status = PaymentStatus.pending
    var refusals = 0
    var tokenIsGone = false
    var wasEverRefusedToken = false

    // The daemon.
    var machine: PaymentMachine
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var disk: (machine: Data, checkpoint: Instant)?
    var hasToken = true
    var diskHasToken = true
    var calls: [Call] = []
    var nextCall = 0
    var isInChannel = false
    var retryAfterUntil: Instant?
    var steps = 0

    // What the till was told.
    var told: [PaymentNews] = []
    var checker = Checker()

    init(seed: UInt64, mutation: Mutation?) {
        random = SeededGenerator(state: seed)
        func coin(_ generator: inout SeededGenerator) -> Bool { Bool.random(using: &generator) }
        weather = Weather(
            losesRequests: coin(&random), losesAnswers: coin(&random), failsServer: coin(&random),
            refusesToken: coin(&random),
            limitsRate: coin(&random), crashes: coin(&random), reboots: coin(&random), liesInSignals: coin(&random),
            dropsSignals: coin(&random), customerIsBusy: coin(&random))
        self.mutation = mutation
        machine = PaymentMachine(options: World.options(&random))
    }

    static func options(_ random: inout SeededGenerator) -> PaymentOptions {
        PaymentOptions(
            language: Bool.random(using: &random) ? .fr : nil, realtime: Bool.random(using: &random) ? .session : .off,
            cancelOnDismiss: Bool.random(using: &random), followUp: Bool.random(using: &random) ? .seconds(7200) : .zero
        )
    }

    /// Lives until the payment rests, or 120 things have happened.
    mutating func live() throws {
        try handle(.handedOff)
        for _ in 0..<120 {
            steps += 1
            try step()
            if machine.result != nil, !machine.isLive, calls.isEmpty, !chance(10) { break }
        }
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func step() throws {
        if weather.customerIsBusy || chance(30) { moveTruth() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: try answerSomeCall()
        case 40..<70: try fireTimer()
        case 70..<78: try signal()
        case 78..<84: try changeRealtime()
        case 84..<88: try command()
        case 88..<92 where weather.crashes: try crash()
        default: now = now + .milliseconds(Int.random(in: 1...4000, using: &random))
        }
    }

    // MARK: Wajub and its customer

    private mutating func moveTruth() {
        guard EndedStatus(status) == nil, status != .succeeded, chance(20) else { return }
        switch (status, Int.random(in: 0..<10, using: &random)) {
        case (.pending, 0...4): status = .processing
        case (.pending, 5): status = .succeeded
        case (.pending, 6): status = .expired
        case (.processing, 0...3): status = .succeeded
        case (.processing, 4...6):
            status = .pending
            refusals += 1
        case (.processing, 7): status = .failed
        default: break
        }
    }

    private func transaction() -> Transaction {
        Transaction(
            id: "txn", reference: "ref", amount: "15000", currency: "XAF", status: status, sandbox: true,
            context: status == .processing ? ProcessingContext(channelSlug: "m", isMobileMoney: true) : nil)
    }

    /// What Wajub answers to a request that reaches it now.
    private mutating func served(_ call: WajubCall) -> PaymentEvent {
        if weather.refusesToken, !tokenIsGone, chance(3) { tokenIsGone = true }
        if tokenIsGone {
            wasEverRefusedToken = true
            return .missed(call, .refused(APIRefusal(httpStatus: chance(50) ? 401 : 404, code: .sessionNotFound)))
        }
        if weather.limitsRate, chance(10) {
            return .missed(
                call,
                .unanswered(
                    Unanswered(.rateLimited, reason: "", retryAfter: .seconds(Int.random(in: 1...100, using: &random))))
            )
        }
        if weather.failsServer, chance(15) {
            return .missed(call, .unanswered(Unanswered(chance(50) ? .server : .notJSON, reason: "", httpStatus: 502)))
        }
        switch call {
        case .session:
            return .sessionAnswered(
                Session(
                    transaction: transaction(), channels: [Channel(slug: "m", name: "M", family: .mobileMoney)],
                    realtime: RealtimeChannel(host: "h", port: 1, tls: false, key: "k", name: "private-payment.ref")))
        case .configuration: return .configurationAnswered([:])
        case .status:
            let refusal = refusals > 0 ? Refusal(code: .paymentDeclined, at: "\(refusals)") : nil
            return .readAnswered(StatusReading(transaction: transaction(), lastFailure: refusal))
        case .cancel:
            guard status == .pending else {
                return .cancelMissed(.refused(APIRefusal(httpStatus: 409, code: .paymentError)))
            }
            status = .cancelled
            return .cancelAnswered
        }
    }

    // MARK: The network

    private mutating func answerSomeCall() throws {
        guard let index = calls.indices.randomElement(using: &random) else { return }
        let call = calls[index]
        if call.answer == nil {
            // The request arrives, or is lost; its answer may stay under way for a while.
            let isLost = weather.losesRequests && chance(15)
            calls[index].answer = isLost ? .missed(call.call, Self.silence) : served(call.call)
            if chance(30) { return }
        }
        guard var answer = calls[index].answer else { return }
        if weather.losesAnswers, chance(10) { answer = .missed(call.call, Self.silence) }
        calls.remove(at: index)
        now = max(now, min(call.sentAt + .seconds(30), now + .milliseconds(Int.random(in: 1...2000, using: &random))))
        if case .readMissed(let failure) = answer { retryAfterUntil = failure.retryAfter.map { now + $0 } }
        if case .readAnswered = answer { retryAfterUntil = nil }
        try handle(answer)
    }

    static let silence = CallFailure.unanswered(Unanswered(.timeout, reason: ""))

    private mutating func signal() throws {
        guard isInChannel, machine.realtime == .connected, !(weather.dropsSignals && chance(50)) else { return }
        let words: [PaymentStatus] = [.pending, .processing, .succeeded, .failed, .cancelled, .expired]
        let word = weather.liesInSignals && chance(30) ? words.randomElement(using: &random) ?? .pending : status
        try handle(.signalled(word))
        if chance(20) { try handle(.signalled(word)) }
    }

    private mutating func changeRealtime() throws {
        guard isInChannel else { return }
        try handle(.realtimeChanged(machine.realtime == .connected ? .connecting : .connected))
    }

    // MARK: The till, the clock and the power

    private mutating func fireTimer() throws {
        guard let wake = machine.nextWake else { return }
        // Late answers exist, but a call ends within 30 s: the clock does not run past that.
        if let oldest = calls.map(\.sentAt).min(), wake > oldest + .seconds(30) { return }
        now = max(now, wake)
        try handle(.timerFired)
    }

    private mutating func command() throws {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: if machine.refusalToClose() == nil { try handle(.closeRequested(chance(50) ? .dismissed : .hostGone)) }
        case 1: if machine.refusalToCancel() == nil { try handle(.cancelRequested) }
        case 2: try handle(.refreshRequested)
        default:
            guard machine.canBePresentedAgain else { return }
            hasToken = true
            try handle(.presentedAgain(World.options(&random)))
        }
    }

    /// kill -9, and a start from what is on the disk; maybe with another boot between.
    mutating func crash() throws {
        guard let disk else { return }
        calls = []
        isInChannel = false
        hasToken = diskHasToken
        machine = try JSONDecoder().decode(PaymentMachine.self, from: disk.machine)
        if weather.reboots, chance(50) {
            now = Instant(nanoseconds: Int64.random(in: 1_000_000_000...60_000_000_000, using: &random))
            machine.rebase(from: disk.checkpoint, to: now)
            retryAfterUntil = nil
        }
        checker.restarted(machine, at: now)
        try handle(.recovered)
    }

    // MARK: The driver

    mutating func handle(_ event: PaymentEvent) throws {
        let before = machine
        let seen = mutation?.event(event, machine) ?? event
        let actions = mutation?.actions(machine.handle(seen, at: now)) ?? machine.handle(seen, at: now)
        if case .timerFired = event { try checker.progressed(from: before, to: machine, actions, at: now) }
        // Killed before the write: nothing of this ever happened, but for what Wajub did.
        if weather.crashes, disk != nil, chance(2) { return try crash() }
        if actions.contains(.eraseToken) { hasToken = false }
        let news = actions.compactMap { if case .emit(let news) = $0 { news } else { nil } }
        if actions.contains(.persist) {
            if weather.crashes { disk = (try JSONEncoder().encode(machine), now) }
            diskHasToken = hasToken
            told += news
        } else if !news.isEmpty {
            throw Violation("an event that is not durable: \(news)")
        }
        try checker.heard(news, of: self)
        // Killed after the write: what was to be sent is not.
        if weather.crashes, chance(2) { return try crash() }
        var reason = ""
        for action in actions {
            switch action {
            case .note(let note):
                reason = note.detail["because"] ?? reason
            case .send(let call):
                guard hasToken else { throw Violation("a call without a token: \(call)") }
                try checker.sends(call, because: reason, of: self)
                calls.append(Call(id: nextCall, call: call, sentAt: now))
                nextCall += 1
            case .connect: isInChannel = true
            case .disconnect: isInChannel = false
            case .persist, .emit, .eraseToken: break
            }
        }
        try checker.check(self)
    }
}

/// A promise that was broken.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
