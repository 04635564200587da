package import Contract
internal import FoundationEssentials
package import Platform
package import Transport

/// Wajub's session API over HTTPS (`wire.md`): every call ends, with an answer or with why there is none.
package final class APIClient: WajubAPI {
    /// Time limits, on the daemon's clock (design.md, "Paying").
    static let connectLimit: Duration = .seconds(10)
    static let readLimit: Duration = .seconds(15)
    static let actLimit: Duration = .seconds(30)

    private let origin: String
    private let transport: Transport
    private let time: any TimeSource
    private let headers: [(name: String, value: String)]
    private let noteTLSDates: @Sendable (_ areWrong: Bool) -> Void

    /// - parameter origin: as ``APIOrigin`` gives it.
    /// - parameter language: the device's first language, for `Accept-Language`.
    /// - parameter noteTLSDates: told after each call whether the certificates' dates fitted the machine's clock.
    package init(
        origin: String, transport: Transport, time: any TimeSource, identity: ClientIdentity, language: Language?,
        noteTLSDates: @escaping @Sendable (_ areWrong: Bool) -> Void
    ) {
        self.origin = origin
        self.transport = transport
        self.time = time
        self.noteTLSDates = noteTLSDates
        headers = [
            ("Accept", "application/json"), ("X-Wajub-Client", identity.client),
            ("Accept-Language", language == .fr ? "fr, en;q=0.5" : "en, fr;q=0.5"),
        ]
    }

    package func session(token: Secret) async -> Result<Session, CallFailure> {
        await call(.get, "/pay/session", token, limit: Self.readLimit) { Session($0, servedAt: $1) }
    }

    package func configuration(token: Secret) async -> Result<SDKConfiguration, CallFailure> {
        await call(.get, "/pay/sdk-config", token, limit: Self.readLimit) { object, _ in WireConfiguration.channels(object) }
    }

    package func status(token: Secret) async -> Result<StatusReading, CallFailure> {
        await call(.get, "/pay/status", token, limit: Self.readLimit) { StatusReading($0, servedAt: $1) }
    }

    package func cancel(token: Secret) async -> Result<Void, CallFailure> {
        await call(.post, "/pay/cancel", token, body: .json("{}"), limit: Self.actLimit) { _, _ in () }
    }

    /// Signs the subscription of a private channel.
    package func authorizeChannel(_ channel: String, socketID: String, token: Secret) async
        -> Result<ChannelAuthorization, CallFailure>
    {
        let form = "socket_id=\(FormText.escaped(socketID))&channel_name=\(FormText.escaped(channel))"
        return await call(.post, "/pay/broadcasting/auth", token, body: .form(form), limit: Self.readLimit) { object, _ in
            ChannelAuthorization(object)
        }
    }

    /// The body of a POST.
    private enum Body {
        case json(String)
        case form(String)

        var type: String {
            switch self {
            case .json: "application/json; charset=utf-8"
            case .form: "application/x-www-form-urlencoded"
            }
        }

        var bytes: [UInt8] {
            switch self {
            case .json(let text), .form(let text): Array(text.utf8)
            }
        }
    }

    /// Makes one call. `decode` returns nil where the answer is not what Wajub answers.
    private func call<Value: Sendable>(
        _ method: HTTPRequest.Method, _ path: String, _ token: Secret, body: Body? = nil, limit: Duration,
        decode: @Sendable (WireObject, _ servedAt: Date?) -> Value?
    ) async -> Result<Value, CallFailure> {
        var headers = headers + [(name: "Authorization", value: "Bearer " + token.revealed)]
        if let body { headers.append((name: "Content-Type", value: body.type)) }
        let request = HTTPRequest(
            method: method, url: origin + path, headers: headers, body: body?.bytes,
            connectTimeout: time.real(Self.connectLimit), timeout: time.real(limit))
        let response: HTTPResponse
        switch await transport.send(request) {
        case .success(let answer): response = answer
        case .failure(let failure):
            noteTLSDates(failure.isDateError)
            return .failure(.unanswered(Unanswered(failure)))
        }
        noteTLSDates(false)
        return Answer(response).decoded(decode)
    }
}

/// An HTTP answer, before it is known whether it is Wajub's.
struct Answer {
    private let response: HTTPResponse
    private let servedAt: Date?
    private let retryAfter: Duration?
    private let correlationID: String?

    init(_ response: HTTPResponse) {
        self.response = response
        servedAt = response.header("Date").flatMap(WireTime.httpDate)
        retryAfter = WireTime.retryAfter(response.header("Retry-After"), servedAt: servedAt)
        correlationID = response.header("X-Request-Id") ?? response.header("X-Trace-Id")
    }

    /// Sorts the answer: Wajub's word, Wajub's refusal, or as good as none (`wire.md`, "Common").
    func decoded<Value>(_ decode: (WireObject, _ servedAt: Date?) -> Value?) -> Result<Value, CallFailure> {
        // Not JSON is an answer of something else on the way, whatever its status.
        guard let object = try? JSONDecoder().decode(WireObject.self, from: Data(response.body)) else {
            return .failure(.unanswered(unanswered(.notJSON, "the answer is not JSON")))
        }
        switch response.status {
        case 200...299:
            guard let value = decode(object, servedAt) else {
                return .failure(.unanswered(unanswered(.notJSON, "the answer is not of the shape that Wajub's has")))
            }
            return .success(value)
        case 429:
            return .failure(.unanswered(unanswered(.rateLimited, "asked too often")))
        case 400...499:
            return .failure(
                .refused(
                    APIRefusal(
                        object, httpStatus: response.status, correlationID: correlationID, retryAfter: retryAfter)))
        default:
            return .failure(.unanswered(unanswered(.server, "the server could not answer")))
        }
    }

    private func unanswered(_ kind: Unanswered.Kind, _ reason: String) -> Unanswered {
        Unanswered(
            kind, reason: reason, httpStatus: response.status, retryAfter: retryAfter, correlationID: correlationID)
    }
}

/// Form fields (WHATWG URL, `application/x-www-form-urlencoded`).
enum FormText {
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            if isPlain || "*-._".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
