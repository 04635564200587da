import JSON
import JSONRPC
import Testing

@testable import ControlCore

/// What `payment.methods` offers, as in the sandbox.
let offers: JSONValue = [
    "methods": [
        [
            "method": "mobile_money", "channel": "cm.mobile", "name": "Mobile Money", "countries": ["CM"],
            "operators": [["id": "mtn", "name": "MTN Mobile Money"], ["id": "orange", "name": "Orange Money"]],
        ],
        ["method": "mobile_money", "channel": "ci.wave", "name": "Wave", "countries": ["CI"]],
        [
            "method": "card", "channel": "card", "name": "Card", "countries": [], "sdk": "hosted_redirect",
            "required_fields": ["first_name", "email"],
        ],
        ["method": "wallet", "channel": "ci.djamo", "name": "Djamo", "countries": ["CI"]],
    ]
]

/// The offer of one card channel.
func cardOffer(_ more: JSONValue) -> JSONValue {
    let base: [String: JSONValue] = ["method": "card", "channel": "card", "name": "Card", "countries": []]
    return ["methods": [.object(base.merging(more.object ?? [:]) { $1 })]]
}

func checked(_ more: JSONValue = [:]) -> JSONValue {
    let base: [String: JSONValue] = [
        "e164": "+237677123456", "national": "677123456", "formatted": "+237 6 77 12 34 56", "country": "CM",
        "valid": true,
    ]
    return .object(base.merging(more.object ?? [:]) { $1 })
}

let paying = payment(["state": "PROCESSING", "attempt": ["number": 1, "phase": "recorded", "undecided": true]])

@Suite("pay", .timeLimit(.minutes(10)))
struct PayTests {
    private static let full: [([String], JSONValue)] = [
        (["--wallet", "ci.djamo"], ["payment": "pay_1", "wallet": ["channel": "ci.djamo"]]),
        (
            ["--phone", "677123456", "--country", "CM", "--operator", "mtn", "--channel", "cm.mobile"],
            [
                "payment": "pay_1",
                "mobile_money": [
                    "phone": "677123456", "country": "CM", "operator": "mtn", "channel": "cm.mobile",
                ],
            ]
        ),
        (
            ["--payment-method-id", "pm_1", "--card-holder", "A B", "--channel", "card", "--return-url", "https://t"],
            [
                "payment": "pay_1", "return_url": "https://t",
                "card": ["channel": "card", "payment_method_id": "pm_1", "card_holder": "A B"],
            ]
        ),
    ]

