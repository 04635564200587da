import Testing

@testable import Contract

/// The channels of a payment in Cameroon and Côte d'Ivoire, as Wajub offers them.
enum Offers {
    static let cameroon = Channel(
        slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney, countries: ["CM"],
        operators: [
            MobileOperator(id: "mtn", name: "MTN Mobile Money"), MobileOperator(id: "orange", name: "Orange Money"),
        ])
    static let mtn = plain("ci.mtn", "MTN MoMo", "CI")
    static let orange = plain("ci.orange", "Orange Money", "CI")
    static let wave = plain("ci.wave", "Wave", "CI")
    static let card = Channel(slug: "card", name: "Card", family: .card)
    static let all = [cameroon, mtn, orange, wave, card]

    static func plain(_ slug: String, _ name: String, _ country: String) -> Channel {
        Channel(slug: slug, name: name, family: .mobileMoney, countries: [country])
    }

    static func prepare(
        _ phone: String, country: String? = nil, operator: String? = nil, channel: String? = nil,
        of channels: [Channel] = all, payer: String? = nil, till: String? = nil, _ environment: Environment = .live
    ) -> Result<MobilePayment, MobileMoneyRefusal> {
        MobileMoney.prepare(
            MobileMoneyInput(phone: phone, country: country, operator: `operator`, channel: channel),
            channels: channels, payerCountry: payer, defaultCountry: till, environment: environment)
    }
}

extension Result where Failure == MobileMoneyRefusal {
    var refusal: MobileMoneyRefusal? {
        switch self {
        case .success: nil
        case .failure(let refusal): refusal
        }
    }

    /// What was refused and for what; nil where nothing was.
    var complaint: String? { refusal.map { "\($0.code.rawValue) \($0.param.rawValue)" } }
}
