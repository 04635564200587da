internal import Contract
internal import JSON

/// What a merchant's `POST /payments` asks for beyond the amount; the extras of the sandbox are documented in
/// ``SandboxModel/createPayment(_:at:)``.
struct Terms: Sendable {
    let channels: [Channel]
    let customer: JSONValue?
    let description: String?
    let locale: String?
    let callback: String?
    let echo: Bool
    /// How long a provider takes to decide; `nil` for each method's own default.
    let settleAfter: Duration?
    /// Whether a second attempt is refused while one is processing, as Wajub does. Without it every accepted attempt
    /// charges, which shows what a client would do to a customer.
    let refusesParallelAttempts: Bool
    /// The step a card payment asks for.
    let cardStep: StepKind?

    init(_ body: JSONValue) throws(InvalidField) {
        channels = try Self.channels(body)
        customer = body.given("customer")
        description = body["description"]?.string
        locale = body["locale"]?.string
        callback = body["callback"]?.string
        echo = body["echo"]?.bool ?? true
        settleAfter = try Self.seconds("settle_after_seconds", body, 0...86_400)
        refusesParallelAttempts = body["refuse_parallel_attempts"]?.bool ?? true
        if let step = body.given("card_step") {
            guard let kind = step.string.flatMap(StepKind.init) else {
                throw InvalidField("card_step", "Use one of otp, pin, phone, birthday, address, 3ds.")
            }
            cardStep = kind
        } else {
            cardStep = nil
        }
    }

    /// A field that holds seconds.
    static func seconds(
        _ field: String, _ body: JSONValue, _ range: ClosedRange<Double>
    ) throws(InvalidField) -> Duration? {
        guard let value = body.given(field) else { return nil }
        guard let seconds = value.double, range.contains(seconds) else {
            throw InvalidField(field, "Use seconds from \(range.lowerBound) to \(range.upperBound).")
        }
        return .seconds(seconds)
    }

    private static func channels(_ body: JSONValue) throws(InvalidField) -> [Channel] {
        let cardSDK = body["card_sdk"]?.string ?? "form"
        guard Channel.cardSDKs.contains(cardSDK) else {
            throw InvalidField("card_sdk", "Use one of \(Channel.cardSDKs.joined(separator: ", ")).")
        }
        let offered = Channel.catalogue(cardSDK: cardSDK)
        guard let asked = body.given("channels") else { return offered }
        guard let slugs = asked.array?.compactMap(\.string) else {
            throw InvalidField("channels", "Use a list of channel slugs.")
        }
        var channels: [Channel] = []
        for slug in slugs {
            guard let channel = offered.first(where: { $0.slug == slug }) else {
                throw InvalidField("channels", "Use \(offered.map(\.slug).joined(separator: ", ")).")
            }
            channels.append(channel)
        }
        return channels
    }
}

/// A field of a request that cannot be used.
struct InvalidField: Error, Hashable {
    let field: String
    let message: String

    init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    var answer: SandboxAnswer { .invalid(field, message) }
}
