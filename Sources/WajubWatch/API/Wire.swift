internal import Contract
internal import FoundationEssentials

// Every name that Wajub's session API speaks (`wire.md`). The names that nobody published are marked [assumed], and listed in the
// README: they are corrected here and nowhere else. All is decoded leniently: a field that is missing or of a wrong type is absent, and
// never spoils its neighbours.

/// A JSON object of Wajub's.
struct WireObject: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let container: KeyedDecodingContainer<Name>

    init(from decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: Name.self)
    }

    private func value<Value: Decodable>(_ name: String, _ type: Value.Type) -> Value? {
        // Lenient by intent: a wrong type is an absent field.
        try? container.decodeIfPresent(type, forKey: Name(stringValue: name))
    }

    var names: [String] { container.allKeys.map(\.stringValue) }

    func text(_ name: String) -> String? {
        value(name, String.self).flatMap { $0.isEmpty ? nil : $0 }
    }

    func flag(_ name: String) -> Bool? { value(name, Bool.self) }
    func number(_ name: String) -> Int? { value(name, Int.self) }
    func object(_ name: String) -> WireObject? { value(name, WireObject.self) }
    func objects(_ name: String) -> [WireObject] { value(name, [Lenient<WireObject>].self)?.compactMap(\.value) ?? [] }
    func texts(_ name: String) -> [String] { value(name, [Lenient<String>].self)?.compactMap(\.value) ?? [] }

    /// An id or a reference: a string, or a number written as one.
    func identifier(_ name: String) -> String? { text(name) ?? value(name, Int64.self).map { String($0) } }

    /// An amount in major units, exactly as a decimal string; never through a double.
    func amount(_ name: String) -> String? {
        if let number = value(name, Decimal.self), number >= 0 { return number.description }
        guard let text = text(name), let number = Decimal(string: text), number >= 0 else { return nil }
        return number.description
    }

    /// A page that may be passed on: `https`, or `http` on this machine (the sandbox's).
    func page(_ name: String) -> String? {
        guard let text = text(name), let url = URL(string: text), let host = url.host, !host.isEmpty else { return nil }
        switch url.scheme?.lowercased() {
        case "https": return text
        case "http": return ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host) ? text : nil
        default: return nil
        }
    }
}

/// An element that may be of a wrong type.
private struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        // Lenient by intent: one bad element is left out.
        value = try? decoder.singleValueContainer().decode(Value.self)
    }
}

// MARK: What the answers say

extension Transaction {
    /// `transaction`, in the session and in a status read. `updated_at` and `receipt_url` are [assumed] there, `expires_at` as well.
    init?(_ object: WireObject, servedAt: Date?) {
        guard let word = object.text("status"),
            let id = object.identifier("id") ?? object.identifier("reference"),
            let reference = object.identifier("reference") ?? object.identifier("id")
        else { return nil }
        let expiry = object.text("expires_at").flatMap(WireTime.date)
        self.init(
            id: id, reference: reference, amount: object.amount("amount_total") ?? object.amount("amount"),
            currency: object.text("currency"), status: PaymentStatus(wire: word), sandbox: object.flag("sandbox"),
            isPastExpiry: expiry.flatMap { expiry in servedAt.map { expiry <= $0 } } ?? false,
            receiptURL: object.page("receipt_url"), updatedAt: object.text("updated_at"),
            context: object.object("processing_context").map(ProcessingContext.init(_:)))
    }
}

extension ProcessingContext {
    init(_ object: WireObject) {
        self.init(
            channelSlug: object.text("channel_slug"), isMobileMoney: object.flag("is_mobile_money") ?? false,
            payerInstruction: object.text("payer_instruction"), actionURL: object.page("action_url"))
    }
}

extension Session {
    /// GET /pay/session. `customer.country` is [assumed].
    init?(_ object: WireObject, servedAt: Date?) {
        guard let transaction = object.object("transaction").flatMap({ Transaction($0, servedAt: servedAt) }) else { return nil }
        self.init(
            transaction: transaction, channels: object.objects("channels").compactMap(Channel.init(_:)),
            realtime: object.object("echo").flatMap { RealtimeChannel($0, reference: transaction.reference) },
            language: object.text("locale").flatMap(Language.init(locale:)),
            payerCountry: object.object("customer")?.text("country")?.uppercased())
    }
}

