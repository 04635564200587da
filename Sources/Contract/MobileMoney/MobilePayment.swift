/// What a till asks a Mobile Money payment with (protocol.md, `payment.pay`).
package struct MobileMoneyInput: HidesPhone {
    /// As it was typed.
    package var phone: String
    /// ISO 3166 alpha-2, in any case; nil: the number's, or the till's.
    package var country: String?
    /// The operator that the payer picked by hand; nil: the number's.
    package var `operator`: String?
    /// The channel's slug; nil: the operator's.
    package var channel: String?

    package init(phone: String, country: String? = nil, operator: String? = nil, channel: String? = nil) {
        self.phone = phone
        self.country = country
        self.operator = `operator`
        self.channel = channel
    }
}

/// A Mobile Money payment that passed every check: what is sent (wire.md, "POST /pay/process").
package struct MobilePayment: HidesPhone {
    /// The channel's slug.
    package let channel: String
    /// In E.164.
    package let phone: String
    /// Two capitals.
    package let country: String
    /// The member of an aggregate, where it was picked or the number names it; nil elsewhere.
    package let `operator`: String?
    /// The number for a screen: the dial code and the last two digits, `+237 ••••••• 67`.
    package let masked: String
    /// A doubt that blocks nothing: a mismatch in sandbox, or of a number that may have been ported.
    package let warning: MobileMoneyRefusal?

    /// The request's `data`.
    package var data: [String: String] {
        var data = ["phone": phone, "country": country]
        data["operator"] = `operator`
        return data
    }
}

/// What a number comes to before anything is paid (protocol.md, `mobile_money.check`).
package struct PhoneCheck: HidesPhone {
    /// Two capitals; nil where neither the number nor the till says.
    package internal(set) var country: String?
    /// The digits without dial code and trunk prefix; nil where there is none.
    package internal(set) var national: String?
    /// The same in groups, as the field beside the dial code shows them.
    package internal(set) var formatted: String?
    /// Of a valid number only.
    package internal(set) var e164: String?
    /// The operator picked, else the number's.
    package internal(set) var operatorID: String?
    /// Why it could not be paid with; nil where it could.
    package internal(set) var refusal: MobileMoneyRefusal?
    /// A doubt that blocks nothing.
    package internal(set) var warning: MobileMoneyRefusal?
    /// What would be paid through; nil without channels.
    var choice: OperatorChoice?
    /// Whether an aggregate is told the operator.
    var namesOperator = false

    package var isValid: Bool { refusal == nil }
}
