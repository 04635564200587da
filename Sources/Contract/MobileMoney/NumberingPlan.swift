/// How mobile numbers of one country look and whose they are (`NumberingData.swift`).
///
/// National numbers are strings of ASCII digits, never integers: in Côte d'Ivoire, Benin or the Congo the first digit is a 0.
struct NumberingPlan: Sendable {
    /// The numbers of one length.
    struct Mobile: Sendable {
        let length: Int
        let prefixes: [String]

        init(_ length: Int, _ prefixes: String) {
            self.length = length
            self.prefixes = Self.words(prefixes)
        }

        static func words(_ text: String) -> [String] {
            text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// How numbers are written: digits per group. The sum of them is the length of the number.
    struct Grouping: Sendable {
        let sizes: [Int]
        let prefixes: [String]
        var length: Int { sizes.reduce(0, +) }

        init(_ sizes: [Int], _ prefixes: String) {
            self.sizes = sizes
            self.prefixes = Mobile.words(prefixes)
        }
    }

    /// Whose numbers begin so. A number has one prefix at most: no prefix begins with another.
    struct Network: Sendable {
        let id: String
        let prefixes: [String]

        init(_ id: String, _ prefixes: String) {
            self.id = id
            self.prefixes = Mobile.words(prefixes)
        }
    }

    /// ISO 3166 alpha-2, in capitals.
    let country: String
    /// Without its `+`.
    let dialCode: String
    /// What is dialled before the number inside the country and is no part of it; nil where there is none.
    let trunkPrefix: String?
    /// Whether a number may have moved to another operator: the prefix tells who had it first, which is worth a warning only.
    let isPortable: Bool
    let mobile: [Mobile]
    /// Of shorter numbers first.
    let groupings: [Grouping]
    let networks: [Network]

    init(
        _ country: String, dialCode: String, trunkPrefix: String?, isPortable: Bool, mobile: [Mobile],
        groupings: [Grouping], networks: [Network] = []
    ) {
        self.country = country
        self.dialCode = dialCode
        self.trunkPrefix = trunkPrefix
        self.isPortable = isPortable
        self.mobile = mobile
        self.groupings = groupings
        self.networks = networks
    }

    private static let byCountry = Dictionary(uniqueKeysWithValues: all.map { ($0.country, $0) })

    /// The plan of a country, named in capitals; nil where none is known.
    static func of(_ country: String) -> NumberingPlan? {
        byCountry[country]
    }

    /// Every plan that an international number may be of: dial codes do not begin with one another, countries share some.
    static func dialled(by digits: String) -> [NumberingPlan] {
        all.filter { digits.hasPrefix($0.dialCode) }
    }
}

extension NumberingPlan {
    /// Whether it is a mobile number.
    func isMobile(_ national: String) -> Bool {
        mobile.contains { $0.length == national.utf8.count && $0.prefixes.contains(where: national.hasPrefix) }
    }

    /// Whether it is as long as a mobile number: all that can be asked of a sandbox number (seed 000, "Sandbox").
    func isPlausible(_ national: String) -> Bool {
        mobile.contains { $0.length == national.utf8.count }
    }

    /// The network whose prefix a number has; nil while it has too few digits to tell.
    func network(of national: String) -> String? {
        networks.first { $0.prefixes.contains(where: national.hasPrefix) }?.id
    }

    /// The national number that was typed, whichever way; nil when no way of reading it passes the test.
    func national(_ typed: TypedNumber, where test: (String) -> Bool) -> String? {
        readings(of: typed).first(where: test)
    }

    /// What was typed so far, without dial code and trunk prefix: for numbers that are not whole.
    func unfinished(_ typed: TypedNumber) -> String {
        if let whole = national(typed, where: isMobile) { return whole }
        let longest = mobile.map(\.length).max() ?? 0
        var digits = typed.digits
        if digits.hasPrefix(dialCode),
            typed.isInternational || digits.utf8.count > longest + (trunkPrefix ?? "").utf8.count
        {
            digits.removeFirst(dialCode.utf8.count)
        }
        if let trunkPrefix, digits.hasPrefix(trunkPrefix), !isPrefixOfMobile(trunkPrefix) {
            digits.removeFirst(trunkPrefix.utf8.count)
        }
        return digits
    }

    /// In groups, as far as it goes; digits too many stay with the last group.
    func grouped(_ national: String) -> String {
        let count = national.utf8.count
        let fitting = groupings.filter { grouping in
            grouping.prefixes.contains { national.hasPrefix($0) || $0.hasPrefix(national) }
        }
        guard let grouping = fitting.first(where: { $0.length >= count }) ?? fitting.last else { return national }
        var rest = Substring(national)
        var groups: [Substring] = []
        for size in grouping.sizes.dropLast() where !rest.isEmpty {
            groups.append(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        if !rest.isEmpty { groups.append(rest) }
        return groups.joined(separator: " ")
    }

    /// Every national number that it may stand for, the likeliest first.
    private func readings(of typed: TypedNumber) -> [String] {
        let digits = typed.digits
        let inner = digits.hasPrefix(dialCode) ? String(digits.dropFirst(dialCode.utf8.count)) : nil
        let starts = typed.isInternational ? [inner] : [digits, inner]
        return starts.compactMap(\.self).flatMap { start in
            // Where none is dialled, people still write the 0 that they know from elsewhere.
            let trunkPrefix = trunkPrefix ?? "0"
            guard start.hasPrefix(trunkPrefix) else { return [start] }
            // "+233 (0)24 …" is on many a business card.
            return [start, String(start.dropFirst(trunkPrefix.utf8.count))]
        }
    }

    /// Gabon's numbers may begin with the digit that is dialled before others of them.
    private func isPrefixOfMobile(_ digits: String) -> Bool {
        mobile.contains { $0.prefixes.contains { $0.hasPrefix(digits) } }
    }
}
