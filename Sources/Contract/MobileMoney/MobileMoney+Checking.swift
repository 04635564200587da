extension MobileMoney {
    /// The checks before sending, in the contract's order: the phone is there, it is valid, it is no other offered operator's,
    /// an operator is known (seed 000, "Mobile Money").
    ///
    /// A channel or a country that cannot be is refused before the number is read.
    ///
    /// - parameter channels: what the payment offers; only its Mobile Money channels count.
    /// - parameter payerCountry: the session's.
    /// - parameter defaultCountry: the till's own, which comes before the payer's.
    package static func prepare(
        _ input: MobileMoneyInput, channels: [Channel], payerCountry: String?, defaultCountry: String?,
        environment: Environment
    ) -> Result<MobilePayment, MobileMoneyRefusal> {
        let check = check(
            input, channels: channels, payerCountry: payerCountry, defaultCountry: defaultCountry,
            environment: environment)
        if let refusal = check.refusal { return .failure(refusal) }
        guard let choice = check.choice, let phone = check.e164, let country = check.country else {
            return .failure(.operatorRequired)
        }
        return .success(
            MobilePayment(
                channel: choice.channel, phone: phone, country: country,
                operator: check.namesOperator ? choice.id : nil,
                masked: masked(phone, dialCode: NumberingPlan.of(country)?.dialCode), warning: check.warning))
    }

    /// What ``prepare(_:channels:payerCountry:defaultCountry:environment:)`` would say of a number, with all that is known of it.
    package static func check(
        _ input: MobileMoneyInput, channels: [Channel], payerCountry: String?, defaultCountry: String?,
        environment: Environment
    ) -> PhoneCheck {
        var offered = channels.filter { $0.family == .mobileMoney }
        let all = offered
        if let slug = input.channel {
            offered.removeAll { $0.slug != slug }
            guard !offered.isEmpty else {
                return PhoneCheck(refusal: .invalid(.channel, "is no Mobile Money channel of this payment"))
            }
        }
        let countries = offered.flatMap(\.coveredCountries)
        let market = Market(
            countries: countries,
            usual: [defaultCountry, payerCountry].compactMap(\.self).first(where: countries.contains) ?? countries.first
        )
        var check = read(input, in: market, environment: environment)
        guard check.refusal == nil, let country = check.country, let national = check.national else { return check }
        let choices = OperatorChoice.offered(by: offered, in: country)
        let network = NumberingPlan.of(country)?.network(of: national)
        check.choose(
            from: choices, named: input.operator, others: OperatorChoice.offered(by: all, in: country),
            network: network,
            isCertain: environment == .live && NumberingPlan.of(country)?.isPortable == false)
        return check
    }

    /// A number on its own, no payment being meant: every country and operator that is known counts.
    package static func check(_ input: MobileMoneyInput, defaultCountry: String?) -> PhoneCheck {
        let countries = NumberingPlan.all.map(\.country)
        let market = Market(countries: countries, usual: defaultCountry.flatMap { countries.contains($0) ? $0 : nil })
        var check = read(input, in: market, environment: .live)
        guard check.refusal == nil, let national = check.national, let plan = check.country.flatMap(NumberingPlan.of)
        else { return check }
        let network = plan.network(of: national)
        check.operatorID = input.operator ?? network
        if let network, let name = input.operator, !Network.isOpen(name) {
            let named = Network.all(named: name)
            if !named.isEmpty, !named.contains(network) {
                check.doubt(.mismatch(with: Network.name(of: network)), isCertain: !plan.isPortable)
            }
        }
        return check
    }

    /// Country and number: everything but the operator.
    private static func read(_ input: MobileMoneyInput, in market: Market, environment: Environment) -> PhoneCheck {
        let typed = TypedNumber(input.phone)
        let country: String
        switch market.country(of: typed, asked: input.country) {
        case .success(let found): country = found
        case .failure(let refusal): return PhoneCheck(refusal: typed.isEmpty ? .phoneRequired : refusal)
        }
        var check = PhoneCheck(country: country)
        guard !typed.isEmpty else {
            check.refusal = .phoneRequired
            return check
        }
        guard let plan = NumberingPlan.of(country) else {
            check.readWithoutPlan(typed)
            return check
        }
        var national = typed.isReadable ? plan.national(typed, where: plan.isMobile) : nil
        if national == nil, typed.isReadable, environment == .sandbox {
            national = plan.national(typed, where: plan.isPlausible)
        }
        let digits = national ?? plan.unfinished(typed)
        check.national = digits.isEmpty ? nil : digits
        check.formatted = digits.isEmpty ? nil : plan.grouped(digits)
        check.e164 = national.map { "+" + plan.dialCode + $0 }
        if national == nil { check.refusal = .invalidPhone }
        return check
    }

    /// All but the dial code and the last two digits hidden; without a plan nobody knows where the dial code ends.
    private static func masked(_ phone: String, dialCode: String?) -> String {
        let start = "+" + (dialCode ?? "")
        let hidden = max(0, phone.utf8.count - start.utf8.count - 2)
        return "\(start) \(String(repeating: "•", count: hidden)) \(phone.suffix(2))"
    }
}

extension PhoneCheck {
    /// Picks the operator: by hand, by the number's prefix, or for want of another.
    ///
    /// - parameter choices: what may be paid through. `others`: all that is offered, where a channel was asked for by name.
    /// - parameter network: the number's, where its prefix tells.
    /// - parameter isCertain: whether the prefix proves whose number it is.
    mutating func choose(
        from choices: [OperatorChoice], named name: String?, others: [OperatorChoice], network: String?, isCertain: Bool
    ) {
        let owns = { (choice: OperatorChoice) in network.map(choice.networks.contains) ?? false }
        let picked = name.map { OperatorChoice.pick($0, from: choices) }
        if case .some(nil) = picked {
            refusal = .invalid(.operator, "is no operator that this payment offers here")
            return
        }
        choice = (picked ?? nil) ?? choices.first(where: owns) ?? (choices.count == 1 ? choices.first : nil)
        operatorID = choice?.id
        namesOperator = choice.map { $0.isAggregateMember && (picked != nil || owns($0)) } ?? false
        let payable = choice.map { [$0] } ?? choices
        if let owner = others.first(where: owns), payable.allSatisfy({ !$0.isOpen && !owns($0) }) {
            // Of an operator that this version has never heard of nobody can say that the number is not its own.
            doubt(
                .mismatch(with: owner.name), isCertain: isCertain && payable.allSatisfy { !$0.networks.isEmpty })
        }
        if refusal == nil, choice == nil { refusal = .operatorRequired }
    }

    /// A certain mismatch blocks, any other one warns.
    mutating func doubt(_ mismatch: MobileMoneyRefusal, isCertain: Bool) {
        if isCertain {
            refusal = mismatch
        } else {
            warning = mismatch
        }
    }

    /// A country whose numbers are not known here: Wajub judges, as long as it is an international number at all (E.164).
    mutating func readWithoutPlan(_ typed: TypedNumber) {
        guard typed.isReadable, typed.isInternational, (8...15).contains(typed.digits.utf8.count) else {
            refusal = .invalidPhone
            return
        }
        national = typed.digits
        formatted = typed.digits
        e164 = "+" + typed.digits
    }
}
