import Testing

@testable import Contract

/// The bullets of seed 000, "Mobile Money", word by word.
@Suite("Mobile Money")
struct MobileMoneyTests {
    // MARK: Country

    @Test("Country: the one set, else the payer's when a channel covers it, else the first one offered")
    func country() throws {
        let phone = "0707070707"
        #expect(try Offers.prepare(phone, country: "CI", operator: "orange", payer: "CM").get().country == "CI")
        #expect(try Offers.prepare(phone, operator: "orange", payer: "CI").get().country == "CI")
        #expect(try Offers.prepare("677123456", payer: "SN").get().country == "CM")
        #expect(try Offers.prepare("677123456").get().country == "CM")
    }

    @Test("Country: the till's own comes before the payer's, where a channel covers it")
    func tillCountry() throws {
        #expect(try Offers.prepare("677123456", payer: "CI", till: "CM").get().country == "CM")
        #expect(try Offers.prepare("0707070707", payer: "CI", till: "SN").get().country == "CI")
    }

    @Test(
        "Country: a number that says its own needs none",
        arguments: ["+2250707070707", "002250707070707", "2250707070707", "+225 07 07 07 07 07"])
    func numbersOwnCountry(phone: String) throws {
        let payment = try Offers.prepare(phone, payer: "CM", till: "CM").get()
        #expect(payment.country == "CI")
        #expect(payment.phone == "+2250707070707")
    }

    @Test("Country: a number of another country than the one set is invalid there")
    func otherCountry() {
        #expect(Offers.prepare("+2250707070707", country: "CM").complaint == "invalid_phone phone")
        #expect(Offers.prepare("+33612345678").complaint == "invalid_phone phone")
        #expect(Offers.prepare("+221771234567").complaint == "invalid_phone phone")
    }

    @Test("Country: one that no Mobile Money channel covers is refused by name", arguments: ["SN", "XX", "C", ""])
    func uncovered(country: String) {
        #expect(Offers.prepare("677123456", country: country).complaint == "validation_error country")
    }

    @Test("Country: it is written in any case, and sent in two capitals")
    func capitals() throws {
        #expect(try Offers.prepare("677123456", country: "cm").get().country == "CM")
    }

    // MARK: Operators

    @Test("Operators: one choice per operator; an aggregate lists each member with its own name")
    func choices() {
        let cameroon = OperatorChoice.offered(by: Offers.all, in: "CM")
        #expect(cameroon.map(\.id) == ["mtn", "orange"])
        #expect(cameroon.map(\.name) == ["MTN Mobile Money", "Orange Money"])
        #expect(cameroon.allSatisfy { $0.channel == "cm.mobile" && $0.isAggregateMember })
        let ivory = OperatorChoice.offered(by: Offers.all, in: "CI")
        #expect(ivory.map(\.id) == ["mtn", "orange", "wave"])
        #expect(ivory.map(\.channel) == ["ci.mtn", "ci.orange", "ci.wave"])
        #expect(ivory.allSatisfy { !$0.isAggregateMember })
        #expect(OperatorChoice.offered(by: Offers.all, in: "SN").isEmpty)
    }

    // MARK: Number

    @Test(
        "Number: formatted as it is typed",
        arguments: [
            ("", ""), ("6", "6"), ("67", "6 7"), ("677", "6 77"), ("677123", "6 77 12 3"),
            ("677123456", "6 77 12 34 56"), ("+237677123456", "6 77 12 34 56"), ("6771234567", "6 77 12 34 567"),
        ])
    func formatted(typed: String, shown: String) {
        #expect(MobileMoney.formatAsYouType(typed, country: "CM") == shown)
    }

    // MARK: Detection

    @Test("Detection: the number's prefix preselects its operator")
    func detection() throws {
        #expect(try Offers.prepare("677123456").get().operator == "mtn")
        #expect(try Offers.prepare("699123456").get().operator == "orange")
        #expect(try Offers.prepare("0507070707", country: "CI").get().channel == "ci.mtn")
        #expect(try Offers.prepare("0707070707", country: "CI").get().channel == "ci.orange")
    }

