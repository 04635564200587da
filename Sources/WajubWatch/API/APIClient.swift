package import Contract
internal import FoundationEssentials
package import Platform
internal import Transport

/// Wajub's session API (`wire.md`). Each call asks once: when to ask again is the payment machine's to decide.
package struct APIClient: Sendable {
    /// Until TCP and TLS are up (design.md, "Paying").
    package static let connectLimit: Duration = .seconds(10)
    /// For the whole answer of a call that changes nothing.
    package static let readLimit: Duration = .seconds(15)
    /// For the whole answer of a POST that acts.
    package static let actionLimit: Duration = .seconds(30)

    private let origin: APIOrigin
    private let http: any HTTPSending
    private let time: any TimeSource
    private let identity: ClientIdentity
    private let noteClock: @Sendable (ClockEvidence) -> Void

    /// A client whose limits run on `time`.
    ///
    /// - parameter noteClock: told after each call what it said of the machine's clock.
    package init(
        origin: APIOrigin, http: any HTTPSending, time: any TimeSource, identity: ClientIdentity,
        noteClock: @escaping @Sendable (ClockEvidence) -> Void = { _ in }
    ) {
        self.origin = origin
        self.http = http
        self.time = time
        self.identity = identity
        self.noteClock = noteClock
    }

    /// GET /pay/session.
    package func session(token: Secret) async -> Result<Session, CallFailure> {
        await call(.session, token, decoding: Wire.Session.self) { $0.session(answeredAt: $1) }
    }

    /// GET /pay/sdk-config.
    package func configuration(token: Secret) async -> Result<SDKConfiguration, CallFailure> {
        await call(.configuration, token, decoding: Wire.Configuration.self) { body, _ in body.configuration }
    }

    /// GET /pay/status.
    package func status(token: Secret) async -> Result<StatusReading, CallFailure> {
        await call(.status, token, decoding: Wire.Status.self) { $0.reading(answeredAt: $1) }
    }

    /// POST /pay/cancel.
    package func cancel(token: Secret) async -> Result<Void, CallFailure> {
        await call(.cancel, token, .action(Array("{}".utf8)), decoding: Wire.AnyObject.self) { _, _ in }
    }

    /// POST /pay/process, under its key.
    package func process(
        _ body: Secret, key: IdempotencyKey, token: Secret
    ) async -> Result<PayAnswer, CallFailure> {
        await act(.process, token, body, key: key)
    }

    /// POST /pay/client-session.
    package func startClientSession(_ body: Secret, token: Secret) async -> Result<PayAnswer, CallFailure> {
        await act(.clientSession, token, body)
    }

    /// POST /pay/client-session/complete.
    package func completeClientSession(id: String, token: Secret) async -> Result<PayAnswer, CallFailure> {
        await act(.completion, token, [Wire.BodyField.clientSessionID: id])
    }

    /// POST /pay/verify/{kind}.
    package func verify(
        _ kind: Step.Kind, id: String, fields: StepFields, token: Secret
    ) async -> Result<PayAnswer, CallFailure> {
        await act(Wire.Path(verifying: kind), token, fields.values.merging([Wire.BodyField.stepID: id]) { _, id in id })
    }

    /// POST /pay/verify/resend: the step as the answer tells it anew, where it does.
    package func resend(_ kind: Step.Kind, id: String, token: Secret) async -> Result<Step?, CallFailure> {
        do {
            let body = try PayRequestBody.object([Wire.BodyField.stepID: id])
            return await call(.resend, token, .action(Array(body.revealed.utf8)), decoding: Wire.ResendBody.self) {
                body, _ in body.step?.step(kind)
            }
        } catch {
            return .failure(Self.unwritable)
        }
    }

    private static let unwritable = CallFailure.unanswered(
        Unanswered(.network, reason: "The request cannot be written as JSON."))

    private func act(
        _ path: Wire.Path, _ token: Secret, _ fields: [String: String]
    ) async -> Result<PayAnswer, CallFailure> {
        do {
            return await act(path, token, try PayRequestBody.object(fields))
        } catch {
            return .failure(Self.unwritable)
        }
    }

    private func act(
        _ path: Wire.Path, _ token: Secret, _ body: Secret, key: IdempotencyKey? = nil
    ) async -> Result<PayAnswer, CallFailure> {
        await call(path, token, .action(Array(body.revealed.utf8), key: key), decoding: Wire.PayBody.self) {
            $0.answer(answeredAt: $1)
        }
    }

    /// POST /pay/broadcasting/auth: asks for the leave to subscribe to a private channel over the connection
    /// `socketID`.
    package func authorizeChannel(
        token: Secret, socketID: String, channel: String
    ) async -> Result<ChannelAuthorization, CallFailure> {
        let form = [(Wire.AuthorizeField.socketID, socketID), (Wire.AuthorizeField.channel, channel)]
            .map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        return await call(.authorizeChannel, token, .form(Array(form.utf8)), decoding: Wire.Authorization.self) {
            body, _ in
            ChannelAuthorization(auth: Secret(body.auth), channelData: body.channelData)
        }
    }

    /// How a call is sent.
    private enum Sending {
        case read
        /// A form that changes nothing.
        case form([UInt8])
        /// JSON that acts. It gets a connection of its own, since libcurl repeats a request by itself when a reused
        /// connection ends without an answer.
        case action([UInt8], key: IdempotencyKey? = nil)

        private var body: [UInt8] {
            switch self {
            case .read, .form: []
            case .action(let body, _): body
            }
        }

        /// A refusal without what it quotes of the request.
        func redact(_ failure: CallFailure, _ token: Secret) -> CallFailure {
            guard case .refused(let refusal) = failure else { return failure }
            return .refused(Redaction(body: body, token: token).redact(refusal))
        }
    }

    private func call<Body: Decodable, Answer>(
        _ path: Wire.Path, _ token: Secret, _ sending: Sending = .read, decoding type: Body.Type,
        _ answer: (_ body: Body, _ date: Double?) -> Answer
    ) async -> Result<Answer, CallFailure> {
        switch await http.send(request(path, token, sending)) {
        case .success(let response):
            let received = APIAnswer(response)
            noteClock(.served(at: received.date))
            return received.result(type, answer).mapError { sending.redact($0, token) }
        case .failure(let failure):
            if failure.kind == .tls(.date) { noteClock(.certificateDatesWrong) }
            return .failure(.unanswered(Unanswered(failure)))
        }
    }

    private func request(_ path: Wire.Path, _ token: Secret, _ sending: Sending) -> HTTPRequest {
        var request = HTTPRequest(
            method: .get, url: origin.text + path.rawValue, headers: headers(token),
            connectTimeout: time.real(Self.connectLimit), timeout: time.real(Self.readLimit))
        switch sending {
        case .read:
            break
        case .form(let body):
            request.method = .post
            request.body = body
            request.headers.append((Wire.Header.contentType, "application/x-www-form-urlencoded"))
        case .action(let body, let key):
            request.method = .post
            request.body = body
            request.headers.append((Wire.Header.contentType, "application/json; charset=utf-8"))
            if let key { request.headers.append((Wire.Header.idempotencyKey, key.text)) }
            request.timeout = time.real(Self.actionLimit)
            request.freshConnection = true
        }
        return request
    }

    private func headers(_ token: Secret) -> [(name: String, value: String)] {
        var headers = [
            (name: Wire.Header.authorization, value: "Bearer \(token.revealed)"),
            (name: Wire.Header.accept, value: "application/json"),
            (name: Wire.Header.client, value: identity.client),
            (name: Wire.Header.userAgent, value: identity.client),
        ]
        if let languages = identity.acceptLanguage { headers.append((Wire.Header.acceptLanguage, languages)) }
        return headers
    }
}

/// What a call said of the machine's wall clock.
package enum ClockEvidence: Hashable, Sendable {
    /// The certificate's dates do not fit it.
    case certificateDatesWrong
    /// An answer came; its `Date` header in seconds since 1970, where it had one.
    case served(at: Double?)
}