extension Channel {
    /// nil for a type that is not offered. The fields of `operators` are [assumed].
    init?(_ object: WireObject) {
        guard let slug = object.text("slug"), let family = object.text("type").flatMap(Channel.family(ofType:)) else { return nil }
        self.init(
            slug: slug, name: object.text("name") ?? slug, family: family,
            countries: object.texts("countries").map { $0.uppercased() },
            operators: object.objects("operators").compactMap { member in
                member.text("id").map { MobileOperator(id: $0, name: member.text("name") ?? $0) }
            })
    }
}

extension RealtimeChannel {
    /// `echo`: the host may carry a scheme; TLS when it said `wss://`, or on port 443.
    init?(_ object: WireObject, reference: String) {
        guard let key = object.text("key"), let address = object.text("ws_host"), let prefix = object.text("channel_prefix"),
            let port = object.number("ws_port"), (1...65_535).contains(port)
        else { return nil }
        let isSecure = address.hasPrefix("wss://")
        let host = isSecure ? address.dropFirst(6) : address.hasPrefix("ws://") ? address.dropFirst(5) : address[...]
        let bare = host.last == "/" ? host.dropLast() : host
        guard !bare.isEmpty, !bare.contains(where: { "/?#@ ".contains($0) }) else { return nil }
        self.init(host: String(bare), port: port, tls: isSecure || port == 443, key: key, name: prefix + reference)
    }
}

enum WireConfiguration {
    /// GET /pay/sdk-config; nil where the answer has no channels.
    static func channels(_ object: WireObject) -> SDKConfiguration? {
        guard let channels = object.object("channels") else { return nil }
        var configuration: SDKConfiguration = [:]
        for slug in channels.names {
            guard let entry = channels.object(slug) else { continue }
            configuration[slug] = ChannelConfiguration(
                available: entry.flag("available") ?? false, sdk: entry.text("sdk"), provider: entry.text("provider"),
                publishableKey: entry.text("publishable_key"), requiredFields: entry.texts("required_fields"),
                clientSession: entry.flag("client_session") ?? false)
        }
        return configuration
    }
}

extension StatusReading {
    /// GET /pay/status, flat as well. The whole shape is [assumed].
    init?(_ object: WireObject, servedAt: Date?) {
        guard let transaction = Transaction(object.object("transaction") ?? object, servedAt: servedAt) else { return nil }
        self.init(transaction: transaction, lastFailure: object.object("last_failure").flatMap(Refusal.init(_:)))
    }
}

extension Refusal {
    init?(_ object: WireObject) {
        guard let code = object.text("code"), let at = object.identifier("at") else { return nil }
        self.init(code: ErrorCode(rawValue: code), message: object.text("message"), at: at)
    }
}

extension APIRefusal {
    /// The body of an error: `message`, `error_code`, `errors`; `block_reference` is [assumed].
    init(_ object: WireObject, httpStatus: Int, correlationID: String?, retryAfter: Duration?) {
        var details: [String: String] = [:]
        if let errors = object.object("errors") {
            for field in errors.names { details[field] = errors.text(field) ?? errors.texts(field).first }
        }
        self.init(
            httpStatus: httpStatus,
            code: object.text("error_code").map(ErrorCode.init(rawValue:)) ?? ErrorCode(httpStatus: httpStatus),
            apiMessage: object.text("message"), details: details, blockReference: object.text("block_reference"),
            correlationID: correlationID, retryAfter: retryAfter)
    }
}

/// What a private channel's subscription is signed with (POST /pay/broadcasting/auth).
package struct ChannelAuthorization: Hashable, Sendable {
    /// `key:signature`.
    package var auth: String
    package var channelData: String?

    package init(auth: String, channelData: String? = nil) {
        self.auth = auth
        self.channelData = channelData
    }

    init?(_ object: WireObject) {
        guard let auth = object.text("auth") else { return nil }
        self.init(auth: auth, channelData: object.text("channel_data"))
    }
}
