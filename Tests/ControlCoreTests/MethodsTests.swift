import JSON
import JSONRPC
import Testing

@testable import ControlCore

@Suite("methods and check-number", .timeLimit(.minutes(10)))
struct MethodsTests {
    @Test("methods is a table that says how pay is told each, and JSON a method a line")
    func methods() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", offers)
            let run = await wajubctl("methods", "order-17", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(
                run.lines == [
                    "METHOD        CHANNEL    NAME          WHERE             PAY WITH",
                    "mobile_money  cm.mobile  Mobile Money  CM (mtn, orange)  --phone NUMBER",
                    "mobile_money  ci.wave    Wave          CI                --phone NUMBER",
                    "card          card       Card                            "
                        + "--channel card --field first_name=VALUE --field email=VALUE",
                    "wallet        ci.djamo   Djamo         CI                --wallet ci.djamo",
                ])
            #expect(daemon.params(of: "payment.methods") == [["payment": ["reference": "order-17"]]])
            let json = await wajubctl("methods", "order-17", "--json", "--socket", daemon.path)
            #expect(json.json == offers["methods"]?.array)
        }
    }

    @Test(
        "each kind of card says its own options",
        arguments: [
            (cardOffer(["sdk": "stripe_elements"]), "--channel card --payment-method-id ID"),
            (cardOffer(["sdk": "form", "client_session": true]), "--client-session --channel card"),
            (cardOffer(["sdk": "form"]), "--channel card --field number=VALUE"),
            (cardOffer(["sdk": "something_new"]), "--channel card"),
        ])
    func cards(offer: JSONValue, options: String) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", offer)
            let run = await wajubctl("methods", "pay_1", "--socket", daemon.path)
            #expect(run.lines.last?.hasSuffix("  " + options) == true)
        }
    }

    @Test("a valid number is shown in full, by what its options say")
    func valid() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("mobile_money.check", checked(["operator": "mtn"]))
            let run = await wajubctl(
                "check-number", "677123456", "--country", "CM", "--operator", "mtn", "--payment", "order-17",
                "--socket",
                daemon.path)
            #expect(run.status == .success)
            #expect(
                run.lines == [
                    "number     +237677123456", "formatted  +237 6 77 12 34 56", "country    CM", "operator   mtn",
                ])
            let params: [String: JSONValue] = [
                "phone": "677123456", "country": "CM", "operator": "mtn", "payment": ["reference": "order-17"],
            ]
            #expect(daemon.params(of: "mobile_money.check") == [params])
        }
    }

    @Test("one that is not ends with 1 and why, as JSON on a line of its own")
    func invalid() async throws {
        try await withDaemon { daemon, _ in
            let error: JSONValue = ["code": "operator_mismatch", "message": "This number belongs to MTN."]
            let check = checked(["valid": false, "error": error])
            daemon.on("mobile_money.check", check)
            let run = await wajubctl("check-number", "-", "--json", "--socket", daemon.path, typist: Typist("677"))
            #expect(run.status == .refused)
            #expect(run.json == [check])
            #expect(run.complaints == ["This number belongs to MTN. [operator_mismatch]"])
            #expect(daemon.params(of: "mobile_money.check") == [["phone": "677"]])
        }
    }

    @Test("a number that was not given is asked for at a terminal, and named elsewhere")
    func missing() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("mobile_money.check", checked())
            let typist = Typist("677", isTerminal: true)
            let person = await wajubctl("check-number", "--socket", daemon.path, typist: typist)
            #expect(person.status == .success)
            #expect(typist.prompts == ["Phone number"])
            let script = await wajubctl("check-number", "--socket", daemon.path)
            #expect(script.status == .usage)
            #expect(script.complaints == ["NUMBER: is missing"])
        }
    }
}
