/// What a command line and the environment say.
///
/// Asking for an option that was not declared is a fault of the program and ends it.
package struct ParsedOptions: Sendable {
    private struct Given {
        let values: [String]
        /// Where it was said, as errors name it: `--speed`, or `WAJUBD_SPEED`.
        let source: String
    }

    /// The words that belong to no option, in order.
    package internal(set) var words: [String] = []

    private let names: Set<String>
    private var given: [String: Given] = [:]

    init(specs: [OptionSpec]) {
        names = Set(specs.map(\.name))
    }

    mutating func set(_ spec: OptionSpec, _ values: [String], source: String) {
        let before = spec.isRepeated ? given[spec.name]?.values ?? [] : []
        given[spec.name] = Given(values: before + values, source: source)
    }

    private func find(_ name: String) -> Given? {
        precondition(names.contains(name), "the option --\(name) is not declared")
        return given[name]
    }

    /// Whether the option was given.
    package func has(_ name: String) -> Bool {
        find(name) != nil
    }

    /// All values of an option that takes several or may be repeated, in order; `nil` where it was not given.
    package func values(_ name: String) -> [String]? {
        find(name)?.values
    }

    /// A refusal of the option, for rules of the program's own; names it as it was given.
    package func error(_ name: String, _ reason: String) -> ArgumentError {
        ArgumentError("\(find(name)?.source ?? "--" + name): \(reason)")
    }

    /// The value; `nil` where it was not given.
    ///
    /// - throws: where it is empty.
    package func string(_ name: String) throws(ArgumentError) -> String? {
        guard let value = find(name)?.values.first else { return nil }
        guard !value.isEmpty else { throw error(name, "the value is empty") }
        return value
    }

    /// The value as a whole number inside `range`; `nil` where it was not given.
    ///
    /// - throws: a line that names the option and the value.
    package func int(_ name: String, in range: ClosedRange<Int>) throws(ArgumentError) -> Int? {
        guard let text = try string(name) else { return nil }
        guard let value = Int(text) else { throw error(name, "'\(text)' is not a whole number") }
        return try check(name, value, in: range, greatest: .max)
    }

    /// The value as a number inside `range`; `nil` where it was not given.
    ///
    /// - throws: a line that names the option and the value.
    package func double(_ name: String, in range: ClosedRange<Double>) throws(ArgumentError) -> Double? {
        guard let text = try string(name) else { return nil }
        guard let value = Double(text), value.isFinite else { throw error(name, "'\(text)' is not a number") }
        return try check(name, value, in: range, greatest: .greatestFiniteMagnitude)
    }

    /// The value as one of the cases of an enumeration; `nil` where it was not given.
    ///
    /// - throws: a line that names the option, the value and the choices.
    package func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, of choices: Value.Type
    ) throws(ArgumentError) -> Value? {
        guard let text = try string(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            let allowed = choices.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(name, "'\(text)' is none of \(allowed)")
        }
        return value
    }

    private func check<Value: Comparable>(
        _ name: String, _ value: Value, in range: ClosedRange<Value>, greatest: Value
    ) throws(ArgumentError) -> Value {
        guard !range.contains(value) else { return value }
        let bounds =
            range.upperBound == greatest
            ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        throw error(name, "must be \(bounds), not \(value)")
    }
}
