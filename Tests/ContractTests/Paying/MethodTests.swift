import Testing

@testable import Contract

/// Seed 000, "Loading" and "Cards": the channel's entry in the SDK configuration decides, and the first match wins.
@Suite("Methods")
struct MethodTests {
    private static func machine(
        _ entry: ChannelConfiguration?, _ family: MethodFamily = .card, sandbox: Bool = true
    ) -> PaymentMachine {
        var session = Sheet.session(.pending, channels: [Channel(slug: "c", name: "C", family: family)])
        session.transaction.sandbox = sandbox
        var sheet = Sheet()
        sheet.send(.configurationAnswered(entry.map { ["c": $0] } ?? [:]))
        sheet.send(.sessionAnswered(session))
        return sheet.machine
    }

    private static func refusal(_ machine: PaymentMachine, _ input: PayInput) -> PayRefusal? {
        do throws(PayRefusal) {
            _ = try machine.prepare(input, country: nil)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "What a card's or a wallet's entry offers",
        arguments: [
            (
                ChannelConfiguration(available: true, sdk: "stripe_elements", clientSession: true), MethodFamily.card,
                MethodRule.stripe
            ),
            (ChannelConfiguration(available: true, sdk: "hosted_redirect", clientSession: true), .card, .clientSession),
            (
                ChannelConfiguration(available: true, sdk: "hosted_redirect", requiredFields: ["email"]), .card,
                .hostedRedirect(fields: ["email"])
            ),
            (ChannelConfiguration(available: true, sdk: "form"), .card, .testCard),
            (ChannelConfiguration(available: true, sdk: "form"), .wallet, .oneTap),
        ])
    func rules(entry: ChannelConfiguration, family: MethodFamily, rule: MethodRule) {
        let channel = Channel(slug: "c", name: "C", family: family)
        #expect(MethodRule(channel, configuration: ["c": entry], environment: .sandbox) == rule)
    }

    @Test(
        "What cannot be paid here is not offered, and its reason is told",
        arguments: [
            (
                ChannelConfiguration(available: false, sdk: "stripe_elements"), MethodFamily.card, true,
                "the SDK configuration says so"
            ),
            (
                ChannelConfiguration(available: true, sdk: "adyen_custom_card"), .card, true,
                "its form (adyen_custom_card) exists in the mobile SDKs alone"
            ),
            (ChannelConfiguration(available: true), .card, true, "its form (none) exists in the mobile SDKs alone"),
            (
                ChannelConfiguration(available: true, sdk: "form"), .card, false,
                "card numbers are never sent to Wajub in live"
            ),
            (
                ChannelConfiguration(available: true, sdk: "form", requiredFields: ["email"]), .wallet, true,
                "it cannot be paid with one tap"
            ),
            (
                ChannelConfiguration(available: true, sdk: "hosted_redirect"), .wallet, true,
                "it cannot be paid with one tap"
            ),
            (nil, .card, true, "it has no SDK configuration"),
            (ChannelConfiguration(available: false), .mobileMoney, true, "the SDK configuration says so"),
        ] as [(ChannelConfiguration?, MethodFamily, Bool, String)])
    func unavailable(entry: ChannelConfiguration?, family: MethodFamily, sandbox: Bool, reason: String) {
        let machine = Self.machine(entry, family, sandbox: sandbox)
        #expect(machine.offers.isEmpty)
        #expect(machine.unavailable == [UnavailableMethod(channel: "c", reason: reason)])
    }

    @Test("Without a configuration Mobile Money still works")
    func withoutConfiguration() {
        var sheet = Sheet()
        let channels = [
            Channel(slug: "m", name: "M", family: .mobileMoney), Channel(slug: "c", name: "C", family: .card),
        ]
        sheet.send(.configurationMissed(Sheet.silence))
        sheet.send(.sessionAnswered(Sheet.session(.pending, channels: channels)))
        #expect(sheet.machine.offers.map(\.channel) == ["m"])
        #expect(sheet.machine.unavailable.map(\.reason) == ["the SDK configuration is not known"])
    }

    @Test("Types that are not part of the contract are not offered")
    func types() {
        #expect(Channel.family(ofType: "MOBILE") == .mobileMoney)
        #expect(Channel.family(ofType: "bank_transfer") == nil)
    }

    @Test("Stripe wants a payment_method_id")
    func stripe() throws {
        let machine = Self.machine(ChannelConfiguration(available: true, sdk: "stripe_elements"))
        guard case .wajub(let error) = Self.refusal(machine, .card(CardInput())) else { throw Unexpected() }
        #expect(error.code == .validationError && error.param == "payment_method_id")
        let paid = try machine.prepare(.card(CardInput(paymentMethodID: " pm_1 ", cardHolder: "A B")), country: nil)
        #expect(paid.data == .fields(["payment_method_id": "pm_1", "card_holder": "A B"]))
        #expect(paid.channel == "c" && paid.method == .card)
    }

    @Test("A hosted page's required fields are checked, trimmed, and the country is sent in capitals")
    func hosted() throws {
        let machine = Self.machine(
            ChannelConfiguration(available: true, sdk: "hosted_redirect", requiredFields: ["email", "country"]))
        func missing(_ fields: [String: String]) -> String? {
            guard case .wajub(let error) = Self.refusal(machine, .card(CardInput(fields: fields))) else { return nil }
            return error.param
        }
        #expect(missing([:]) == "email")
        #expect(missing(["email": "  ", "country": "cm"]) == "email")
        #expect(missing(["email": "a@b", "country": "cameroon"]) == "country")
        #expect(missing(["email": "nobody", "country": "cm"]) == "email")
        let paid = try machine.prepare(
            .card(CardInput(fields: ["email": " a@b.cm ", "country": "cm", "city": ""])), country: nil)
        #expect(paid.data == .fields(["email": "a@b.cm", "country": "CM"]))
        #expect(
            Self.refusal(machine, .card(CardInput(fields: ["email": "a@b", "country": "cm", "pin": "1"])))
                == .parameter("pin", reason: "the provider's page takes no such field"))
    }

