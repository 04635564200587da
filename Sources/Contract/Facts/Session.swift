/// A channel that the payment can be paid through (`wire.md`, GET /pay/session). Only families that this contract offers are kept.
package struct Channel: Hashable, Codable, Sendable {
    /// Wajub's name of it, `cm.mobile` for instance; what an attempt names.
    package var slug: String
    package var name: String
    package var family: MethodFamily
    /// ISO 3166 alpha-2, in capitals.
    package var countries: [String]
    /// The members of an aggregate, in Wajub's order; empty elsewhere.
    package var operators: [MobileOperator]

    package init(
        slug: String, name: String, family: MethodFamily, countries: [String] = [], operators: [MobileOperator] = []
    ) {
        self.slug = slug
        self.name = name
        self.family = family
        self.countries = countries
        self.operators = operators
    }

    /// The family of a channel type, in any case; nil for a type that is not offered (bank transfer, crypto, …).
    package static func family(ofType type: String) -> MethodFamily? {
        switch type.lowercased() {
        case "mobile_money", "mobile": .mobileMoney
        case "card": .card
        case "wallet": .wallet
        default: nil
        }
    }
}

/// One Mobile Money operator of an aggregate channel.
package struct MobileOperator: Hashable, Codable, Sendable {
    package var id: String
    package var name: String

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// The SDK configuration of one channel (`wire.md`, GET /pay/sdk-config).
package struct ChannelConfiguration: Hashable, Codable, Sendable {
    package var available: Bool
    package var sdk: String?
    package var provider: String?
    package var publishableKey: String?
    package var requiredFields: [String]
    package var clientSession: Bool

    package init(
        available: Bool, sdk: String? = nil, provider: String? = nil, publishableKey: String? = nil,
        requiredFields: [String] = [], clientSession: Bool = false
    ) {
        self.available = available
        self.sdk = sdk
        self.provider = provider
        self.publishableKey = publishableKey
        self.requiredFields = requiredFields
        self.clientSession = clientSession
    }
}

/// The SDK configuration: by channel slug.
package typealias SDKConfiguration = [String: ChannelConfiguration]

/// The realtime server and channel of a payment (`wire.md`, "Realtime").
package struct RealtimeChannel: Hashable, Codable, Sendable {
    /// Host name, without scheme.
    package var host: String
    package var port: Int
    package var tls: Bool
    /// The Pusher application's key.
    package var key: String
    /// The private channel's whole name.
    package var name: String

    package init(host: String, port: Int, tls: Bool, key: String, name: String) {
        self.host = host
        self.port = port
        self.tls = tls
        self.key = key
        self.name = name
    }

    /// Whether the server would take the name: at most 164 characters of `A-Za-z0-9_-=@,.;` (`pusher.md`, "Facts").
    package var isLegal: Bool {
        (1...164).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_-=@,.;".utf8.contains(byte)
                }
            }
    }
}

/// What GET /pay/session said.
package struct Session: Hashable, Codable, Sendable {
    package var transaction: Transaction
    /// What can be offered, unknown types left out.
    package var channels: [Channel]
    package var realtime: RealtimeChannel?
    package var language: Language?
    package var payerCountry: String?

    package init(
        transaction: Transaction, channels: [Channel] = [], realtime: RealtimeChannel? = nil, language: Language? = nil,
        payerCountry: String? = nil
    ) {
        self.transaction = transaction
        self.channels = channels
        self.realtime = realtime
        self.language = language
        self.payerCountry = payerCountry
    }
}
