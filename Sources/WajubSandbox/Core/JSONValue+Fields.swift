package import JSON

extension JSONValue {
    /// An object without its absent fields.
    package static func fields(_ pairs: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        .object(pairs.reduce(into: [:]) { object, pair in object[pair.key] = pair.value })
    }

    /// A field of an object; `nil` when it is absent, is null, or this is no object.
    func given(_ name: String) -> JSONValue? {
        self[name].flatMap { $0.isNull ? nil : $0 }
    }

    /// This value with a JSON merge patch (RFC 7396) applied: objects merge, null removes, anything else replaces.
    package func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var merged = object ?? [:]
        for (key, change) in changes {
            if change.isNull {
                merged.removeValue(forKey: key)
            } else {
                merged[key] = (merged[key] ?? .null).merging(change)
            }
        }
        return .object(merged)
    }
}
