/// A method that can be offered now (`protocol.md`, `payment.methods`).
package struct MethodOffer: Hashable, Codable, Sendable {
    package var method: MethodFamily
    package var channel: String
    package var name: String
    package var countries: [String]
    package var operators: [MobileOperator]?
    package var sdk: String?
    package var provider: String?
    package var publishableKey: String?
    package var requiredFields: [String]?
    package var clientSession: Bool?

    package enum CodingKeys: String, CodingKey {
        case method, channel, name, countries, operators, sdk, provider
        case publishableKey = "publishable_key"
        case requiredFields = "required_fields"
        case clientSession = "client_session"
    }

    /// What a payment's channels offer. Without a configuration Mobile Money still works; a card or a wallet needs its own entry
    /// (seed 000, "Loading").
    package static func offers(of channels: [Channel], configuration: SDKConfiguration?) -> [MethodOffer] {
        channels.compactMap { MethodOffer($0, configuration: configuration?[$0.slug]) }
    }

    private init?(_ channel: Channel, configuration entry: ChannelConfiguration?) {
        switch channel.family {
        case .mobileMoney:
            guard entry?.available != false else { return nil }
        case .card:
            // Adyen's form exists in the mobile SDKs alone (`wire.md`, GET /pay/sdk-config).
            guard let entry, entry.available, entry.sdk != "adyen_custom_card" else { return nil }
        case .wallet:
            // One tap: nothing to fill in (`wire.md`, GET /pay/sdk-config).
            guard let entry, entry.available, entry.sdk == "form", entry.requiredFields.isEmpty else { return nil }
        case .unknown:
            return nil
        }
        method = channel.family
        self.channel = channel.slug
        name = channel.name
        countries = channel.countries
        operators = channel.operators.isEmpty ? nil : channel.operators
        sdk = entry?.sdk
        provider = entry?.provider
        publishableKey = entry?.publishableKey
        requiredFields = entry.flatMap { $0.requiredFields.isEmpty ? nil : $0.requiredFields }
        clientSession = entry.flatMap { $0.clientSession ? true : nil }
    }
}
