internal import Contract
internal import FoundationEssentials
internal import Platform

extension Wire {
    /// GET /pay/session.
    struct Session: Decodable {
        private let transaction: Transaction
        private let channels: [Channel]
        private let locale: String?
        private let country: String?
        private let echo: Echo?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: SessionKey.self)
            transaction = try container.decode(Transaction.self, forKey: .transaction)
            channels = container.lenientList(Channel.self, .channels)
            locale = container.text(.locale)
            country = container.lenient(Customer.self, .customer)?.country
            echo = container.lenient(Echo.self, .echo)
        }

        func session(answeredAt date: Double?) -> Contract.Session {
            Contract.Session(
                transaction: transaction.transaction(answeredAt: date), channels: channels.map(\.channel),
                realtime: echo?.channel(reference: transaction.channelReference),
                language: locale.flatMap(Language.init(locale:)), payerCountry: country)
        }
    }

    private struct Customer: Decodable {
        let country: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CustomerKey.self)
            country = container.text(.country).flatMap(Wire.country)
        }
    }

    /// A channel of a type that this contract offers.
    private struct Channel: Decodable {
        let channel: Contract.Channel

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ChannelKey.self)
            guard let slug = container.text(.slug), let type = container.text(.type),
                let family = Contract.Channel.family(ofType: type)
            else { throw NotOurs() }
            channel = Contract.Channel(
                slug: slug, name: container.text(.name) ?? slug, family: family,
                countries: container.lenientList(String.self, .countries).compactMap(Wire.country),
                operators: container.lenientList(Operator.self, .operators).map(\.member))
        }
    }

    private struct Operator: Decodable {
        let member: MobileOperator

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: OperatorKey.self)
            guard let id = container.text(.id) else { throw NotOurs() }
            member = MobileOperator(id: id, name: container.text(.name) ?? id)
        }
    }

    /// The realtime server, complete or not at all.
    private struct Echo: Decodable {
        let host: String
        let port: Int
        let tls: Bool
        let key: String
        let channelPrefix: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: EchoKey.self)
            guard let key = container.text(.key), let address = container.text(.host),
                let port = container.lenient(Int.self, .port) ?? container.text(.port).flatMap({ Int($0) }),
                let prefix = container.text(.channelPrefix), (1...65535).contains(port)
            else { throw NotOurs() }
            let scheme = ["wss://", "ws://"].first { address.lowercased().hasPrefix($0) } ?? ""
            var host = address.dropFirst(scheme.count)
            if host.hasSuffix("/") { host = host.dropLast() }
            guard let authority = Authority(host), authority.port == nil else { throw NotOurs() }
            self.host = authority.host
            self.port = port
            self.key = key
            tls = scheme == "wss://" || port == 443
            channelPrefix = prefix
        }

        func channel(reference: String) -> RealtimeChannel {
            RealtimeChannel(host: host, port: port, tls: tls, key: key, name: channelPrefix + reference)
        }
    }

    /// GET /pay/sdk-config.
    struct Configuration: Decodable {
        let configuration: SDKConfiguration

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ConfigurationKey.self)
            guard let entries = container.lenientObject(ChannelEntry.self, .channels) else { throw NotOurs() }
            configuration = entries.mapValues(\.entry)
        }
    }

    /// An entry that does not say whether it is available is none: Mobile Money needs none, the others do (seed 000,
    /// "Loading").
    private struct ChannelEntry: Decodable {
        let entry: ChannelConfiguration

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ChannelConfigurationKey.self)
            guard let available = container.lenient(Bool.self, .available) else { throw NotOurs() }
            entry = ChannelConfiguration(
                available: available, sdk: container.text(.sdk), provider: container.text(.provider),
                publishableKey: container.text(.publishableKey),
                requiredFields: container.lenientList(String.self, .requiredFields),
                clientSession: container.lenient(Bool.self, .clientSession) ?? false)
        }
    }

    /// Two letters, in capitals.
    private static func country(_ text: String) -> String? {
        text.utf8.count == 2 && text.allSatisfy { $0.isASCII && $0.isLetter } ? text.uppercased() : nil
    }
}
