internal import Contract
internal import JSON

extension SandboxModel {
    /// A card payment, by what the channel's `sdk` collects.
    mutating func payByCard(
        _ id: String, _ channel: Channel, _ sdk: String, _ data: JSONValue, at now: Instant
    ) throws(Refusal) -> SandboxAnswer {
        switch sdk {
        case "form":
            return try payByTestCard(id, channel, data, at: now)
        case "stripe_elements":
            guard let method = data["payment_method_id"]?.string, method.hasPrefix("pm_") else {
                throw Refusal("payment_method_id", "A Stripe payment method is required.")
            }
            // Stripe's own test payment methods: pm_card_visa, pm_card_chargeDeclined, pm_card_threeDSecure2Required.
            if method.lowercased().contains("declined") { throw declined(id, "card_declined", at: now) }
            guard method.lowercased().contains("threedsecure") else { return charge(id, channel, at: now) }
            let answer = begin(id, channel, .succeeds, at: now, page: true)
            return SandboxAnswer(status: answer.status, json: (answer.json ?? [:]).merging(["action": "confirm_3ds"]))
        case "hosted_redirect":
            for field in channel.sdkConfig["required_fields"]?.array?.compactMap(\.string) ?? [] {
                guard data[field]?.string?.isEmpty == false else { throw Refusal(field, "This field is required.") }
            }
            return begin(id, channel, .succeeds, at: now, page: true)
        default:
            throw Refusal(422, "unsupported_channel", "This card form pays through a client session.")
        }
    }

    /// The sandbox's own form takes the published test cards only.
    private mutating func payByTestCard(
        _ id: String, _ channel: Channel, _ data: JSONValue, at now: Instant
    ) throws(Refusal) -> SandboxAnswer {
        let typed = (data["number"] ?? data["card_number"])?.string ?? ""
        guard let card = TestCard.byNumber[typed.filter { $0 != " " }] else {
            throw Refusal("number", "Use a test card: \(TestCard.byNumber.keys.sorted().joined(separator: ", ")).")
        }
        switch card {
        case .declined(let code): throw declined(id, code, at: now)
        case .asksFor3DS: return ask(.threeDS, id, channel, at: now)
        case .succeeds:
            if let step = payments[id]?.terms.cardStep { return ask(step, id, channel, at: now) }
            return charge(id, channel, at: now)
        }
    }

    /// Charges a card: at once, or as late as the payment says.
    private mutating func charge(_ id: String, _ channel: Channel, at now: Instant) -> SandboxAnswer {
        if let delay = payments[id]?.terms.settleAfter, delay > .zero {
            return begin(id, channel, .succeeds, at: now, page: false)
        }
        settle(attempt: open(id, channel, .succeeds), of: id, at: now)
        return processAnswer(id, status: 200, "Payment successful.", [:])
    }

    /// A decline in the answer itself: 402, and the status carries it as well.
    mutating func declined(_ id: String, _ code: String, at now: Instant) -> Refusal {
        refuse(id, code: code, message: "The card was declined.", at: now)
        return Refusal(402, code, "The card was declined.")
    }
}
