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

    /// What a payment's channels offer, by ``MethodRule``.
    static func offers(
        of channels: [Channel], configuration: SDKConfiguration?, environment: Environment
    ) -> [MethodOffer] {
        channels.compactMap { channel in
            switch MethodRule(channel, configuration: configuration, environment: environment) {
            case .unavailable: nil
            case .mobileMoney, .stripe, .clientSession, .hostedRedirect, .testCard, .oneTap:
                MethodOffer(channel, configuration: configuration?[channel.slug])
            }
        }
    }

    private init(_ channel: Channel, configuration entry: ChannelConfiguration?) {
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

/// A channel that cannot be paid here, with the reason.
package struct UnavailableMethod: Hashable, Codable, Sendable {
    package var channel: String
    package var reason: String
}
