/// Where a number may be from.
struct Market {
    /// In Wajub's order; of one without a plan here only international numbers are read.
    let countries: [String]
    /// Where it is from when nothing says otherwise.
    let usual: String?

    /// The country asked for, else the number's own, else the usual one (seed 000, "Mobile Money").
    func country(of typed: TypedNumber, asked: String?) -> Result<String, MobileMoneyRefusal> {
        if let asked = asked?.uppercased() {
            return countries.contains(asked)
                ? .success(asked) : .failure(.invalid(.country, "is no country that Mobile Money is offered in here"))
        }
        if typed.isInternational, !typed.digits.isEmpty {
            return dialled(typed).map { .success($0) } ?? .failure(.invalidPhone)
        }
        guard let usual else {
            return wholeElsewhere(typed).map { .success($0) }
                ?? .failure(.invalid(.country, "neither the number nor the daemon's --country says which"))
        }
        if let plan = NumberingPlan.of(usual), plan.national(typed, where: plan.isMobile) == nil {
            return .success(wholeElsewhere(typed) ?? usual)
        }
        return .success(usual)
    }

    /// The country of a dial code: where several share it, the one whose mobile number it is.
    private func dialled(_ typed: TypedNumber) -> String? {
        let plans = NumberingPlan.dialled(by: typed.digits)
        // Not one of the plans: one of the countries without.
        if plans.isEmpty { return countries.first { NumberingPlan.of($0) == nil } }
        let own = plans.filter { countries.contains($0.country) }
        return (own.first { $0.national(typed, where: $0.isMobile) != nil } ?? own.first)?.country
    }

    /// The country of a whole number with its dial code and no `+`.
    private func wholeElsewhere(_ typed: TypedNumber) -> String? {
        let abroad = typed.dialledAbroad
        return NumberingPlan.dialled(by: typed.digits).first {
            countries.contains($0.country) && $0.national(abroad, where: $0.isMobile) != nil
        }?.country
    }
}
