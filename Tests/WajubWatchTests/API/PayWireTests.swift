import Contract
import FoundationEssentials
import Platform
import Testing
import Transport

@testable import WajubWatch

/// `wire.md`, POST /pay/process and what follows it.
@Suite("Paying on the wire")
struct PayWireTests {
    private static func answer(_ body: String, status: Int = 200) async throws -> PayAnswer {
        try await FakeHTTP(status, body).client().process(Secret("{}"), key: IdempotencyKey("k"), token: token).get()
    }

    private static func action(_ members: String) async throws -> PayAnswer.Action? {
        try await answer(
            #"{"code":202,"status":"processing","transaction":{"id":"p","status":"processing"},\#(members)}"#
        ).action
    }

    @Test("The body goes out as it is, under its key, on a connection of its own, with 30 s to answer")
    func process() async throws {
        let http = FakeHTTP(202, #"{"transaction":{"id":"p","status":"processing"}}"#)
        let answer = try await http.client()
            .process(Secret(#"{"channel":"x"}"#), key: IdempotencyKey("key-1"), token: token).get()
        #expect(answer.transaction?.status == .processing && answer.action == nil)
        let request = try #require(http.requests.first)
        #expect(request.url == "https://api.wajub.com/pay/process")
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"channel":"x"}"#)
        #expect(request.headers.contains { $0 == ("Idempotency-Key", "key-1") })
        #expect(request.headers.contains { $0 == ("Content-Type", "application/json; charset=utf-8") })
        #expect(request.freshConnection && request.timeout == .seconds(30))
    }

    @Test(
        "redirect, confirm and confirm_3ds go to confirm_url, else simulator_url",
        arguments: ["redirect", "confirm", "confirm_3ds"])
    func pages(word: String) async throws {
        #expect(
            try await Self.action(#""action":"\#(word)","confirm_url":"https://a/1","simulator_url":"https://b/2""#)
                == .demand(.page(url: "https://a/1")))
        #expect(
            try await Self.action(#""action":"\#(word)","simulator_url":"http://127.0.0.1:9/2""#)
                == .demand(.page(url: "http://127.0.0.1:9/2")))
    }

    @Test(
        "Nothing but https, and the sandbox's loopback, is passed on",
        arguments: ["http://evil.example/x", "javascript:alert(1)", "file:///etc/passwd", "intent://x", "", "https://"])
    func badPages(url: String) async throws {
        #expect(try await Self.action(#""action":"redirect","confirm_url":"\#(url)""#) == .pageWithoutAddress)
    }

    @Test(
        "The steps by their names; confirm_3ds without a URL is the step 3ds",
        arguments: [
            ("confirm_otp", Step.Kind.otp), ("confirm_pin", .pin), ("confirm_phone", .phone),
            ("confirm_birthday", .birthday), ("confirm_address", .address), ("confirm_3ds", .threeDS),
        ])
    func steps(word: String, kind: Step.Kind) async throws {
        #expect(
            try await Self.action(#""action":"\#(word)","step":{"id":"s1","attempts_left":3,"hint":"h"}"#)
                == .demand(.step(Step(kind, id: "s1", attemptsLeft: 3, hint: "h"))))
    }

    @Test(
        "Any other action, a step without an id and a client session without its object are unknown, never an endless wait",
        arguments: [
            #""action":"confirm_retina""#, #""action":"confirm_otp""#,
            #""action":"confirm_otp","step":{"attempts_left":3}"#,
            #""action":"client_session""#, #""action":"client_session","client_session":{"provider":"x"}"#,
        ])
    func unknown(members: String) async throws {
        guard case .unknown = try await Self.action(members) else {
            Issue.record("known")
            return
        }
    }

    @Test("A client session is read whole")
    func clientSession() async throws {
        let http = FakeHTTP(
            200,
            #"{"action":"client_session","client_session":{"id":"cs","provider":"paystack","reference":"r","amount":12.50,"currency":"XAF","hosted_url":"https://h","access_code":"a","public_key":"p","encryption_key":"e"}}"#
        )
        let answer = try await http.client().startClientSession(Secret("{}"), token: token).get()
        #expect(
            answer.action
                == .demand(
                    .clientSession(
                        ClientSession(
                            id: "cs", provider: "paystack", hostedURL: "https://h", reference: "r", amount: "12.5",
                            currency: "XAF", keys: .init(accessCode: "a", publicKey: "p", encryptionKey: "e")))))
        #expect(http.requests.first?.url == "https://api.wajub.com/pay/client-session")
    }

    @Test(
        "A 2xx that tells neither the payment nor what to do is no answer",
        arguments: ["{}", "[]", "<html>", #"{"ok":true}"#, #"{"transaction":{"id":"p"}}"#])
    func noAnswer(body: String) async {
        let result = await FakeHTTP(200, body).client().process(Secret("{}"), key: IdempotencyKey("k"), token: token)
        guard case .failure(.unanswered(let unanswered)) = result else {
            Issue.record("answered")
            return
        }
        #expect(unanswered.kind == .notJSON)
    }

    @Test(
        "Each step has its own path",
        arguments: [
            (Step.Kind.otp, "otp"), (.pin, "pin"), (.phone, "phone"), (.birthday, "birthday"), (.address, "address"),
            (.threeDS, "3ds"),
        ])
    func verify(kind: Step.Kind, word: String) async throws {
        let http = FakeHTTP(200, #"{"transaction":{"id":"p","status":"paid"}}"#)
        let given = Dictionary(
            uniqueKeysWithValues: kind.fields.map { ($0, kind == .birthday ? "1990-01-02" : "123456") })
        let fields = try StepFields(given, for: kind)
        let answer = try await http.client().verify(kind, id: "s1", fields: fields, token: token).get()
        #expect(answer.transaction?.status == .succeeded)
        let request = try #require(http.requests.first)
        #expect(request.url == "https://api.wajub.com/pay/verify/\(word)")
        let body = try JSONDecoder().decode([String: String].self, from: Data(request.body ?? []))
        #expect(body == given.merging(["step_id": "s1"]) { first, _ in first })
        #expect(!request.headers.contains { $0.name == "Idempotency-Key" })
    }

    @Test(
        "A wrong answer tells the attempts left, at the top or in the step",
        arguments: [#""attempts_left":2"#, #""step":{"id":"s","attempts_left":2}"#])
    func attemptsLeft(member: String) async throws {
        let http = FakeHTTP(422, #"{"message":"m","error_code":"invalid_code",\#(member)}"#)
        let result = await http.client().verify(
            .otp, id: "s", fields: try StepFields(["code": "1"], for: .otp), token: token)
        guard case .failure(.refused(let refusal)) = result else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.attemptsLeft == 2 && refusal.code == .invalidCode)
    }

    @Test("A resent code may come with its step anew; completing names the session")
    func rest() async throws {
        let resent = FakeHTTP(
            200, #"{"transaction":{"id":"p","status":"processing"},"step":{"id":"s2","attempts_left":3}}"#)
        #expect(
            try await resent.client().resend(.otp, id: "s1", token: token).get()
                == Step(.otp, id: "s2", attemptsLeft: 3))
        #expect(resent.requests.first?.body.map { String(decoding: $0, as: UTF8.self) } == #"{"step_id":"s1"}"#)
        #expect(try await FakeHTTP(200, "{}").client().resend(.otp, id: "s1", token: token).get() == nil)
        let completed = FakeHTTP(202, #"{"transaction":{"id":"p","status":"processing"}}"#)
        _ = try await completed.client().completeClientSession(id: "cs", token: token).get()
        #expect(completed.requests.first?.url == "https://api.wajub.com/pay/client-session/complete")
        #expect(
            completed.requests.first?.body.map { String(decoding: $0, as: UTF8.self) } == #"{"client_session_id":"cs"}"#
        )
    }

    @Test("Missing fields are details, and the first of them the param")
    func missingFields() async throws {
        let http = FakeHTTP(402, #"{"message":"m","error_code":"missing_fields","missing_fields":["email"]}"#)
        guard case .failure(.refused(let refusal)) = await http.client().startClientSession(Secret("{}"), token: token)
        else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.error(in: .en).param == "email")
    }
}

/// Seed 000, "Device signals and privacy".
@Suite("Device signals")
struct DeviceSignalTests {
    @Test(
        "Every payment request carries time zone, languages and the install fingerprint, and no screen that a till does not have"
    )
    func body() throws {
        var sheet = PaymentMachine(options: PaymentOptions())
        _ = sheet.handle(.handedOff, at: Instant(nanoseconds: 0))
        let session = Session(
            transaction: Transaction(id: "p", reference: "r", status: .pending),
            channels: [Channel(slug: "w", name: "W", family: .wallet)])
        _ = sheet.handle(.sessionAnswered(session), at: Instant(nanoseconds: 0))
        let payment = try sheet.prepare(.raw(channel: "w", json: #"{"a":1}"#, leaves: []), country: nil)
        let device = DeviceSignals(installID: "0123", languages: ["fr-CM", "en"], timezone: "Africa/Douala")
        let body = try PayRequestBody.process(payment, returnURL: "https://shop/r", device: device)
        let digest = Digest.hex(Digest.sha256(Array("0123".utf8)))
        #expect(
            body.revealed
                == #"{"channel":"w","data":{"a":1},"device":{"fingerprint":"\#(digest)","language":"fr-CM","languages":["fr-CM","en"],"timezone":"Africa/Douala"},"return_url":"https://shop/r"}"#
        )
        #expect(try PayRequestBody.process(payment, returnURL: "https://shop/r", device: device) == body)
    }
}
