internal import JSON
internal import JSONRPC

/// One of the methods that can be offered now (`protocol.md`, `payment.methods`).
struct Offer: Hashable, Sendable {
    enum Family: String, Sendable {
        case mobileMoney = "mobile_money"
        case card, wallet
    }

    struct Operator: Hashable, Sendable {
        let id: String
        let name: String
    }

    /// What it wants to know before it can be paid with.
    enum Need: Hashable, Sendable {
        case phone
        /// The payer pays on a page of the provider's.
        case clientSession
        /// Stripe's own form makes it.
        case paymentMethod
        case fields([String])
        case nothing
    }

    /// `nil` for a family of a later version.
    let family: Family?
    let channel: String
    let name: String
    let countries: [String]
    /// The members of an aggregate; empty elsewhere.
    let operators: [Operator]
    let need: Need

    /// `nil` where it has no channel.
    init?(_ offer: JSONValue) {
        guard let channel = offer["channel"]?.string else { return nil }
        self.channel = channel
        family = offer["method"]?.string.flatMap(Family.init)
        name = Render.text(offer["name"]) ?? channel
        countries = offer["countries"]?.array?.compactMap(\.string) ?? []
        operators = (offer["operators"]?.array ?? []).compactMap { member in
            member["id"]?.string.map { Operator(id: $0, name: Render.text(member["name"]) ?? $0) }
        }
        need = Self.need(family, offer)
    }

    private static func need(_ family: Family?, _ offer: JSONValue) -> Need {
        switch family {
        case .mobileMoney: return .phone
        case .wallet, nil: return .nothing
        case .card:
            if offer["client_session"] == true { return .clientSession }
            if offer["sdk"] == "stripe_elements" { return .paymentMethod }
            if let fields = offer["required_fields"]?.array?.compactMap(\.string), !fields.isEmpty {
                return .fields(fields)
            }
            // The form of its own is the sandbox's: it takes the published test cards (seed 000, "Sandbox").
            return offer["sdk"] == "form" ? .fields(["number"]) : .nothing
        }
    }
}