    @Test(
        "Detection: while the number does not tell there is none",
        arguments: [("", nil), ("6", nil), ("65", nil), ("655", "orange"), ("67", "mtn"), ("6x", nil)])
    func undecided(typed: String, network: String?) {
        #expect(MobileMoney.detectOperator(typed, country: "CM") == network)
    }

    @Test("Detection: a manual pick is never overridden")
    func manualPick() throws {
        let payment = try Offers.prepare("0507070707", country: "CI", operator: "wave").get()
        #expect(payment.channel == "ci.wave")
        let sandbox = try Offers.prepare("677000000", operator: "orange", .sandbox).get()
        #expect(sandbox.operator == "orange")
    }

    // MARK: Checks before sending

    @Test(
        "Checks: an empty number is phone_required, whatever else is wrong", arguments: ["", "  ", "-", "+", "\u{A0}"])
    func phoneRequired(phone: String) {
        #expect(Offers.prepare(phone).complaint == "phone_required phone")
        #expect(Offers.prepare(phone, country: "SN").complaint == "phone_required phone")
        #expect(Offers.prepare(phone, operator: "nobody").complaint == "phone_required phone")
    }

    @Test("Checks: an invalid number is invalid_phone", arguments: ["6", "67712345", "6771234567", "abc", "233123456"])
    func invalidPhone(phone: String) {
        #expect(Offers.prepare(phone).complaint == "invalid_phone phone")
        #expect(Offers.prepare(phone, operator: "orange").complaint == "invalid_phone phone")
    }

    @Test("Checks: a number of another offered operator is operator_mismatch: \"This number belongs to MTN…\"")
    func mismatch() throws {
        let refusal = try #require(Offers.prepare("677123456", operator: "orange").refusal)
        #expect(refusal.code == .operatorMismatch)
        #expect(refusal.operatorName == "MTN Mobile Money")
        let english = refusal.error(in: .en)
        #expect(english.message.hasPrefix("This number belongs to MTN Mobile Money."))
        #expect(english.param == "phone")
        #expect(english.type == .invalidRequest)
        #expect(english.retryable)
        #expect(english.certainty == .definite)
        #expect(refusal.error(in: .fr).message.hasPrefix("Ce numéro appartient à MTN Mobile Money."))
    }

