import Contract
import JSON
import JSONRPC
import Testing
import WajubWatchTestSupport

@testable import DaemonCore

@Suite("mobile_money.check", .timeLimit(.minutes(10)))
struct MobileMoneyCheckTests {
    private static let cameroon = Channel(
        slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney, countries: ["CM"],
        operators: [MobileOperator(id: "mtn", name: "MTN MoMo"), MobileOperator(id: "orange", name: "Orange Money")])

    private static func check(_ counter: Counter, _ params: [String: JSONValue]) async throws -> JSONValue {
        try await counter.client.call("mobile_money.check", params)
    }

    @Test("A number that says its country needs nothing else")
    func international() async throws {
        try await Counter.with { counter in
            let answer = try await Self.check(counter, ["phone": "+237 677 12 34 56"])
            #expect(
                answer == [
                    "e164": "+237677123456", "national": "677123456", "formatted": "6 77 12 34 56", "country": "CM",
                    "operator": "mtn", "valid": true,
                ])
        }
    }

    @Test("A local number is of the country asked for, else of the daemon's --country, else of none that is known")
    func country() async throws {
        try await Counter.with(defaults: WatchDefaults(country: "CI")) { counter in
            let own = try await Self.check(counter, ["phone": "0707070707"])
            #expect(own["e164"] == "+2250707070707")
            #expect(own["operator"] == "orange")
            let asked = try await Self.check(counter, ["phone": "677123456", "country": "cm"])
            #expect(asked["e164"] == "+237677123456")
        }
        try await Counter.with { counter in
            let answer = try await Self.check(counter, ["phone": "677123456"])
            #expect(answer["valid"] == false)
            #expect(answer["error"]?["code"] == "validation_error")
            #expect(answer["error"]?["param"] == "country")
            #expect(answer["country"] == nil)
        }
    }

    @Test(
        "An empty number is phone_required, a wrong one invalid_phone, in the daemon's language and without certainty")
    func invalid() async throws {
        try await Counter.with(defaults: WatchDefaults(language: .fr, country: "CM")) { counter in
            let empty = try await Self.check(counter, ["phone": " "])
            #expect(empty["valid"] == false)
            #expect(empty["error"]?["code"] == "phone_required")
            #expect(empty["error"]?["param"] == "phone")
            #expect(empty["country"] == "CM")
            #expect(empty["e164"] == nil)
            let short = try await Self.check(counter, ["phone": "67712"])
            #expect(short["error"]?["code"] == "invalid_phone")
            #expect(short["error"]?["certainty"] == nil)
            #expect(short["national"] == "67712")
            #expect(short["formatted"] == "6 77 12")
            #expect(short["e164"] == nil)
        }
    }

    @Test("The operator given is told back, and a number that is certainly another's does not fit it")
    func operatorGiven() async throws {
        try await Counter.with(defaults: WatchDefaults(language: .fr)) { counter in
            let right = try await Self.check(counter, ["phone": "+237677123456", "operator": "mtn"])
            #expect(right["valid"] == true)
            let wrong = try await Self.check(counter, ["phone": "+237677123456", "operator": "orange"])
            #expect(wrong["valid"] == false)
            #expect(wrong["operator"] == "orange")
            #expect(wrong["e164"] == "+237677123456")
            #expect(wrong["error"]?["code"] == "operator_mismatch")
            #expect(wrong["error"]?["message"] == "Ce numéro appartient à MTN. Choisissez MTN ou vérifiez le numéro.")
            let any = try await Self.check(counter, ["phone": "+237677123456", "operator": "wave"])
            #expect(any["valid"] == true)
            let unknown = try await Self.check(counter, ["phone": "+237677123456", "operator": "newcomer"])
            #expect(unknown["valid"] == true)
            let ported = try await Self.check(counter, ["phone": "+233241234567", "operator": "telecel"])
            #expect(ported["valid"] == true)
            #expect(ported["warning"]?["code"] == "operator_mismatch")
        }
    }

    @Test("With a payment its channels and its environment count")
    func payment() async throws {
        try await Counter.with { counter in
            counter.till.wajub.offer([Self.cameroon])
            let id = try await counter.loaded()["id"] ?? .null
            let fine = try await Self.check(counter, ["phone": "677123456", "payment": id])
            #expect(fine["valid"] == true)
            #expect(fine["operator"] == "mtn")
            let mismatch = try await Self.check(
                counter, ["phone": "677123456", "operator": "orange", "payment": id])
            #expect(mismatch["error"]?["code"] == "operator_mismatch")
            #expect(mismatch["error"]?["message"]?.string?.hasPrefix("This number belongs to MTN MoMo.") == true)
            let untold = try await Self.check(counter, ["phone": "620123456", "payment": id])
            #expect(untold["error"]?["code"] == "operator_required")
            let elsewhere = try await Self.check(counter, ["phone": "+2250707070707", "payment": id])
            #expect(elsewhere["error"]?["code"] == "invalid_phone")
            let country = try await Self.check(counter, ["phone": "677123456", "country": "CI", "payment": id])
            #expect(country["error"]?["param"] == "country")
            let stranger = try await Self.check(counter, ["phone": "677123456", "operator": "wave", "payment": id])
            #expect(stranger["error"]?["param"] == "operator")
        }
    }

    @Test("In sandbox a mismatch warns and blocks nothing")
    func sandbox() async throws {
        try await Counter.with { counter in
            counter.till.wajub.offer([Self.cameroon], sandbox: true)
            let id = try await counter.loaded()["id"] ?? .null
            let answer = try await Self.check(
                counter, ["phone": "+237670000000", "operator": "orange", "payment": id])
            #expect(answer["valid"] == true)
            #expect(answer["error"] == nil)
            #expect(answer["warning"]?["code"] == "operator_mismatch")
        }
    }

    @Test("A payment that is unknown, not loaded or ended is refused as for its methods")
    func refused() async throws {
        try await Counter.with { counter in
            let params: [String: JSONValue] = ["phone": "677123456"]
            func code(_ payment: JSONValue) async throws -> JSONValue? {
                try await counter.refusal("mobile_money.check", params.merging(["payment": payment]) { $1 })?.data?[
                    "code"]
            }
            #expect(try await code("pay_none") == "unknown_payment")
            counter.till.wajub.hold(.session)
            let early = try await counter.payment("payment.watch", ["token": "token-1"])["id"] ?? .null
            #expect(try await code(early) == "not_ready")
            counter.till.wajub.release(.session)
            let id = try await counter.loaded()["id"] ?? .null
            _ = try await counter.payment("payment.close", ["payment": id])
            #expect(try await code(id) == "payment_ended")
        }
    }

    @Test(
        "A parameter that is wrong, missing or unknown is named, and the number never repeated",
        arguments: [
            ([:], "phone"), (["phone": .null], "phone"), (["phone": 677_123_456], "phone"),
            (["phone": "677123456", "country": "Cameroon"], "country"),
            (["phone": "677123456", "country": ""], "country"),
            (["phone": "677123456", "country": "C1"], "country"), (["phone": "677123456", "operator": 1], "operator"),
            (["phone": "677123456", "operator": ""], "operator"), (["phone": "677123456", "payment": 1], "payment"),
            (["phone": "677123456", "channel": "cm.mobile"], "channel"),
        ] as [([String: JSONValue], String)])
    func badParams(params: [String: JSONValue], param: String) async throws {
        try await Counter.with { counter in
            let error = try #require(try await counter.refusal("mobile_money.check", params))
            #expect(error.code == .invalidParams)
            #expect(error.data?["param"] == .string(param))
            #expect(!error.message.contains("677"))
        }
    }
}
