import Contract
import FoundationEssentials
import Testing
import WajubWatch

@Suite("API refusals and non-answers")
struct APIRefusalTests {
    @Test(
        "what is not a whole JSON object is no answer, whatever its status",
        arguments: [200, 202, 302, 400, 401, 403, 404, 410, 422, 429, 500, 503],
        [
            "<html>Sign in to the hotel</html>", "", #"{"transaction":{"id":"p","status":"pai"#, "[]", "null", #""ok""#,
            "\u{0}",
        ])
    func notJSON(status: Int, body: String) async throws {
        let unanswered = try #require(try await miss(status, body).unanswered)
        #expect(unanswered.kind == .notJSON)
        #expect(unanswered.httpStatus == status)
    }

    @Test(
        "a JSON body with a status that is not a 4xx refuses nothing, nor does a timeout or too many requests",
        arguments: [
            (500, Unanswered.Kind.server), (502, .server), (503, .server), (599, .server), (301, .server),
            (302, .server),
            (199, .server), (600, .server), (408, .timeout), (429, .rateLimited),
        ])
    func unanswered(status: Int, kind: Unanswered.Kind) async throws {
        let body = #"{"message":"no","error_code":"payment_declined"}"#
        #expect(try await miss(status, body).unanswered?.kind == kind)
    }

    @Test(
        "a refusal without a code is named by its status",
        arguments: [
            (400, "payment_error"), (401, "session_not_found"), (402, "insufficient_funds"), (403, "blocked"),
            (404, "session_not_found"), (409, "payment_error"), (410, "session_terminal_expired"),
            (422, "validation_error"), (418, "payment_error"),
        ])
    func defaultCodes(status: Int, code: String) async throws {
        #expect(try await miss(status, #"{"code":\#(status)}"#).refusal?.code.rawValue == code)
    }

    @Test("a refusal carries code, message, first errors, ids and its wait")
    func whole() async throws {
        let body = #"""
            {"message":"Nope","error_code":"shield_blocked","code":403,"block_reference":"B-1",
             "errors":{"phone":["Bad phone","Worse"],"country":"Unknown","odd":5,"empty":[]}}
            """#
        let refusal = try #require(
            try await miss(
                403, body, headers: [("x-request-id", "r1"), ("X-Trace-Id", "t1"), ("Retry-After", "7")]
            ).refusal)
        #expect(
            refusal
                == APIRefusal(
                    httpStatus: 403, code: .shieldBlocked, apiMessage: "Nope",
                    details: ["phone": "Bad phone", "country": "Unknown"], blockReference: "B-1", correlationID: "r1",
                    retryAfter: .seconds(7)))
    }

    @Test("wrong types in an error body are left out")
    func wrongTypes() async throws {
        let body = #"{"message":{"a":1},"error_code":7,"errors":"x","block_reference":[]}"#
        #expect(try await miss(422, body).refusal == APIRefusal(httpStatus: 422, code: .validationError))
        #expect(try await miss(422, #"{"errors":[]}"#).refusal?.details == [:])
    }

    @Test("the trace id stands in for the request id")
    func traceID() async throws {
        #expect(try await miss(500, "{}", headers: [("X-Trace-Id", "t1")]).unanswered?.correlationID == "t1")
    }

    @Test(
        "Retry-After is seconds, or a date counted from the answer's own",
        arguments: [
            ("120", nil, Duration.seconds(120)),
            ("0", nil, .zero),
            ("99999999999999999999", nil, .seconds(3600)),
            ("Tue, 01 Dec 2026 10:00:30 GMT", "Tue, 01 Dec 2026 10:00:00 GMT", .seconds(30)),
            ("Wed, 02 Dec 2026 00:00:05 GMT", "Tue, 01 Dec 2026 23:59:55 GMT", .seconds(10)),
            ("Tue, 01 Dec 2026 09:00:00 GMT", "Tue, 01 Dec 2026 10:00:00 GMT", .zero),
            ("Tue, 01 Dec 2026 10:00:30 GMT", nil, nil),
            ("Tue, 01 Dec 2026 10:00:30 GMT", "yesterday", nil),
            ("soon", "Tue, 01 Dec 2026 10:00:00 GMT", nil),
            ("-5", nil, nil), ("1.5", nil, nil), ("", nil, nil),
        ] as [(String, String?, Duration?)])
    func retryAfter(text: String, date: String?, expected: Duration?) async throws {
        let headers = [("Retry-After", text)] + (date.map { [("Date", $0)] } ?? [])
        #expect(try await miss(503, "{}", headers: headers).retryAfter == expected)
        #expect(try await miss(429, "<html>", headers: headers).retryAfter == expected)
    }
}
