/// What a till asks to pay with, as it typed it (`protocol.md`, `payment.pay`). It holds the payer's data: it prints as a placeholder.
package enum PayInput: Sendable {
    case mobileMoney(MobileMoneyInput)
    case card(CardInput)
    case wallet(channel: String)
    /// A channel and its `data` as JSON text, with the texts and numbers in it by the name of their member.
    case raw(channel: String, json: String, leaves: [(name: String, text: String)])
}

/// A card, as its provider takes it.
package struct CardInput: Sendable {
    package var channel: String?
    package var paymentMethodID: String?
    package var cardHolder: String?
    package var fields: [String: String]

    package init(
        channel: String? = nil, paymentMethodID: String? = nil, cardHolder: String? = nil,
        fields: [String: String] = [:]
    ) {
        self.channel = channel
        self.paymentMethodID = paymentMethodID
        self.cardHolder = cardHolder
        self.fields = fields
    }

    /// All that would be sent of it, by name.
    var texts: [String: String] {
        var texts = fields
        texts["payment_method_id"] = paymentMethodID
        texts["card_holder"] = cardHolder
        return texts
    }
}

/// The `data` of POST /pay/process.
package enum PayData: Hashable, Sendable {
    case fields([String: String])
    /// As the till wrote it.
    case json(String)
}

/// A payment that may be sent: every check before sending has passed. It holds the payer's data: it prints as a placeholder.
package struct PreparedPayment: Sendable {
    package var method: MethodFamily
    package var channel: String
    package var data: PayData
    package var phoneMasked: String?
}

/// Why a payment is not sent as the till asked for it.
package enum PayRefusal: Error, Hashable, Sendable {
    /// The contract's own error, with the field that is wrong.
    case wajub(WajubError)
    /// A parameter that cannot be meant.
    case parameter(String, reason: String)
}

extension PayInput: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "what the payer pays with" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PreparedPayment: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a payment by \(method.rawValue)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PaymentMachine {
    /// Checks what the till asks to pay with against what this payment offers (seed 000, "Mobile Money" and "Cards").
    ///
    /// - parameter country: the daemon's own, where the till names none.
    package func prepare(_ input: PayInput, country: String?) throws(PayRefusal) -> PreparedPayment {
        switch input {
        case .mobileMoney(let input):
            return try prepareMobileMoney(input, country: country)
        case .card(let card):
            return try prepareCard(card)
        case .wallet(let channel):
            let rule = try rule(of: channel, in: .wallet)
            guard rule == .oneTap else { throw rule.refusal(channel) }
            return PreparedPayment(method: .wallet, channel: channel, data: .fields([:]))
        case .raw(let channel, let json, let leaves):
            guard let offered = session?.channels.first(where: { $0.slug == channel }) else {
                throw Self.notOffered(channel)
            }
            if environment == .live, leaves.contains(where: { CardNumber.isLikely($0.text, in: $0.name) }) {
                throw .wajub(WajubError(.cardNumberRefused, in: language))
            }
            return PreparedPayment(method: offered.family, channel: channel, data: .json(json))
        }
    }

    private func prepareMobileMoney(_ input: MobileMoneyInput, country: String?) throws(PayRefusal) -> PreparedPayment {
        let prepared = MobileMoney.prepare(
            input, channels: mobileMoneyChannels, payerCountry: session?.payerCountry, defaultCountry: country,
            environment: environment)
        switch prepared {
        case .failure(let refusal): throw .wajub(refusal.error(in: language))
        case .success(let payment):
            return PreparedPayment(
                method: .mobileMoney, channel: payment.channel, data: .fields(payment.data), phoneMasked: payment.masked
            )
        }
    }

    private func prepareCard(_ card: CardInput) throws(PayRefusal) -> PreparedPayment {
        if environment == .live, card.texts.contains(where: { CardNumber.isLikely($0.value, in: $0.key) }) {
            throw .wajub(WajubError(.cardNumberRefused, in: language))
        }
        let channel: String
        if let named = card.channel {
            channel = named
        } else {
            guard let first = offers.first(where: { $0.method == .card }) ?? nil else {
                throw .parameter("card", reason: "this payment offers no card that can be paid here")
            }
            channel = first.channel
        }
        let data = try CardForm(rule: try rule(of: channel, in: .card), channel: channel).data(of: card, in: language)
        return PreparedPayment(method: .card, channel: channel, data: .fields(data))
    }

    /// The family of a channel that is paid by a client session.
    package func prepareClientSession(channel: String) throws(PayRefusal) -> MethodFamily {
        guard let found = session?.channels.first(where: { $0.slug == channel }) else { throw Self.notOffered(channel) }
        let rule = MethodRule(found, configuration: configuration, environment: environment)
        guard rule == .clientSession else { throw .parameter("channel", reason: "it has no client session") }
        return found.family
    }

    private func rule(of channel: String, in family: MethodFamily) throws(PayRefusal) -> MethodRule {
        guard let found = session?.channels.first(where: { $0.slug == channel && $0.family == family }) else {
            throw Self.notOffered(channel)
        }
        return MethodRule(found, configuration: configuration, environment: environment)
    }

    private static func notOffered(_ channel: String) -> PayRefusal {
        .parameter("channel", reason: "this payment does not offer it")
    }
}