    @Test("A one-tap wallet sends no data; a card with a client session is not paid directly")
    func others() throws {
        let wallet = Self.machine(ChannelConfiguration(available: true, sdk: "form"), .wallet)
        #expect(try wallet.prepare(.wallet(channel: "c"), country: nil).data == .fields([:]))
        #expect(
            Self.refusal(wallet, .wallet(channel: "d"))
                == .parameter("channel", reason: "this payment does not offer it"))
        let session = Self.machine(ChannelConfiguration(available: true, clientSession: true))
        #expect(
            Self.refusal(session, .card(CardInput()))
                == .parameter("channel", reason: "it is paid by payment.start_client_session"))
        #expect(try session.prepareClientSession(channel: "c") == .card)
    }

    @Test(
        "Card numbers are never accepted in live",
        arguments: [
            ("number", "4"), ("first_name", "4242424242424242"), ("city", "4242 4242 4242 4242"),
            ("address", "4242-4242-4242-4242"), ("email", "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢"), ("cvc", "123"), ("PAN", "x"),
            ("zip_code", "4000.0566.5566.5556"), ("phone", "4242424242424242"),
        ])
    func cardNumbers(field: String, text: String) {
        let machine = Self.machine(
            ChannelConfiguration(available: true, sdk: "hosted_redirect", requiredFields: [field]), sandbox: false)
        #expect(
            Self.refusal(machine, .card(CardInput(fields: [field: text])))
                == .wajub(WajubError(.cardNumberRefused, in: .en)))
        #expect(
            Self.refusal(machine, .raw(channel: "c", json: "{}", leaves: [(field, text)]))
                == .wajub(WajubError(.cardNumberRefused, in: .en)))
    }

    @Test(
        "What is no card number passes in live",
        arguments: [("phone", "+237677123456"), ("address", "12 rue 345"), ("zip_code", "00237")])
    func noCardNumbers(field: String, text: String) throws {
        let machine = Self.machine(
            ChannelConfiguration(available: true, sdk: "hosted_redirect", requiredFields: [field]), sandbox: false)
        let paid = try machine.prepare(.card(CardInput(fields: [field: text])), country: nil)
        #expect(paid.data == .fields([field: text]))
    }

    @Test("What the payer gave prints as a placeholder")
    func secrets() throws {
        let machine = Self.machine(ChannelConfiguration(available: true, sdk: "form"))
        let input = PayInput.card(CardInput(fields: ["number": "4000056655665556"]))
        let paid = try machine.prepare(input, country: nil)
        for text in ["\(input)", String(reflecting: input), "\(paid)", String(reflecting: paid)] {
            #expect(!text.contains("4000056655665556"))
        }
        var dumped = ""
        dump(paid, to: &dumped)
        dump(input, to: &dumped)
        #expect(!dumped.contains("4000056655665556"))
    }

    @Test(
        "In live nothing that looks like a card's number goes out as anything else of a card",
        arguments: [
            CardInput(paymentMethodID: "4242 4242 4242 4242"),
            CardInput(paymentMethodID: "pm_1", cardHolder: "4242424242424242"),
        ])
    func cardNumberElsewhere(card: CardInput) {
        var session = Sheet.session(.pending, channels: [Channel(slug: "card", name: "Card", family: .card)])
        session.transaction.sandbox = false
        var sheet = Sheet()
        sheet.send(.configurationAnswered(["card": ChannelConfiguration(available: true, sdk: "stripe_elements")]))
        sheet.send(.sessionAnswered(session))
        #expect(throws: PayRefusal.wajub(WajubError(.cardNumberRefused, in: .en))) {
            try sheet.machine.prepare(.card(card), country: nil)
        }
    }
}

struct Unexpected: Error {}
