import ContractSimulation
import Testing

@testable import Contract

@Suite("Phone numbers")
struct NumberTests {
    @Test("Every country's example number is read in every shape", arguments: ExampleNumber.all)
    func example(_ example: ExampleNumber) {
        let dialled = example.e164.dropFirst()
        for shape in [
            example.national, example.local, example.grouped, example.e164, "00\(dialled)", "\(dialled)",
            "+\(dialled.dropLast(example.national.count)) \(example.grouped)",
        ] {
            #expect(MobileMoney.isValid(shape, country: example.country), "\(shape)")
            #expect(MobileMoney.e164(shape, country: example.country) == example.e164, "\(shape)")
            #expect(MobileMoney.nationalDigits(shape, country: example.country) == example.national, "\(shape)")
            #expect(MobileMoney.formatAsYouType(shape, country: example.country) == example.grouped, "\(shape)")
        }
        #expect(MobileMoney.detectOperator(example.e164, country: example.country) == example.network)
    }

    @Test("A number's own dial code tells its country", arguments: ExampleNumber.all)
    func ownCountry(_ example: ExampleNumber) {
        let check = MobileMoney.check(MobileMoneyInput(phone: example.e164), defaultCountry: nil)
        #expect(check.e164 == example.e164)
        // Morocco and Western Sahara have one plan: its numbers are Morocco's unless somebody says otherwise.
        #expect(check.country == (example.country == "EH" ? "MA" : example.country))
    }

    @Test("The plans are Africa's, and no prefix of a network begins with another's")
    func plans() {
        #expect(NumberingPlan.all.count == ExampleNumber.all.count)
        for plan in NumberingPlan.all {
            let prefixes = plan.networks.flatMap(\.prefixes)
            for prefix in prefixes {
                #expect(prefixes.filter { prefix.hasPrefix($0) } == [prefix], "\(plan.country) \(prefix)")
            }
            #expect(Set(plan.groupings.map(\.length)) == Set(plan.mobile.map(\.length)), "\(plan.country)")
        }
    }

    @Test(
        "What people type is read",
        arguments: [
            "677123456", "6 77 12 34 56", "677-12-34-56", "677.123.456", "(677) 123 456", "677/123/456",
            "677\u{A0}123\u{A0}456", "677\u{202F}123\u{2009}456", "677–123—456", "677\u{2011}123\u{2212}456",
            "+237677123456", "+237 6 77 12 34 56", "(+237) 677 123 456", "+ 237 677123456", "00237677123456",
            "00 237 677 123 456", "000237677123456", "237677123456", "237 677 12 34 56", "\u{FF0B}237677123456",
            "٦٧٧١٢٣٤٥٦", "+٢٣٧٦٧٧١٢٣٤٥٦", "۶۷۷۱۲۳۴۵۶", "６７７１２３４５６", "६७७१२३४५६", "  677123456\n",
            "\u{200E}+237677123456\u{200F}", "\u{2066}677123456\u{2069}", "677\u{AD}123456", "\u{FEFF}677123456",
            "\t677\t123\t456", "677 123 456.",
        ])
    func shapes(typed: String) {
        #expect(MobileMoney.e164(typed, country: "CM") == "+237677123456")
    }

    private static let noNumbers: [String] = [
        "", " ", "+", "a", "67712345a", "tel:677123456", "677123456 ext 5", "677123456#", "*677123456",
        "677,123,456",
        "67712345", "6771234567", "+2376771234567", "++237677123456", "237+677123456", "+237+677123456",
        "+0677123456", "+00237677123456", "00677123456", "+23700677123456", "+225677123456", "+2250707070707",
        "6771234५६ x", "677١٢", "½77123456", "²77123456", "Ⅵ77123456", "6️⃣77123456", "677123456\u{0}", "677_123_456",
        "0000000000", "677\u{301}123456", String(repeating: "6", count: 40), String(repeating: "6", count: 60_000),
        String(repeating: " ", count: 60_000), "+" + String(repeating: "2", count: 40),
    ]

    @Test(
        "What is no number is none", arguments: noNumbers)
    func nonsense(typed: String) {
        #expect(MobileMoney.e164(typed, country: "CM") == nil)
        #expect(!MobileMoney.isValid(typed, country: "CM"))
    }

