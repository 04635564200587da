/// A JSON value whose numbers keep the text they came with, so that an amount leaves as the merchant gave it.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number's own text, valid JSON: `12.50` stays `12.50`.
    case number(String)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// An object without its absent fields.
    package static func fields(_ pairs: KeyValuePairs<String, JSON?>) -> JSON {
        .object(pairs.reduce(into: [:]) { object, pair in object[pair.key] = pair.value })
    }

    /// A field of an object; `nil` when it is absent, is null, or this is no object.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let object) = self, let value = object[key], value != .null else { return nil }
        return value
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    package var double: Double? {
        if case .number(let text) = self { Double(text) } else { nil }
    }

    /// The number when it is whole and fits.
    package var int: Int? {
        double.flatMap(Int.init(exactly:))
    }

    package var array: [JSON]? {
        if case .array(let items) = self { items } else { nil }
    }

    package var object: [String: JSON]? {
        if case .object(let object) = self { object } else { nil }
    }

    /// A number from a floating-point value; a value JSON cannot carry is null.
    package static func double(_ value: Double) -> JSON {
        guard value.isFinite else { return .null }
        return .number(value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)")
    }

    /// This value with a JSON merge patch (RFC 7396) applied: objects merge, null removes, anything else replaces.
    package func merging(_ patch: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var merged = object ?? [:]
        for (key, change) in changes {
            merged[key] = change == .null ? nil : (merged[key] ?? .null).merging(change)
        }
        return .object(merged)
    }
}

extension JSON: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .number("\(value)") }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}
