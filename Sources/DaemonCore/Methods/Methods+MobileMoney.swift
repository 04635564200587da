internal import Contract
internal import JSON
internal import JSONRPC
internal import WajubWatch

extension Methods {
    /// What a number comes to, without any network. Nothing of it is logged: it is a payer's.
    func checkPhone(_ request: RPCRequest) throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["phone", "country", "operator", "payment"])
        let input = MobileMoneyInput(
            phone: try params.requiredString("phone"), country: try params.country("country"),
            operator: try params.label("operator"))
        let defaults = defaults()
        guard try params.payment() != nil else {
            let check = MobileMoney.check(input, defaultCountry: defaults.country)
            return try encoded(PhoneAnswer(check, in: defaults.language ?? .en))
        }
        let machine = try snapshot(params).machine
        if let refusal = machine.refusalToOffer() { throw .wajub(refusal, in: machine.language) }
        return try encoded(PhoneAnswer(machine.check(input, country: defaults.country), in: machine.language))
    }
}

/// The answer of `mobile_money.check` (`protocol.md`); absent fields are left out.
private struct PhoneAnswer: Encodable {
    let e164: String?
    let national: String?
    let formatted: String?
    let country: String?
    let `operator`: String?
    let valid: Bool
    let error: WajubError?
    /// A doubt that blocks nothing, in an error's shape.
    let warning: WajubError?

    init(_ check: PhoneCheck, in language: Language) {
        e164 = check.e164
        national = check.national
        formatted = check.formatted
        country = check.country
        `operator` = check.operatorID
        valid = check.isValid
        error = Self.told(check.refusal, in: language)
        warning = Self.told(check.warning, in: language)
    }

    /// No attempt is concerned: nothing is said about money.
    private static func told(_ refusal: MobileMoneyRefusal?, in language: Language) -> WajubError? {
        var error = refusal?.error(in: language)
        error?.certainty = nil
        return error
    }
}