    @Test(
        "A trunk prefix is dropped where there is one, and kept where it is a digit of the number",
        arguments: [
            ("0241234567", "GH", "+233241234567"), ("241234567", "GH", "+233241234567"),
            ("+233 (0)24 123 4567", "GH", "+233241234567"), ("2330241234567", "GH", "+233241234567"),
            ("08021234567", "NG", "+2348021234567"), ("0712123456", "KE", "+254712123456"),
            ("0821234567", "ZA", "+27821234567"), ("0707070707", "CI", "+2250707070707"),
            ("01 97 12 34 56", "BJ", "+2290197123456"), ("061234567", "CG", "+242061234567"),
            ("06031234", "GA", "+24106031234"), ("062123456", "GA", "+24162123456"), ("62123456", "GA", "+24162123456"),
            ("01020304", "BF", "+22601020304"), ("0677123456", "CM", "+237677123456"),
            ("+237 (0) 677 12 34 56", "CM", "+237677123456"),
        ])
    func trunk(typed: String, country: String, e164: String) {
        #expect(MobileMoney.e164(typed, country: country) == e164)
    }

    @Test(
        "A number of ten digits without its first 0, or of eight digits from before, is none",
        arguments: [("707070707", "CI"), ("+225707070707", "CI"), ("07070707", "CI"), ("97123456", "BJ")])
    func tenDigits(typed: String, country: String) {
        #expect(MobileMoney.e164(typed, country: country) == nil)
    }

    @Test("Of a country without a plan nothing is known", arguments: ["FR", "cm", "", "XX"])
    func unknownCountry(country: String) {
        #expect(MobileMoney.e164("+237677123456", country: country) == nil)
        #expect(!MobileMoney.isValid("677123456", country: country))
        #expect(MobileMoney.detectOperator("677123456", country: country) == nil)
        #expect(MobileMoney.nationalDigits("677-12", country: country) == "67712")
        #expect(MobileMoney.formatAsYouType("677-12", country: country) == "67712")
    }

    private static let otherNames: [(String, Set<String>)] = [
        ("mtn", ["mtn"]), ("MTN_CM", ["mtn"]), ("orange-money", ["orange"]), ("Moov Africa", ["moov"]),
        ("flooz", ["moov"]), ("M-Pesa", ["safaricom", "vodacom"]), ("mpesa", ["safaricom", "vodacom"]),
        ("T-Money", ["yas"]), ("Mixx by Yas", ["yas"]), ("free_money", ["yas"]), ("Tigo Pesa", ["yas"]),
        ("tigo", ["at", "yas"]),
        ("Airtel Money", ["airtel"]), ("AirtelTigo Money", ["airtel", "at"]),
        ("Vodafone Cash", ["telecel", "vodafone"]),
        ("mobile", []), ("", []), ("é", []), ("Wave", []),
    ]

    @Test("Operators go by many names", arguments: otherNames)
    func names(name: String, networks: Set<String>) {
        #expect(Network.all(named: name) == networks)
    }

    @Test("Random text in any country: every answer agrees with the others, and nothing traps")
    func random() {
        var chance = Dice(seed: 20_240_607)
        let alphabet = Array("00123456789 +-().٠٩۵５xé\u{A0}\u{200F}")
        let countries = NumberingPlan.all.map(\.country) + ["FR", ""]
        for _ in 0..<5000 {
            let text = String(
                (0..<Int.random(in: 0...26, using: &chance)).map { _ in alphabet.randomElement(using: &chance)! })
            let country = countries.randomElement(using: &chance)!
            let e164 = MobileMoney.e164(text, country: country)
            let national = MobileMoney.nationalDigits(text, country: country)
            let shown = MobileMoney.formatAsYouType(text, country: country)
            #expect(MobileMoney.isValid(text, country: country) == (e164 != nil))
            #expect(shown.filter { $0 != " " } == national)
            #expect(national.utf8.allSatisfy { (0x30...0x39).contains($0) })
            if let e164 {
                #expect(e164.hasSuffix(national))
                #expect(MobileMoney.e164(e164, country: country) == e164)
                #expect(MobileMoney.e164(shown, country: country) == e164)
            }
            let result = Offers.prepare(text, country: country == "" ? nil : country, .sandbox)
            if case .success(let payment) = result { #expect(payment.phone.hasPrefix("+")) }
            _ = MobileMoney.check(MobileMoneyInput(phone: text, operator: text), defaultCountry: country)
        }
    }
}
