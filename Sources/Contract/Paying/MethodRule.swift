/// How a channel is paid through here; the first line that matches wins (seed 000, "Cards"; `wire.md`, GET /pay/sdk-config).
///
/// | the channel's entry in the SDK configuration           | how                                                        |
/// |--------------------------------------------------------|------------------------------------------------------------|
/// | Mobile Money, unless it says unavailable               | the phone number; needs no entry                           |
/// | none, or unavailable                                   | not at all                                                 |
/// | card, `sdk: stripe_elements`                           | the till's own `payment_method_id`                         |
/// | card, `client_session`                                 | `payment.start_client_session`                             |
/// | card, `sdk: hosted_redirect`                           | its required fields, then the provider's page              |
/// | card, `sdk: form`, in the sandbox                      | a test card                                                |
/// | wallet, `sdk: form`, no required fields                | one tap                                                    |
/// | any other                                              | not at all                                                 |
package enum MethodRule: Hashable, Sendable {
    case mobileMoney
    case stripe
    case clientSession
    case hostedRedirect(fields: [String])
    case testCard
    case oneTap
    /// With the reason, for the person who integrates.
    case unavailable(String)

    init(_ channel: Channel, configuration: SDKConfiguration?, environment: Environment) {
        let entry = configuration?[channel.slug]
        switch channel.family {
        case .mobileMoney:
            self = entry?.available == false ? .unavailable("the SDK configuration says so") : .mobileMoney
        case .card, .wallet:
            guard let entry else {
                self = .unavailable(
                    configuration == nil ? "the SDK configuration is not known" : "it has no SDK configuration")
                return
            }
            guard entry.available else {
                self = .unavailable("the SDK configuration says so")
                return
            }
            self = channel.family == .card ? Self.card(entry, environment) : Self.wallet(entry)
        case .unknown:
            self = .unavailable("its type is not part of this contract")
        }
    }

    private static func card(_ entry: ChannelConfiguration, _ environment: Environment) -> MethodRule {
        if entry.sdk == "stripe_elements" { return .stripe }
        if entry.clientSession { return .clientSession }
        if entry.sdk == "hosted_redirect" { return .hostedRedirect(fields: entry.requiredFields) }
        if entry.sdk == "form", environment == .sandbox { return .testCard }
        return entry.sdk == "form"
            ? .unavailable("card numbers are never sent to Wajub in live")
            : .unavailable("its form (\(entry.sdk ?? "none")) exists in the mobile SDKs alone")
    }

    private static func wallet(_ entry: ChannelConfiguration) -> MethodRule {
        entry.sdk == "form" && entry.requiredFields.isEmpty ? .oneTap : .unavailable("it cannot be paid with one tap")
    }

    /// The refusal of a request that does not fit the rule.
    func refusal(_ channel: String) -> PayRefusal {
        switch self {
        case .clientSession: .parameter("channel", reason: "it is paid by payment.start_client_session")
        case .unavailable(let reason): .parameter("channel", reason: "it cannot be paid here: \(reason)")
        case .mobileMoney, .stripe, .hostedRedirect, .testCard, .oneTap:
            .parameter("channel", reason: "it is not paid like this")
        }
    }
}

/// What a card's channel asks for, and the `data` that answers it.
struct CardForm {
    let rule: MethodRule
    let channel: String

    /// What a hosted page may ask for (`wire.md`, GET /pay/sdk-config).
    static let hostedFields = [
        "first_name", "last_name", "email", "phone", "address", "city", "country", "state", "zip_code",
    ]

    func data(of card: CardInput, in language: Language) throws(PayRefusal) -> [String: String] {
        switch rule {
        case .stripe:
            guard let id = card.paymentMethodID?.trimmed, !id.isEmpty else {
                throw missing("payment_method_id", language)
            }
            var data = ["payment_method_id": id]
            data["card_holder"] = card.cardHolder?.trimmed
            return data
        case .hostedRedirect(let required):
            return try hosted(card.fields, required: required, in: language)
        case .testCard:
            guard card.fields["number"] != nil || card.fields["card_number"] != nil else {
                throw missing("number", language)
            }
            return card.fields.mapValues(\.trimmed)
        case .mobileMoney, .clientSession, .oneTap, .unavailable:
            throw rule.refusal(channel)
        }
    }

    private func hosted(
        _ given: [String: String], required: [String], in language: Language
    ) throws(PayRefusal) -> [String: String] {
        if let stranger = given.keys.filter({ !Self.hostedFields.contains($0) && !required.contains($0) }).min() {
            throw .parameter(stranger, reason: "the provider's page takes no such field")
        }
        var data = given.mapValues(\.trimmed).filter { !$0.value.isEmpty }
        for field in required where data[field] == nil { throw missing(field, language) }
        if let country = data["country"] {
            guard country.utf8.count == 2, country.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                throw invalid("country", "two letters", language)
            }
            data["country"] = country.uppercased()
        }
        if let email = data["email"], !email.dropFirst().dropLast().contains("@") {
            throw invalid("email", "an email address", language)
        }
        return data
    }

    private func missing(_ field: String, _ language: Language) -> PayRefusal {
        invalid(field, "required", language)
    }

    private func invalid(_ field: String, _ expected: String, _ language: Language) -> PayRefusal {
        var error = WajubError(.validationError, in: language)
        error.param = field
        error.details = [field: "Expected: \(expected)."]
        return .wajub(error)
    }
}

/// Card numbers never reach Wajub in live, nor this machine's disk or log (seed 000, "Cards").
enum CardNumber {
    private static let names: Set = [
        "number", "card_number", "cardnumber", "pan", "cvc", "cvv", "cvv2", "csc", "security_code", "card_cvc",
        "card_cvv",
    ]

    /// Whether a member of a form is, or looks like, a card's number or its secret: twelve digits or more, however they are grouped. A
    /// telephone's number is one only where it is longer than any telephone's.
    static func isLikely(_ text: String, in name: String) -> Bool {
        if names.contains(name.lowercased()) { return true }
        let digits = text.unicodeScalars.filter { $0.properties.numericType == .decimal }
        let others = text.unicodeScalars.filter {
            $0.properties.numericType != .decimal && !" -._/\u{A0}\u{202F}".unicodeScalars.contains($0)
        }
        if name.lowercased().contains("phone") { return digits.count > 15 }
        return digits.count >= 12 && others.count <= 1
    }
}
