package import FoundationEssentials

/// Any JSON value (RFC 8259). Numbers are decimal, so an amount is never rounded to binary.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Decimal)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])
}

// MARK: Reading

extension JSONValue {
    /// Whether this is `null`.
    package var isNull: Bool { self == .null }

    /// The text, if this is a string.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value, if this is one.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, if this is one.
    package var decimal: Decimal? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The number, if this is one without a fraction and inside `Int`.
    package var int: Int? {
        // `Decimal` has no exact conversion in FoundationEssentials; its text of a whole number is digits alone.
        decimal.flatMap { Int($0.description) }
    }

    /// The nearest binary number, if this is a number.
    package var double: Double? {
        decimal.flatMap { Double($0.description) }
    }

    /// The elements, if this is an array.
    package var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members, if this is an object.
    package var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The member called `name`; `nil` where there is none, or no object.
    package subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element at `position`; `nil` where there is none, or no array.
    package subscript(position: Int) -> JSONValue? {
        if case .array(let elements) = self, elements.indices.contains(position) { elements[position] } else { nil }
    }
}

// MARK: Making

extension JSONValue {
    /// A whole number.
    package static func integer(_ value: Int) -> JSONValue { .number(Decimal(value)) }
}

// MARK: Literals

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringInterpolation, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    package init(integerLiteral value: Int) {
        self = .integer(value)
    }

    package init(stringLiteral value: String) {
        self = .string(value)
    }

    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// The last of two equal names wins, as it does when read.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}
