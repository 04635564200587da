internal import Arguments
internal import JSON
internal import JSONRPC

/// Finds out what `pay` is to ask the daemon for: from its options and, on a terminal, from the person.
struct Paying: Sendable {
    /// A call of the daemon.
    struct Call: Sendable {
        let method: String
        let params: [String: JSONValue]
    }

    /// What a person chooses from.
    enum Choice: Sendable {
        /// One form for every operator (seed 000, "Mobile Money").
        case mobileMoney([Offer])
        case other(Offer)
    }

    let session: Session
    let selector: JSONValue
    let options: PayOptions

    init(_ session: Session) throws {
        self.session = session
        options = try PayOptions(session.options)
        selector = try session.selector()
    }

    /// - throws: `ArgumentError` that names what is missing, where nobody can be asked.
    func call() async throws -> Call {
        if let told = try await told() { return told }
        switch try await choice(from: try await offers()) {
        case .mobileMoney(let offers): return pay("mobile_money", try await mobileMoney(offers))
        case .other(let offer) where options.way == .clientSession: return try await clientSession(offer.channel)
        case .other(let offer) where offer.family == .wallet:
            return pay("wallet", ["channel": .string(offer.channel)])
        case .other(let offer): return try await card(offer)
        }
    }

    /// Where the options say everything.
    private func told() async throws -> Call? {
        let given = session.options
        switch options.way {
        case .wallet:
            return try given.string("wallet").map { pay("wallet", ["channel": .string($0)]) }
        case .clientSession:
            guard let channel = options.channel else { return nil }
            return try await clientSession(channel)
        case .mobileMoney:
            guard given.has("phone"), given.has("operator") else { return nil }
            let phone = try await session.personal(option: "phone", PayerField.question("phone"))
            return pay("mobile_money", try numberParams(phone))
        case .card:
            guard given.has("payment-method-id") else { return nil }
            return pay("card", try await cardParams(options.channel))
        case nil:
            return nil
        }
    }

    func pay(_ way: String, _ params: [String: JSONValue]) -> Call {
        Call(method: "payment.pay", params: [way: .object(params)])
    }

    private func offers() async throws -> [Offer] {
        let answer = try await session.callOnceLoaded("payment.methods", ["payment": selector])
        return try (Session.member("methods", of: answer).array ?? []).compactMap(Offer.init)
    }

    private func choice(from offers: [Offer]) async throws -> Choice {
        let known = offers.filter { $0.family != nil }
        if let channel = options.channel, !known.contains(where: { $0.channel == channel }) {
            let channels = known.map(\.channel).joined(separator: ", ")
            throw session.options.error("channel", "is none that the payment offers: \(channels)")
        }
        let fitting = known.filter(fits)
        let mobile = fitting.filter { $0.family == .mobileMoney }
        let choices =
            (mobile.isEmpty ? [] : [Choice.mobileMoney(mobile)])
            + fitting.filter { $0.family != .mobileMoney }.map(Choice.other)
        guard let first = choices.first else {
            let way = options.way == nil && options.channel == nil ? "nothing" : "no such method"
            throw ControlFailure(status: .refused, message: "the payment offers \(way) now; see: wajubctl methods")
        }
        guard choices.count > 1 else { return first }
        guard session.canAsk else { throw missing(choices) }
        return choices[try await session.choose("How to pay", choices.map(\.label), or: choices.map(\.names))]
    }

    private func fits(_ offer: Offer) -> Bool {
        if let channel = options.channel, offer.channel != channel { return false }
        switch options.way {
        case .mobileMoney: return offer.family == .mobileMoney
        case .card: return offer.family == .card
        case .clientSession: return offer.need == .clientSession
        case .wallet: return offer.family == .wallet
        case nil: return true
        }
    }

    private func missing(_ choices: [Choice]) -> ArgumentError {
        let ways = choices.map(\.option)
        return ArgumentError("one of \(ways.joined(separator: ", ")): is missing; see wajubctl methods")
    }
}

extension Paying.Choice {
    fileprivate var label: String {
        switch self {
        case .mobileMoney(let offers): "Mobile Money: " + offers.map(\.name).joined(separator: ", ")
        case .other(let offer): offer.name
        }
    }

    /// What else it answers to.
    fileprivate var names: [String] {
        switch self {
        case .mobileMoney(let offers): offers.map(\.channel)
        case .other(let offer): [offer.channel]
        }
    }

    fileprivate var option: String {
        switch self {
        case .mobileMoney: "--phone"
        case .other(let offer): offer.family == .wallet ? "--wallet \(offer.channel)" : "--channel \(offer.channel)"
        }
    }
}
