internal import JSON

/// How the Pusher server (mis)behaves; everything as it should be by default.
package struct RealtimeBehaviour: Hashable, Sendable {
    /// What a valid or invalid subscription gets. The three refusals are pusher.md's, "A refused subscription".
    enum Subscriptions: String, CaseIterable, Sendable {
        case accept
        /// `pusher:subscription_error` with channel and status, as Soketi.
        case subscriptionError = "subscription_error"
        /// `pusher:error` 4009 without a channel, the socket staying open, as Reverb.
        case error4009 = "error_4009"
        /// `pusher_internal:subscription_error` with `"{}"`, as pusher-fake.
        case internalError = "internal_error"
        /// No answer at all.
        case ignore
    }

    /// What a new connection gets.
    enum Establish: String, CaseIterable, Sendable {
        case accept
        /// The WebSocket opens, and nothing more is ever said.
        case never
        /// An in-band `pusher:error` with `establish_code`, the socket staying open.
        case error
        /// The same, and the socket closes.
        case close
        /// The upgrade itself is answered with HTTP 503.
        case refuse
        /// TCP and TLS connect, and the upgrade is never answered.
        case stall
    }

    var establish = Establish.accept
    var establishCode = 4004
    /// How many new connections `establish` still concerns; `nil` for all.
    var establishTimes: Int?
    var subscriptions = Subscriptions.accept
    /// How many subscriptions a refusal still concerns; `nil` for all.
    var subscriptionTimes: Int?
    /// Seconds the server promises; `nil` leaves the field out.
    var activityTimeout: Int? = 30
    /// Whether pings are answered, Pusher's and WebSocket's.
    var pongs = true
    /// Whether anything is sent after the connection was established.
    var silent = false
    /// Whether statuses are broadcast.
    var broadcasts = true
    /// How many times more each event is sent.
    var duplicates = 0
    /// Whether an event's data is an object rather than JSON in a string.
    var dataAsObject = false
    var eventName = "PaymentStatusUpdated"

    package init() {}

    var json: JSONValue {
        [
            "establish": .string(establish.rawValue), "establish_code": .integer(establishCode),
            "establish_times": Self.number(establishTimes), "subscriptions": .string(subscriptions.rawValue),
            "subscription_times": Self.number(subscriptionTimes), "activity_timeout": Self.number(activityTimeout),
            "pongs": .bool(pongs), "silent": .bool(silent), "broadcasts": .bool(broadcasts),
            "duplicates": .integer(duplicates), "data_as_object": .bool(dataAsObject),
            "event_name": .string(eventName),
        ]
    }

    private static func number(_ value: Int?) -> JSONValue {
        value.map { .integer($0) } ?? .null
    }

    /// Takes over the fields of `POST /sandbox/realtime {"action": "behave", …}`.
    ///
    /// - throws: ``InvalidField`` for an unknown field or a value of the wrong kind; nothing has changed then.
    mutating func apply(_ fields: [String: JSONValue]) throws(InvalidField) {
        var changed = self
        for (field, value) in fields where field != "action" { try changed.set(field, value) }
        self = changed
    }

    private mutating func set(_ field: String, _ value: JSONValue) throws(InvalidField) {
        switch field {
        case "establish": establish = try Self.word(field, value)
        case "establish_code": establishCode = try Self.count(field, value, 0...4_999)
        case "establish_times": establishTimes = value == .null ? nil : try Self.count(field, value, 1...1_000_000)
        case "subscriptions": subscriptions = try Self.word(field, value)
        case "subscription_times":
            subscriptionTimes = value == .null ? nil : try Self.count(field, value, 1...1_000_000)
        case "activity_timeout": activityTimeout = value == .null ? nil : try Self.count(field, value, 1...3_600)
        case "pongs": pongs = try Self.flag(field, value)
        case "silent": silent = try Self.flag(field, value)
        case "broadcasts": broadcasts = try Self.flag(field, value)
        case "duplicates": duplicates = try Self.count(field, value, 0...100)
        case "data_as_object": dataAsObject = try Self.flag(field, value)
        case "event_name":
            guard let name = value.string else { throw InvalidField(field, "Use a string.") }
            eventName = name
        default: throw InvalidField(field, "No such behaviour.")
        }
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ field: String, _ value: JSONValue
    ) throws(InvalidField) -> Word {
        guard let word = value.string.flatMap(Word.init) else {
            throw InvalidField(field, "Use one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return word
    }

    private static func flag(_ field: String, _ value: JSONValue) throws(InvalidField) -> Bool {
        guard let flag = value.bool else { throw InvalidField(field, "Use true or false.") }
        return flag
    }

    private static func count(_ field: String, _ value: JSONValue, _ range: ClosedRange<Int>) throws(InvalidField)
        -> Int
    {
        guard let count = value.int, range.contains(count) else {
            throw InvalidField(field, "Use a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return count
    }
}
