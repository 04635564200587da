/// The rules of Mobile Money: the ones that the iOS SDK has in `MobileMoneyData` (seed 001, "Mobile Money").
///
/// What is typed is taken in any shape that people write numbers in. Countries are ISO 3166 alpha-2 in capitals; of one
/// without a plan here (`NumberingData.swift` has Africa) every answer is no.
package enum MobileMoney {
    /// The digits without dial code and trunk prefix, as far as they were typed.
    package static func nationalDigits(_ text: String, country: String) -> String {
        let typed = TypedNumber(text)
        return NumberingPlan.of(country)?.unfinished(typed) ?? typed.digits
    }

    /// Whether it is a whole mobile number of the country.
    package static func isValid(_ text: String, country: String) -> Bool {
        national(text, country: country) != nil
    }

    /// The network whose prefix the number has, `mtn` for instance; nil as long as its digits do not tell.
    package static func detectOperator(_ text: String, country: String) -> String? {
        let typed = TypedNumber(text)
        guard typed.isReadable, let plan = NumberingPlan.of(country) else { return nil }
        return plan.network(of: plan.unfinished(typed))
    }

    /// `+237677123456`; nil for what is no mobile number of the country. A leading 0 that is part of the number stays.
    package static func e164(_ text: String, country: String) -> String? {
        guard let plan = NumberingPlan.of(country) else { return nil }
        return national(text, country: country).map { "+" + plan.dialCode + $0 }
    }

    /// The digits so far in the country's groups, to show beside the dial code: `6 77 12`.
    package static func formatAsYouType(_ text: String, country: String) -> String {
        let digits = nationalDigits(text, country: country)
        return NumberingPlan.of(country)?.grouped(digits) ?? digits
    }

    private static func national(_ text: String, country: String) -> String? {
        let typed = TypedNumber(text)
        guard typed.isReadable, let plan = NumberingPlan.of(country) else { return nil }
        return plan.national(typed, where: plan.isMobile)
    }
}