    @Test("what the options say in full goes to the daemon as its params, without another call", arguments: full)
    func told(options: [String], params: JSONValue) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.pay", ["payment": paying])
            let run = await wajubctl(words: ["pay", "pay_1", "--socket", daemon.path] + options)
            #expect(run.status == .success)
            #expect(run.lines.first == "payment    pay_1")
            #expect(daemon.requests.map(\.method) == ["payment.pay"])
            #expect(daemon.params(of: "payment.pay").map(JSONValue.object) == [params])
        }
    }

    @Test("a number that tells its operator is enough, checked by what the payment offers")
    func phone() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", offers)
            daemon.on("mobile_money.check", checked(["operator": "mtn"]))
            daemon.on("payment.pay", ["payment": paying])
            let run = await wajubctl("pay", "pay_1", "--phone", "+237677123456", "--socket", daemon.path)
            #expect(run.status == .success)
            #expect(daemon.params(of: "mobile_money.check") == [["payment": "pay_1", "phone": "+237677123456"]])
            #expect(
                daemon.params(of: "payment.pay") == [["payment": "pay_1", "mobile_money": ["phone": "+237677123456"]]])
        }
    }

    @Test("a number that is not valid is refused as the daemon says, before anything is paid")
    func invalid() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", offers)
            let error: JSONValue = ["code": "invalid_phone", "message": "This number is not valid."]
            daemon.on("mobile_money.check", checked(["valid": false, "error": error]))
            let run = await wajubctl("pay", "pay_1", "--phone", "12", "--socket", daemon.path)
            #expect(run.status == .refused)
            #expect(run.complaints == ["This number is not valid. [invalid_phone]"])
            let json = await wajubctl("pay", "pay_1", "--phone", "12", "--json", "--socket", daemon.path)
            #expect(json.status == .refused)
            #expect(json.json.map { $0["error"]?["data"] } == [error])
            #expect(daemon.params(of: "payment.pay").isEmpty)
        }
    }

    @Test("a client session is started with what its options say, and a script gets all of it")
    func clientSession() async throws {
        try await withDaemon { daemon, _ in
            let screen: JSONValue = ["kind": "client_session", "action_url": "https://pay.test/1"]
            let answer: JSONValue = [
                "payment": payment(["screen": screen]),
                "client_session": ["id": "cs_1", "access_code": "ac_1", "hosted_url": "https://pay.test/2"],
            ]
            daemon.on("payment.start_client_session", answer)
            let words = [
                "pay", "order-17", "--client-session", "--channel", "card", "--email", "a@b.test", "--name", "A",
                "--restart", "--return-url", "https://till.test", "--socket", daemon.path,
            ]
            let script = await wajubctl(words: words + ["--json"])
            #expect(script.json == [answer])
            let params: [String: JSONValue] = [
                "payment": ["reference": "order-17"], "channel": "card", "email": "a@b.test", "name": "A",
                "restart": true, "return_url": "https://till.test",
            ]
            #expect(daemon.params(of: "payment.start_client_session") == [params])
            let person = await wajubctl(words: words)
            #expect(
                person.lines.suffix(2) == [
                    "→ open https://pay.test/2", "→ when the payer is back: wajubctl returned pay_1",
                ])
            #expect(person.lines.contains("page       https://pay.test/1"))
            #expect(!person.output.contains("ac_1"))
        }
    }

    @Test("a client session that Wajub refused leaves the payment open, and its error is shown")
    func refusedClientSession() async throws {
        try await withDaemon { daemon, _ in
            let error: JSONValue = ["code": "missing_fields", "message": "An email is needed.", "retryable": true]
            daemon.on("payment.start_client_session", ["payment": payment(["state": "FAILED", "error": error])])
            let run = await wajubctl(
                "pay", "pay_1", "--client-session", "--channel", "card", "--socket", daemon.path)
            #expect(run.status == .open)
            #expect(run.lines.contains("error      An email is needed. [missing_fields]"))
        }
    }

    @Test("a refusal of the daemon is told, with what it says of money")
    func refused() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.pay") { _, _ in
                .failure(RPCError(.serverError, "An attempt is under way.", data: ["code": "attempt_undecided"]))
            }
            let run = await wajubctl("pay", "pay_1", "--wallet", "ci.djamo", "--socket", daemon.path)
            #expect(run.status == .refused)
            #expect(run.complaints == ["An attempt is under way. [attempt_undecided]"])
        }
    }

    @Test(
        "without a terminal what is missing is named by its option, and nothing is paid",
        arguments: [
            ([], "one of --phone, --channel card, --wallet ci.djamo: is missing; see wajubctl methods"),
            (["--channel", "cm.mobile"], "--phone: is missing"),
            (
                ["--phone", "677123456"],
                "one of --operator mtn, --operator orange: is missing, as the number does not tell whose it is"
            ),
            (["--channel", "card"], "--field first_name=VALUE, --field email=VALUE: is missing"),
            (["--channel", "card", "--field", "email=a@b"], "--field first_name=VALUE: is missing"),
            (
                ["--channel", "us.bank"],
                "--channel: is none that the payment offers: cm.mobile, ci.wave, card, ci.djamo"
            ),
        ])
    func missing(options: [String], complaint: String) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", offers)
            daemon.on("mobile_money.check", checked())
            for more in [[], ["--json"]] {
                // With --json a person at a terminal is not asked either.
                let run = await wajubctl(
                    words: ["pay", "pay_1", "--socket", daemon.path] + options + more,
                    typist: Typist(isTerminal: !more.isEmpty))
                #expect(run.status == .usage)
                #expect(run.complaints == [complaint])
            }
            #expect(daemon.params(of: "payment.pay").isEmpty)
        }
    }

    @Test(
        "of a card's form too, for what the form is",
        arguments: [
            (cardOffer(["sdk": "stripe_elements"]), "--payment-method-id: is missing; Stripe's form makes it"),
            (cardOffer(["sdk": "form"]), "--field number=VALUE: is missing"),
            (
                cardOffer(["sdk": "form", "client_session": true]),
                "--client-session: is missing; card is paid on a page of its provider's"
            ),
        ])
    func missingCard(offer: JSONValue, complaint: String) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", offer)
            let run = await wajubctl("pay", "pay_1", "--socket", daemon.path)
            #expect(run.status == .usage)
            #expect(run.complaints == [complaint])
        }
    }

    @Test("a payment that offers nothing is told")
    func nothing() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.methods", ["methods": []])
            let run = await wajubctl("pay", "pay_1", "--socket", daemon.path)
            #expect(run.status == .refused)
            #expect(run.complaints == ["the payment offers nothing now; see: wajubctl methods"])
        }
    }

    @Test(
        "options that contradict each other, or miss their like, end with 64 before any connection",
        arguments: [
            ["--phone", "1", "--wallet", "w"], ["--phone", "1", "--field", "a=b"], ["--wallet", "w", "--channel", "c"],
            ["--email", "a@b"], ["--restart"], ["--client-session", "--phone", "1"], ["--timeout", "3"],
            ["--wait", "--timeout", "soon"], ["--wallet", ""], ["--wallet", "w", "--return-url", ""],
            ["--payment-method-id", "p", "--field", "SECRET"], ["--payment-method-id", "p", "--field", "=SECRET"],
            ["--payment-method-id", "p", "--field", "a="],
            ["--payment-method-id", "p", "--field", "a=SECRET", "--field", "a=SECRET"],
        ])
    func usage(options: [String]) async {
        let run = await wajubctl(words: ["pay", "pay_1", "--socket", "/nowhere"] + options)
        #expect(run.status == .usage)
        #expect(run.complaints.count == 1)
        #expect(!run.complaints.joined().contains("SECRET"))
    }
}
