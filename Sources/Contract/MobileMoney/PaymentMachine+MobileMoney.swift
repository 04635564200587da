extension PaymentMachine {
    /// The Mobile Money channels that can be offered now.
    package var mobileMoneyChannels: [Channel] {
        let offered = Set(offers.filter { $0.method == .mobileMoney }.map(\.channel))
        return session?.channels.filter { $0.family == .mobileMoney && offered.contains($0.slug) } ?? []
    }

    /// What a number comes to in this payment.
    ///
    /// - parameter country: the daemon's own, where neither the till nor the number names one.
    package func check(_ input: MobileMoneyInput, country: String?) -> PhoneCheck {
        MobileMoney.check(
            input, channels: mobileMoneyChannels, payerCountry: session?.payerCountry, defaultCountry: country,
            environment: environment)
    }
}
