internal import FoundationEssentials
internal import Platform

extension Wire {
    /// JSON, but not what the API answers with.
    struct NotOurs: Error {}

    /// A value that is nil, rather than an error, when it is of another type than expected.
    struct Lenient<Value: Decodable>: Decodable {
        let value: Value?

        init(from decoder: any Decoder) {
            // Leniency is the purpose: one bad element must not cost the rest.
            value = try? decoder.singleValueContainer().decode(Value.self)
        }
    }
}

extension KeyedDecodingContainer {
    /// The field, or nil where it is absent, null or of another type: one bad optional field never costs the rest
    /// (`wire.md`).
    func lenient<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        try? decodeIfPresent(type, forKey: key)
    }

    /// A text that says something.
    func text(_ key: Key) -> String? {
        lenient(String.self, key).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The elements that are of the type.
    func lenientList<Value: Decodable>(_ type: Value.Type, _ key: Key) -> [Value] {
        lenient([Wire.Lenient<Value>].self, key)?.compactMap(\.value) ?? []
    }

    /// The members whose value is of the type; nil where the field is no object. PHP writes an empty object as `[]`.
    func lenientObject<Value: Decodable>(_ type: Value.Type, _ key: Key) -> [String: Value]? {
        if let members = lenient([String: Wire.Lenient<Value>].self, key) { return members.compactMapValues(\.value) }
        if let list = lenient([Wire.Lenient<Value>].self, key), list.isEmpty { return [:] }
        return nil
    }

    /// A number, or a text that is one, as a decimal string; it never passes through `Double` (`wire.md`, GET
    /// /pay/session).
    func amount(_ key: Key) -> String? {
        if let number = lenient(Decimal.self, key) { return number.isNaN ? nil : number.description }
        return text(key).flatMap(Wire.decimal)
    }

    /// The address of a page, if the payer may be sent there.
    func pageURL(_ key: Key) -> String? {
        text(key).flatMap { Wire.isPageURL($0) ? $0 : nil }
    }
}

extension Wire {
    /// `12.50` is 12.5; anything but digits with a sign and a point is nothing.
    static func decimal(_ text: String) -> String? {
        let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 38, text.prefix(2) != "--", parts.count <= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { ("0"..."9").contains($0) } })
        else { return nil }
        return Decimal(string: text)?.description
    }

    /// `https` anywhere, `http` on loopback: the sandbox's own pages.
    static func isPageURL(_ text: String) -> Bool {
        guard text.utf8.count <= 4096,
            !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "\\") })
        else { return false }
        func authority(after scheme: String) -> Authority? {
            guard text.lowercased().hasPrefix(scheme) else { return nil }
            return Authority(text.dropFirst(scheme.count).prefix { !"/?#".contains($0) })
        }
        return authority(after: "https://") != nil || authority(after: "http://")?.isLoopback == true
    }
}
