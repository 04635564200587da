internal import JSON

/// A way to pay that the sandbox offers: its entry in the session and in the SDK configuration.
struct Channel: Hashable, Sendable {
    struct Operator: Hashable, Sendable {
        let id: String
        let name: String
        /// The national digits its sandbox numbers begin with.
        let prefix: String
    }

    enum Kind: Hashable, Sendable {
        /// - parameter country: two capitals. `page` is a provider's page to approve on, as Wave's.
        case mobileMoney(country: String, operators: [Operator], page: Bool)
        case card(sdk: String)
        case wallet
        /// A type no SDK offers.
        case bank
    }

    let slug: String
    let name: String
    let nameInFrench: String
    /// As the session words it; the API is not consistent in it (wire.md, "GET /pay/session").
    let type: String
    let countries: [String]
    let kind: Kind

    /// `sdk` values of the card channel; `client_session` stands for a provider's own widget.
    static let cardSDKs = ["form", "stripe_elements", "hosted_redirect", "adyen_custom_card", "client_session"]

    /// Everything the sandbox can offer, Cameroon and Côte d'Ivoire.
    static func catalogue(cardSDK: String) -> [Channel] {
        [
            mobile("cm.mobile", "Mobile Money", "CM", [mtnCameroon, orangeCameroon]),
            mobile("ci.mtn", "MTN MoMo", "CI", [Operator(id: "mtn", name: "MTN MoMo", prefix: "050")]),
            mobile("ci.orange", "Orange Money", "CI", [Operator(id: "orange", name: "Orange Money", prefix: "070")]),
            Channel(
                slug: "ci.wave", name: "Wave", nameInFrench: "Wave", type: "mobile", countries: ["CI"],
                kind: .mobileMoney(
                    country: "CI", operators: [Operator(id: "wave", name: "Wave", prefix: "010")], page: true)),
            Channel(
                slug: "card", name: "Card", nameInFrench: "Carte bancaire", type: "card", countries: [],
                kind: .card(sdk: cardSDK)),
            Channel(
                slug: "ci.djamo", name: "Djamo", nameInFrench: "Djamo", type: "wallet", countries: ["CI"], kind: .wallet
            ),
            Channel(
                slug: "cm.bank", name: "Bank transfer", nameInFrench: "Virement bancaire", type: "bank_transfer",
                countries: ["CM"], kind: .bank),
        ]
    }

    private static let mtnCameroon = Operator(id: "mtn", name: "MTN Mobile Money", prefix: "67")
    private static let orangeCameroon = Operator(id: "orange", name: "Orange Money", prefix: "69")

    private static func mobile(_ slug: String, _ name: String, _ country: String, _ operators: [Operator]) -> Channel {
        Channel(
            slug: slug, name: name, nameInFrench: name, type: "mobile_money", countries: [country],
            kind: .mobileMoney(country: country, operators: operators, page: false))
    }

    /// The session's `channels` entry.
    func json(currency: String, origin: String) -> JSONValue {
        .fields([
            "id": "ch_\(slug.replacing(".", with: "_"))", "slug": .string(slug), "name": .string(name),
            "name_fr": .string(nameInFrench), "type": .string(type), "logo": "\(origin)/logos/\(slug).svg",
            "countries": .array(countries.map(JSONValue.string)), "min_amount": 100, "max_amount": 1_000_000,
            "currency": .string(currency), "operators": operatorsJSON(origin: origin),
        ])
    }

    /// The SDK configuration's entry.
    var sdkConfig: JSONValue {
        switch kind {
        case .mobileMoney, .wallet, .bank:
            ["available": true, "provider": "sandbox", "sdk": "form", "required_fields": []]
        case .card("stripe_elements"):
            [
                "available": true, "provider": "stripe", "sdk": "stripe_elements", "required_fields": [],
                "publishable_key": "pk_test_sandbox",
            ]
        case .card("hosted_redirect"):
            [
                "available": true, "provider": "cinetpay", "sdk": "hosted_redirect",
                "required_fields": ["first_name", "last_name", "email", "country"],
            ]
        case .card("client_session"):
            [
                "available": true, "provider": "paystack", "sdk": "form", "required_fields": [],
                "client_session": true,
            ]
        case .card(let sdk):
            ["available": true, "provider": "sandbox", "sdk": .string(sdk), "required_fields": []]
        }
    }

    /// Only an aggregate lists its operators.
    private func operatorsJSON(origin: String) -> JSONValue? {
        guard case .mobileMoney(_, let operators, _) = kind, operators.count > 1 else { return nil }
        return .array(
            operators.map { ["id": .string($0.id), "name": .string($0.name), "logo": "\(origin)/logos/\($0.id).svg"] })
    }
}
