import Contract
import FoundationEssentials
import Platform
import PlatformTestSupport
import Testing
import Transport
import WajubWatch

@Suite("API client")
struct APIClientTests {
    private static let authorization = #"{"auth":"key:sig","channel_data":"{}"}"#

    @Test("every call carries the common headers")
    func commonHeaders() async throws {
        let http = FakeHTTP(200, Self.authorization)
        let client = http.client()
        _ = await client.session(token: token)
        _ = await client.configuration(token: token)
        _ = await client.status(token: token)
        _ = await client.cancel(token: token)
        _ = await client.authorizeChannel(token: token, socketID: "1.2", channel: "private-payment.x")
        #expect(
            http.requests.map { "\($0.method.rawValue) \($0.url)" } == [
                "GET https://api.wajub.com/pay/session", "GET https://api.wajub.com/pay/sdk-config",
                "GET https://api.wajub.com/pay/status", "POST https://api.wajub.com/pay/cancel",
                "POST https://api.wajub.com/pay/broadcasting/auth",
            ])
        for request in http.requests {
            let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
            #expect(headers["Authorization"] == "Bearer tok_secret")
            #expect(headers["Accept"] == "application/json")
            #expect(headers["X-Wajub-Client"] == "wajubd/1.2.3 (linux 6.1.0)")
            #expect(headers["User-Agent"]?.hasSuffix("wajubd/1.2.3 (linux 6.1.0)") == true)
            #expect(headers["Accept-Language"] == "fr-CM, en;q=0.9")
        }
    }

    @Test("a read waits 15 s, an action 30 s on a connection of its own, and both connect within 10 s")
    func limits() async throws {
        let http = FakeHTTP(200, "{}")
        _ = await http.client().status(token: token)
        _ = await http.client().cancel(token: token)
        #expect(http.requests.map(\.timeout) == [.seconds(15), .seconds(30)])
        #expect(http.requests.map(\.connectTimeout) == [.seconds(10), .seconds(10)])
        #expect(http.requests.map(\.freshConnection) == [false, true])
    }

    @Test("a clock that runs ten times faster makes the limits ten times shorter")
    func scaledLimits() async throws {
        let http = FakeHTTP(200, "{}")
        _ = await http.client(time: SystemTime(speed: 10)).status(token: token)
        #expect(http.requests.map(\.timeout) == [.milliseconds(1500)])
        #expect(http.requests.map(\.connectTimeout) == [.seconds(1)])
    }

    @Test("a cancel posts an empty JSON object, and any JSON object answers it")
    func cancel() async throws {
        let http = FakeHTTP(200, #"{"redirect_url":"https://shop"}"#)
        try await http.client().cancel(token: token).get()
        #expect(http.requests.first?.body.map { String(decoding: $0, as: UTF8.self) } == "{}")
        #expect(
            http.requests.first?.headers.contains { $0 == ("Content-Type", "application/json; charset=utf-8") } == true)
    }

    @Test("a channel is authorised by a form, and its signature does not print")
    func authorize() async throws {
        let http = FakeHTTP(200, Self.authorization)
        let answer = try await http.client()
            .authorizeChannel(token: token, socketID: "12.34", channel: "private-payment.a=b").get()
        #expect(answer == ChannelAuthorization(auth: Secret("key:sig"), channelData: "{}"))
        #expect(!"\(answer)".contains("sig"))
        let request = try #require(http.requests.first)
        #expect(
            request.body.map { String(decoding: $0, as: UTF8.self) }
                == "socket_id=12.34&channel_name=private-payment.a%3Db")
        #expect(request.headers.contains { $0 == ("Content-Type", "application/x-www-form-urlencoded") })
        #expect(request.timeout == .seconds(15))
    }

    @Test("an authorisation that is HTML, or without auth, is no answer", arguments: ["<html>", "{}", #"{"auth":""}"#])
    func badAuthorization(body: String) async {
        let answer = await FakeHTTP(200, body).client().authorizeChannel(token: token, socketID: "1.2", channel: "c")
        #expect(throws: CallFailure.self) { try answer.get() }
    }

    @Test(
        "a transfer that fails is no answer, with a reason that names the phase",
        arguments: [
            (TransportFailure.Kind.nameResolution, Unanswered.Kind.network, "name"), (.refused, .network, "refused"),
            (.timeout(.connect), .network, "connecting"), (.timeout(.lookup), .network, "name"),
            (.timeout(.answer), .timeout, "answer"), (.tls(.date), .clockSuspect, "clock"),
            (.tls(.certificate), .network, "certificate"), (.cutBody, .network, "inside"),
            (.tooLarge, .notJSON, "large"), (.other(code: 99, text: "secret.host"), .network, "transfer"),
        ])
    func transferFailures(kind: TransportFailure.Kind, expected: Unanswered.Kind, word: String) async {
        let failure = TransportFailure(kind, mayHaveReachedServer: true)
        let answer = await FakeHTTP(.failure(failure)).client().status(token: token)
        guard case .failure(.unanswered(let unanswered)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(unanswered.kind == expected)
        #expect(unanswered.reason.contains(word))
        #expect(!unanswered.reason.contains("secret"))
    }

    @Test("the kernel's release and odd languages make sound headers")
    func identity() {
        let identity = ClientIdentity(version: "1", languages: ["C.UTF-8\r\nX: y", "é"])
        #expect(identity.acceptLanguage == nil)
        #expect(identity.client.hasPrefix("wajubd/1 (linux "))
        #expect(!ClientIdentity.kernelRelease.isEmpty)
    }
}