    @Test("Checks: a channel asked for by name mismatches as its operator does")
    func channelMismatch() {
        #expect(Offers.prepare("0707070707", country: "CI", channel: "ci.mtn").complaint == "operator_mismatch phone")
        let nexttel = Offers.plain("cm.nexttel", "Nexttel", "CM")
        #expect(
            Offers.prepare("660123456", channel: "cm.mobile", of: [Offers.cameroon, nexttel]).complaint
                == "operator_mismatch phone")
    }

    @Test("Checks: a number of an operator that is not offered is no mismatch")
    func notOffered() throws {
        #expect(try Offers.prepare("620123456", operator: "orange").get().operator == "orange")
        #expect(try Offers.prepare("0101010101", country: "CI", operator: "mtn").get().channel == "ci.mtn")
    }

    @Test("Checks: no operator picked, none told by the number, more than one offered: operator_required")
    func operatorRequired() {
        #expect(Offers.prepare("620123456").complaint == "operator_required operator")
        #expect(Offers.prepare("0101010101", country: "CI").complaint == "operator_required operator")
        #expect(Offers.prepare("620123456", channel: "cm.mobile").complaint == "operator_required operator")
    }

    @Test("Checks: where there is one operator only, none need be known")
    func onlyOne() throws {
        #expect(try Offers.prepare("0101010101", of: [Offers.wave]).get().channel == "ci.wave")
        #expect(try Offers.prepare("0101010101", country: "CI", channel: "ci.mtn").get().channel == "ci.mtn")
    }

    @Test(
        "Wave, Express Union, Djamo, Capitec, OPay and PalmPay take any number and are never a mismatch",
        arguments: [
            ("ci.wave", "Wave"), ("ci.express_union", "Express Union"), ("ci.expressunion", "EU Mobile"),
            ("ci.djamo", "Djamo"), ("ci.capitec", "Capitec"), ("ci.opay", "OPay"), ("ci.palmpay", "PalmPay"),
            ("ci.w", "Wave"),
        ])
    func anyNumber(slug: String, name: String) throws {
        let channels = [Offers.orange, Offers.plain(slug, name, "CI")]
        let payment = try Offers.prepare("0707070707", channel: slug, of: channels).get()
        #expect(payment.channel == slug)
        #expect(payment.warning == nil)
    }

    @Test("In sandbox a mismatch never blocks: it warns")
    func sandboxMismatch() throws {
        let payment = try Offers.prepare("677000000", operator: "orange", .sandbox).get()
        #expect(payment.operator == "orange")
        #expect(payment.warning?.code == .operatorMismatch)
        #expect(try Offers.prepare("677000000", .sandbox).get().warning == nil)
    }

    @Test("Where numbers may have been ported, a mismatch warns")
    func ported() throws {
        let ghana = [Offers.plain("gh.mtn", "MTN", "GH"), Offers.plain("gh.telecel", "Telecel Cash", "GH")]
        let payment = try Offers.prepare("0241234567", operator: "telecel", of: ghana).get()
        #expect(payment.channel == "gh.telecel")
        #expect(payment.warning?.operatorName == "MTN")
        #expect(try Offers.prepare("0241234567", of: ghana).get().channel == "gh.mtn")
    }

    @Test("An operator that this version has never heard of may own any number: a mismatch warns")
    func unheardOf() throws {
        let channels = [Offers.orange, Offers.plain("ci.newcomer", "Newcomer", "CI")]
        let payment = try Offers.prepare("0707070707", operator: "newcomer", of: channels).get()
        #expect(payment.channel == "ci.newcomer")
        #expect(payment.warning?.operatorName == "Orange Money")
    }

    // MARK: What is sent

    @Test("What is sent: the number in E.164, +237677123456, the country, and the channel")
    func sent() throws {
        let payment = try Offers.prepare("6 77 12 34 56").get()
        #expect(payment.channel == "cm.mobile")
        #expect(payment.data == ["phone": "+237677123456", "country": "CM", "operator": "mtn"])
        #expect(payment.masked == "+237 ••••••• 56")
    }

    @Test(
        "What is sent: Côte d'Ivoire keeps its leading 0",
        arguments: ["0707070707", "07 07 07 07 07", "+2250707070707"])
    func ivoryCoast(phone: String) throws {
        let payment = try Offers.prepare(phone, country: "CI").get()
        #expect(payment.data == ["phone": "+2250707070707", "country": "CI"])
        #expect(payment.masked == "+225 •••••••• 07")
    }

    @Test("What is sent: on an aggregate, operator goes only when picked, or the number names the one selected")
    func operatorSent() throws {
        let one = Channel(
            slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney, countries: ["CM"],
            operators: [MobileOperator(id: "mtn", name: "MTN")])
        #expect(try Offers.prepare("677123456", of: [one]).get().operator == "mtn")
        #expect(try Offers.prepare("620123456", operator: "mtn", of: [one]).get().operator == "mtn")
        #expect(try Offers.prepare("620123456", of: [one]).get().operator == nil)
        #expect(try Offers.prepare("0707070707", country: "CI", operator: "orange").get().operator == nil)
    }

    // MARK: What a till may say

    @Test(
        "An operator is known by its id in any case, or by another name of its network",
        arguments: ["mtn", "MTN", "momo"])
    func operatorNames(name: String) throws {
        #expect(try Offers.prepare("677123456", operator: name).get().operator == "mtn")
        #expect(try Offers.prepare("0507070707", country: "CI", operator: name).get().channel == "ci.mtn")
    }

    @Test("An operator that is not offered there is refused by name", arguments: ["wave", "nobody", ""])
    func strangeOperator(name: String) {
        #expect(Offers.prepare("677123456", operator: name).complaint == "validation_error operator")
    }

    @Test(
        "A channel that is none of the payment's Mobile Money channels is refused by name",
        arguments: ["card", "x", ""])
    func strangeChannel(slug: String) {
        let refusal = Offers.prepare("677123456", channel: slug).refusal
        #expect(refusal?.code == .validationError)
        #expect(refusal?.param == .channel)
        #expect(refusal?.error(in: .en).details?["channel"] != nil)
    }

    @Test("A channel that lists no country is of the one that its slug begins with")
    func countryOfSlug() throws {
        let bare = Channel(slug: "cm.mtn", name: "MTN", family: .mobileMoney)
        #expect(try Offers.prepare("677123456", of: [bare]).get().country == "CM")
    }

    @Test("An aggregate whose members are not told is paid without naming one")
    func untoldMembers() throws {
        let bare = Channel(slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney, countries: ["CM"])
        let payment = try Offers.prepare("677123456", of: [bare]).get()
        #expect(payment.data == ["phone": "+237677123456", "country": "CM"])
    }

    @Test("A payment without Mobile Money refuses")
    func none() {
        #expect(Offers.prepare("677123456", of: [Offers.card]).complaint == "validation_error country")
        #expect(Offers.prepare("+237677123456", of: []).complaint == "invalid_phone phone")
    }

    @Test("A country without a plan here takes international numbers: Wajub judges them")
    func noPlan() throws {
        let haiti = [Offers.plain("ht.moncash", "MonCash", "HT")]
        let payment = try Offers.prepare("+509 34 10 1234", of: haiti).get()
        #expect(payment.data == ["phone": "+50934101234", "country": "HT"])
        #expect(payment.masked == "+ ••••••••• 34")
        #expect(Offers.prepare("34101234", of: haiti).complaint == "invalid_phone phone")
        #expect(Offers.prepare("+509", of: haiti).complaint == "invalid_phone phone")
    }

    // MARK: Sandbox

    @Test("Sandbox: an operator's prefix and seven digits, +237670000000, follow no numbering plan", arguments: 0...4)
    func sandboxNumbers(scenario: Int) throws {
        for (prefix, country, dial) in [
            ("67", "CM", "237"), ("69", "CM", "237"), ("050", "CI", "225"), ("070", "CI", "225"),
        ] {
            let national = prefix + "000000\(scenario)"
            let payment = try Offers.prepare(national, country: country, .sandbox).get()
            #expect(payment.phone == "+" + dial + national)
            #expect(try Offers.prepare("+" + dial + national, .sandbox).get() == payment)
        }
        for national in ["33000000\(scenario)", "90000000\(scenario)"] {
            let payment = try Offers.prepare(national, country: "CM", operator: "mtn", .sandbox).get()
            #expect(payment.phone == "+237" + national)
            #expect(Offers.prepare(national, country: "CM", operator: "mtn").complaint == "invalid_phone phone")
        }
    }

    @Test(
        "Sandbox: what no number looks like is invalid there too", arguments: ["6700000", "67000000000", "67000000x"])
    func sandboxNonsense(phone: String) {
        #expect(Offers.prepare(phone, .sandbox).complaint == "invalid_phone phone")
    }

    // MARK: Privacy

    @Test("Nothing that holds a number shows it")
    func hidden() throws {
        let input = MobileMoneyInput(phone: "677123456")
        let payment = try Offers.prepare("677123456").get()
        let check = MobileMoney.check(input, defaultCountry: "CM")
        for thing: Any in [input, payment, check, TypedNumber("677123456"), Offers.prepare("677123456")] {
            var dumped = ""
            dump(thing, to: &dumped)
            for text in ["\(thing)", String(reflecting: thing), dumped] {
                #expect(!text.contains("677") && !text.contains("3456"), "\(text)")
            }
        }
    }
}
