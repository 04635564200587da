import Contract
import FoundationEssentials
import Platform
import Testing

@testable import WajubWatch

/// design.md, promise 4: what Wajub quotes of the payer's data is not kept, and not told.
struct RedactionTests {
    private static let body =
        #"{"channel":"cm.mobile","data":{"phone":"+237670123456","country":"CM","first_name":"Awa","n":4000056655665556}}"#

    /// What is left of Wajub's words, as message and as the field's own.
    private func left(of words: String, body: String = body) async throws -> [String?] {
        let answer = #"{"message":"\#(words)","error_code":"validation_error","errors":{"phone":["\#(words)"]}}"#
        let result = await FakeHTTP(422, answer).client()
            .process(Secret(body), key: IdempotencyKey("k"), token: token)
        guard case .failure(.refused(let refusal)) = result else { throw Unexpected(text: "\(result)") }
        return [refusal.apiMessage, refusal.details["phone"]]
    }

    @Test(
        "A number, a card or a name that Wajub quotes is taken out of its words, however it is grouped",
        arguments: [
            ("+237670123456 is no number.", "••• is no number."), ("237 670 12 34 56?", "•••?"),
            ("Not 670-123-456, please", "Not •••, please"), ("(670) 123.456", "(•••"), ("Awa: unknown", "•••: unknown"),
            ("4000 0566 5566 5556 declined", "••• declined"), ("to 670123456", "to •••"),
        ])
    func quoted(words: String, left text: String) async throws {
        #expect(try await left(of: words) == [text, text])
    }

    @Test(
        "What the payer did not give stays: other numbers, the country, the channel",
        arguments: [
            "Use a test number: +237670000000, +237670000001.", "In CM use cm.mobile.", "Error 12345678 at 10:30",
            "é 7",
        ])
    func others(words: String) async throws {
        #expect(try await left(of: words) == [words, words])
    }

    @Test("The code of a step, and the text of raw data, are the payer's too")
    func codes() async throws {
        let answer = #"{"message":"862497 is wrong","error_code":"invalid_code"}"#
        let result = await FakeHTTP(422, answer).client()
            .verify(.pin, id: "step_1", fields: try StepFields(["pin": "862497"], for: .pin), token: token)
        guard case .failure(.refused(let refusal)) = result else { throw Unexpected(text: "\(result)") }
        #expect(refusal.apiMessage == "••• is wrong")
        let raw = #"{"channel":"x","data":{"a":[{"b":"Secretholder"}]}}"#
        #expect(try await left(of: "No Secretholder", body: raw) == ["No •••", "No •••"])
    }

    @Test("The token that Wajub quotes is taken out of its words, also where nothing was sent beside it")
    func tokenQuoted() async throws {
        let secret = Secret("tok_S3cret")
        let client = FakeHTTP(401, #"{"message":"No tok_S3cret","errors":{"token":"tok_S3cret is unknown"}}"#).client()
        guard case .failure(.refused(let refusal)) = await client.session(token: secret) else {
            throw Unexpected(text: "no refusal")
        }
        #expect(refusal.apiMessage == "No •••")
        #expect(refusal.details == ["token": "••• is unknown"])
        guard case .failure(.refused(let other)) = await client.cancel(token: secret) else {
            throw Unexpected(text: "no refusal")
        }
        #expect(other.apiMessage == "No •••")
    }

    @Test("Where a step's code went is told without the number: it goes into an event")
    func hint() async throws {
        let body = #"{"action":"confirm_otp","step":{"id":"s","hint":"Sent to +237 670 123 456, ending in 56"}}"#
        let answer = await FakeHTTP(200, body).client().process(Secret("{}"), key: IdempotencyKey("k"), token: token)
        guard case .demand(.step(let step)) = try answer.get().action else { throw Unexpected(text: "no step") }
        #expect(step.hint == "Sent to +•••, ending in 56")
    }

    @Test("The last refusal's words, which belong to no request, keep no number as long as a telephone's")
    func lastFailure() async throws {
        let status = """
            {"transaction":{"id":"p","status":"pending"},
             "last_failure":{"code":"x","message":"+237 670 123 456 has 12 XAF (ref 1234567)","at":"t"}}
            """
        #expect(try await reading(status).lastFailure?.message == "+••• has 12 XAF (ref 1234567)")
    }
}
