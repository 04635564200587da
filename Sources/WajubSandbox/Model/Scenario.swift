internal import Contract

/// What a provider decides about an attempt, after which time.
enum Scenario: Hashable, Sendable {
    case succeeds
    /// Refused: the payment is pending again, with a newer `last_failure`.
    case refused(code: String, message: String)
    /// The payment ends there.
    case ends(PaymentStatus, code: String, message: String)
    /// Nobody approves, until the provider gives up.
    case timesOut
}

extension Scenario {
    /// Mobile Money: the last six digits of a test number choose (wire.md, "Sandbox facts").
    private static let bySuffix: [(suffix: String, scenario: Scenario)] = [
        ("000000", .succeeds),
        ("000001", .refused(code: "insufficient_funds", message: "The account has insufficient funds.")),
        ("000002", .ends(.failed, code: "payment_failed", message: "The operator failed the payment.")),
        ("000003", .timesOut),
        ("000004", .ends(.cancelled, code: "payment_cancelled", message: "The payer declined on the phone.")),
    ]

    /// Countries the sandbox has numbers for: dial code and national digits (operator prefix and seven).
    private static let numbering = ["CM": (dialCode: "237", digits: 9), "CI": (dialCode: "225", digits: 10)]

    /// The scenario of a test number in E.164; `nil` for any other number. Sandbox prefixes follow no numbering plan,
    /// so any is taken.
    static func ofNumber(_ phone: String, country: String) -> Scenario? {
        guard let plan = numbering[country], phone.utf8.count == 1 + plan.dialCode.utf8.count + plan.digits,
            phone.hasPrefix("+" + plan.dialCode), phone.dropFirst().allSatisfy({ ("0"..."9").contains($0) })
        else { return nil }
        return bySuffix.first { phone.hasSuffix($0.suffix) }?.scenario
    }

    /// Every valid number of a channel.
    static func numbers(country: String, operators: [Channel.Operator]) -> [String] {
        guard let plan = numbering[country] else { return [] }
        return operators.flatMap { member in
            bySuffix.map { "+\(plan.dialCode)\(member.prefix)0\($0.suffix)" }
        }
    }

    /// How long a provider takes, unless the payment says otherwise.
    var usualDelay: Duration {
        switch self {
        case .succeeds, .refused, .ends: .seconds(5)
        case .timesOut: .seconds(120)
        }
    }
}

/// A published test card and what it does.
enum TestCard: Hashable, Sendable {
    case succeeds
    case asksFor3DS
    case declined(code: String)

    static let byNumber: [String: TestCard] = [
        "4242424242424242": .succeeds,
        "4000056655665556": .asksFor3DS,
        "4000000000000002": .declined(code: "card_declined"),
        "4000000000009995": .declined(code: "insufficient_funds"),
    ]
}
