import Contract
import FoundationEssentials
import Testing
import WajubWatch

@Suite("Wire")
struct WireTests {
    private static let whole = #"""
        {"transaction":{"id":"pay_1","reference":"REF-1","trxref":"x","expires_at":"2026-12-01T10:00:00Z",
          "amount":15000,"amount_total":15150,"currency":"XAF","status":"Processing","status_label":"x","sandbox":true,
          "description":"d",
          "receipt_url":"https://wajub.com/r/1","updated_at":"2026-12-01T09:00:00Z",
          "processing_context":{"channel_slug":"cm.mtn","is_mobile_money":true,"payer_instruction":"Dial *126#",
            "action_url":"https://bank.example/3ds?x=1"}},
         "channels":[{"id":"1","slug":"cm.mobile","name":"Mobile Money","type":"MOBILE_MONEY","countries":["cm"],
            "operators":[{"id":"mtn","name":"MTN","logo":"x"},{"id":"orange"}],"min_amount":1,"currency":"XAF"},
           {"id":"2","slug":"card","name":"Card","type":"card","countries":[]},
           {"id":"3","slug":"btc","name":"Bitcoin","type":"crypto","countries":[]}],
         "locale":"fr_CM","branding":{"a":null},"customer":{"country":"cm"},
         "echo":{"key":"app-key","ws_host":"wss://ws.wajub.com","ws_port":8080,"channel_prefix":"private-payment.",
            "broadcaster":"reverb"}}
        """#

    @Test("a whole session is read whole")
    func wholeSession() async throws {
        let expected = Session(
            transaction: Transaction(
                id: "pay_1", reference: "REF-1", amount: "15150", currency: "XAF", status: .processing, sandbox: true,
                receiptURL: "https://wajub.com/r/1", updatedAt: "2026-12-01T09:00:00Z",
                context: ProcessingContext(
                    channelSlug: "cm.mtn", isMobileMoney: true, payerInstruction: "Dial *126#",
                    actionURL: "https://bank.example/3ds?x=1")),
            channels: [
                Channel(
                    slug: "cm.mobile", name: "Mobile Money", family: .mobileMoney, countries: ["CM"],
                    operators: [MobileOperator(id: "mtn", name: "MTN"), MobileOperator(id: "orange", name: "orange")]),
                Channel(slug: "card", name: "Card", family: .card),
            ],
            realtime: RealtimeChannel(
                host: "ws.wajub.com", port: 8080, tls: true, key: "app-key", name: "private-payment.REF-1"),
            language: .fr, payerCountry: "CM")
        #expect(try await session(Self.whole) == expected)
    }

    @Test("absent fields are absent, and id and reference stand in for each other")
    func leastSession() async throws {
        let least = Session(transaction: Transaction(id: "p", reference: "p", status: .pending))
        #expect(try await session(#"{"transaction":{"id":"p","status":"pending"}}"#) == least)
        #expect(try await session(#"{"transaction":{"reference":"p","status":"pending"}}"#) == least)
    }

    @Test(
        "wrong types in every field cost no other field",
        arguments: ["5", #""x""#, "[]", "{}", "true", "null", "[5,null]"])
    func wrongTypes(value: String) async throws {
        let transaction = [
            "amount", "amount_total", "currency", "sandbox", "expires_at", "receipt_url", "updated_at",
            "processing_context",
        ].map { #","\#($0)":\#(value)"# }.joined()
        let rest = ["channels", "locale", "customer", "echo", "branding"].map { #","\#($0)":\#(value)"# }.joined()
        let read = try await session(
            #"{"transaction":{"id":"p","reference":"r","status":"paid"\#(transaction)}\#(rest)}"#)
        #expect(read.transaction.id == "p")
        #expect(read.transaction.reference == "r")
        #expect(read.transaction.status == .succeeded)
        #expect(read.channels == [])
        #expect(read.realtime == nil)
        #expect(read.transaction.receiptURL == nil)
        let status = try await reading(#"{"transaction":{"id":"p","status":"paid"},"last_failure":\#(value)}"#)
        #expect(status.lastFailure == nil)
    }

    @Test("one bad channel, country or operator costs no other")
    func badElements() async throws {
        let read = try await session(
            #"""
            {"transaction":{"id":"p","status":"pending"},"channels":[5,null,{"slug":7,"type":"card"},{"slug":"x"},
             {"slug":"m","type":"Mobile","name":3,"countries":["cm",5,"XXX",null],
               "operators":[{"id":5},{"id":"a"},"b"]}]}
            """#)
        #expect(
            read.channels == [
                Channel(
                    slug: "m", name: "m", family: .mobileMoney, countries: ["CM"],
                    operators: [MobileOperator(id: "a", name: "a")])
            ])
    }

    @Test(
        "without a status, or without id and reference, it is no answer",
        arguments: [
            "{}", #"{"transaction":null}"#, #"{"transaction":{}}"#, #"{"transaction":{"id":"p"}}"#,
            #"{"transaction":{"status":"paid"}}"#, #"{"transaction":{"id":"","status":"paid"}}"#,
            #"{"transaction":{"id":"p","status":5}}"#, #"{"transaction":{"id":"p","status":""}}"#,
        ])
    func notOurs(body: String) async throws {
        #expect(try await miss(200, body).unanswered?.kind == .notJSON)
        let answer = await FakeHTTP(200, body).client().session(token: token)
        #expect(throws: CallFailure.self) { try answer.get() }
    }

    @Test(
        "an amount keeps every digit, as a number and as a text",
        arguments: [
            ("0.1", "0.1"), ("12345678901234567.89", "12345678901234567.89"), ("15000", "15000"), ("15000.00", "15000"),
            ("12.50", "12.5"), ("-3", "-3"), ("0", "0"),
        ])
    func amounts(written: String, read: String) async throws {
        let number = try await reading(#"{"id":"p","status":"paid","amount":\#(written)}"#)
        #expect(number.transaction.amount == read)
        let text = try await reading(#"{"id":"p","status":"paid","amount":"\#(written)"}"#)
        #expect(text.transaction.amount == read)
    }

    @Test(
        "a text that is no number is no amount",
        arguments: ["12abc", "", "1,5", ".5", "5.", "--1", "1.2.3", "NaN", "1e3", " 1"])
    func badAmounts(text: String) async throws {
        let read = try await reading(#"{"id":"p","status":"paid","amount_total":"\#(text)","amount":7}"#)
        #expect(read.transaction.amount == "7")
    }

    @Test("a status read is understood nested and flat, with its refusal")
    func status() async throws {
        let expected = StatusReading(
            transaction: Transaction(id: "p", reference: "r", status: .pending),
            lastFailure: Refusal(code: .insufficientFunds, message: "Low", at: "2026-12-01T10:00:00Z"))
        let failure = #""last_failure":{"code":"insufficient_funds","message":"Low","at":"2026-12-01T10:00:00Z"}"#
        let fields = #""id":"p","reference":"r","status":"PENDING""#
        #expect(try await reading("{\"transaction\":{\(fields)},\(failure)}") == expected)
        #expect(try await reading("{\(fields),\(failure)}") == expected)
    }

    @Test("an unknown status counts as processing", arguments: ["paused", "Refund", "🙂"])
    func unknownStatus(word: String) async throws {
        #expect(try await reading(#"{"id":"p","status":"\#(word)"}"#).transaction.status == .processing)
    }

    @Test(
        "a payment is past its expiry by the Date header of the same answer alone",
        arguments: [
            ("2026-12-01T09:59:59Z", "Tue, 01 Dec 2026 10:00:00 GMT", true),
            ("2026-12-01T10:00:00Z", "Tue, 01 Dec 2026 10:00:00 GMT", false),
            ("2026-12-01T10:00:01Z", "Tue, 01 Dec 2026 10:00:00 GMT", false),
            ("2026-12-01T09:59:59.999999Z", "Tue, 01 Dec 2026 10:00:00 GMT", true),
            ("2026-12-01 09:00:00", "Tue, 01 Dec 2026 10:00:00 GMT", true),
            ("2026-12-01T10:30:00+01:00", "Tue, 01 Dec 2026 10:00:00 GMT", true),
            ("2026-12-01T09:30:00-0100", "Tue, 01 Dec 2026 10:00:00 GMT", false),
            ("2024-02-29T00:00:00Z", "Thu, 29 Feb 2024 00:00:01 GMT", true),
            ("2026-12-01T09:00:00Z", nil, false),
            ("2026-12-01T09:00:00Z", "Dec 1 2026", false),
            ("2026-02-30T09:00:00Z", "Tue, 01 Dec 2026 10:00:00 GMT", false),
            ("2026-12-01", "Tue, 01 Dec 2027 10:00:00 GMT", false),
            ("yesterday at ten o'clock", "Tue, 01 Dec 2026 10:00:00 GMT", false),
        ] as [(String, String?, Bool)])
    func expiry(expiresAt: String, date: String?, isPast: Bool) async throws {
        let body = #"{"transaction":{"id":"p","status":"pending","expires_at":"\#(expiresAt)"}}"#
        let headers = date.map { [("Date", $0)] } ?? []
        #expect(try await session(body, headers: headers).transaction.isPastExpiry == isPast)
        #expect(try await reading(body, headers: headers).transaction.isPastExpiry == isPast)
    }

    @Test(
        "only a page that the payer may be sent to is passed on",
        arguments: [
            ("https://bank.example/x?y#z", true), ("http://127.0.0.1:8080/simulator", true),
            ("http://localhost/x", true),
            ("http://bank.example/", false), ("javascript:alert(1)", false), ("http://127.0.0.1@evil.com/", false),
            ("https://", false), ("ftp://x", false), ("https://a b", false), ("http://127.0.0.1.evil.com/", false),
        ])
    func pages(url: String, passes: Bool) async throws {
        let body = #"{"id":"p","status":"paid","receipt_url":"\#(url)","processing_context":{"action_url":"\#(url)"}}"#
        let read = try await reading(body).transaction
        #expect(read.receiptURL == (passes ? url : nil))
        #expect(read.context?.actionURL == (passes ? url : nil))
    }

    @Test(
        "the realtime server is read with and without its scheme",
        arguments: [
            ("ws.wajub.com", 443, "ws.wajub.com", true), ("ws.wajub.com", 8080, "ws.wajub.com", false),
            ("wss://ws.wajub.com", 6001, "ws.wajub.com", true), ("ws://WS.wajub.com/", 6001, "ws.wajub.com", false),
            ("ws://ws.wajub.com", 443, "ws.wajub.com", true), ("[::1]", 80, "[::1]", false),
        ])
    func echo(host: String, port: Int, expected: String, tls: Bool) async throws {
        let echo = #"{"key":"k","ws_host":"\#(host)","ws_port":\#(port),"channel_prefix":"private-payment."}"#
        let read = try await session(#"{"transaction":{"id":"p","status":"pending"},"echo":\#(echo)}"#)
        #expect(
            read.realtime == RealtimeChannel(host: expected, port: port, tls: tls, key: "k", name: "private-payment.p"))
    }

    @Test(
        "an incomplete realtime server is none",
        arguments: [
            "null", "{}", #"{"key":"k","ws_host":"h","ws_port":443}"#,
            #"{"key":"k","ws_host":"h","channel_prefix":"p."}"#,
            #"{"ws_host":"h","ws_port":443,"channel_prefix":"p."}"#,
            #"{"key":"k","ws_port":443,"channel_prefix":"p."}"#,
            #"{"key":"k","ws_host":"h","ws_port":0,"channel_prefix":"p."}"#,
            #"{"key":"k","ws_host":"h/path","ws_port":443,"channel_prefix":"p."}"#,
            #"{"key":"k","ws_host":"u@h","ws_port":443,"channel_prefix":"p."}"#,
        ])
    func noEcho(echo: String) async throws {
        #expect(try await session(#"{"transaction":{"id":"p","status":"pending"},"echo":\#(echo)}"#).realtime == nil)
    }

    @Test(
        "a channel name that no server takes is known as illegal",
        arguments: ["a b", "é", "a/b", String(repeating: "x", count: 164)])
    func illegalChannel(reference: String) async throws {
        let echo = #"{"key":"k","ws_host":"h","ws_port":443,"channel_prefix":"private-payment."}"#
        let read = try await session(#"{"transaction":{"id":"\#(reference)","status":"pending"},"echo":\#(echo)}"#)
        #expect(read.realtime?.isLegal == false)
    }

    @Test("a configuration is read entry by entry")
    func configuration() async throws {
        let body = #"""
            {"channels":{"card":{"available":true,"provider":"stripe","sdk":"stripe_elements","publishable_key":"pk",
               "required_fields":["email",5,"phone"],"client_session":true},
             "w":{"available":true,"required_fields":"x","sdk":7},"bad":5,"silent":{"sdk":"form"}}}
            """#
        let read = try await FakeHTTP(200, body).client().configuration(token: token).get()
        #expect(
            read == [
                "card": ChannelConfiguration(
                    available: true, sdk: "stripe_elements", provider: "stripe", publishableKey: "pk",
                    requiredFields: ["email", "phone"], clientSession: true),
                "w": ChannelConfiguration(available: true),
            ])
    }

    @Test("an empty configuration may be PHP's empty list; a missing one is no answer")
    func emptyConfiguration() async throws {
        #expect(try await FakeHTTP(200, #"{"channels":[]}"#).client().configuration(token: token).get() == [:])
        for body in ["{}", #"{"channels":5}"#, #"{"channels":[5]}"#] {
            let answer = await FakeHTTP(200, body).client().configuration(token: token)
            #expect(throws: CallFailure.self) { try answer.get() }
        }
    }
}
