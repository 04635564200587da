package import Contract
internal import FoundationEssentials
internal import Platform
package import Store

/// What a till asks to pay with (`protocol.md`, `payment.pay`).
package struct PayOrder: Sendable {
    package var input: PayInput
    /// Where a provider's page sends the payer back to: `https`.
    package var returnURL: String?
    /// The daemon's own country, for a number that names none.
    package var country: String?

    package init(_ input: PayInput, returnURL: String? = nil, country: String? = nil) {
        self.input = input
        self.returnURL = returnURL
        self.country = country
    }
}

/// What a till asks to start a client session with (`protocol.md`, `payment.start_client_session`).
package struct ClientSessionOrder: Sendable {
    package var channel: String
    package var email: String?
    package var name: String?
    package var returnURL: String?
    package var restart: Bool

    package init(channel: String, email: String?, name: String?, returnURL: String?, restart: Bool) {
        self.channel = channel
        self.email = email
        self.name = name
        self.returnURL = returnURL
        self.restart = restart
    }
}

extension PaymentRegistry {
    /// Presses Pay. Answered once the attempt and its key are durable, before anything leaves; nil: unknown payment.
    package func pay(_ order: PayOrder, on id: String) async throws(StoreError) -> Result<
        PaymentSnapshot, RequestFailure
    >? {
        var request = PaymentDriver.Request()
        request.prepare = { [press] machine, now in press.pay(order, machine, at: now) }
        return try await perform(request, on: id, within: nil)
    }

    /// Starts a client session, and answers after Wajub's answer or its timeout; nil: unknown payment.
    package func startClientSession(
        _ order: ClientSessionOrder, on id: String
    ) async throws(StoreError) -> Result<PaymentSnapshot, RequestFailure>? {
        var request = PaymentDriver.Request()
        request.prepare = { [press] machine, now in press.start(order, machine, at: now) }
        request.isDone = { !$0.isPayRequestUnderWay }
        return try await perform(request, on: id, within: nil)
    }

    /// Answers the pending step, and answers after Wajub's answer or its timeout; nil: unknown payment.
    package func verify(
        _ fields: [String: String], on id: String
    ) async throws(StoreError) -> Result<PaymentSnapshot, RequestFailure>? {
        var request = PaymentDriver.Request()
        request.prepare = { machine, _ in
            if let refusal = machine.refusalToVerify() { return .failure(.refused(refusal)) }
            guard let step = machine.pendingStep else { return .failure(.refused(.noStepPending)) }
            do throws(FieldRefusal) {
                let fields = try StepFields(fields, for: step.kind)
                return .success(.init(event: .verifyRequested, payload: Payload(fields: fields)))
            } catch {
                return .failure(.parameter(error.field, reason: error.reason))
            }
        }
        request.isDone = { !$0.isPayRequestUnderWay }
        return try await perform(request, on: id, within: nil)
    }

    /// Asks for a new code, and answers after Wajub's answer or its timeout; nil: unknown payment.
    package func resend(on id: String) async throws(StoreError) -> Result<PaymentSnapshot, RequestFailure>? {
        var request = PaymentDriver.Request()
        request.prepare = { machine, now in
            switch machine.refusalToResend(at: now) {
            case nil:
                return .success(.init(event: .resendRequested, payload: Payload()))
            case .resendTooEarly:
                var error = WajubError(.resendTooEarly, in: machine.language)
                error.retryAfterSeconds = machine.pendingStep?.resendWait(at: now).inSeconds
                return .failure(.wajub(error))
            case .some(let refusal):
                return .failure(.refused(refusal))
            }
        }
        request.isDone = { !$0.isPayRequestUnderWay }
        return try await perform(request, on: id, within: nil)
    }
}

/// Makes a press of Pay out of what the till asked for: refusals in the protocol's order, then the checks before sending.
struct PressMaker: Sendable {
    let device: DeviceSignals
    let randomness: any Randomness
    let time: any TimeSource

    func pay(
        _ order: PayOrder, _ machine: PaymentMachine, at now: Instant
    ) -> Result<PaymentDriver.Prepared, RequestFailure> {
        let wallTime = time.wallNow.timeIntervalSince1970
        if let refusal = machine.refusalToPay(at: now, wallTime: wallTime) { return .failure(.refused(refusal)) }
        do throws(PayRefusal) {
            let payment = try machine.prepare(order.input, country: order.country)
            return prepared(.process, payment.method, payment.channel, payment.phoneMasked, wallTime) {
                try PayRequestBody.process(payment, returnURL: order.returnURL, device: device)
            }
        } catch {
            return .failure(RequestFailure(error))
        }
    }

    func start(
        _ order: ClientSessionOrder, _ machine: PaymentMachine, at now: Instant
    ) -> Result<PaymentDriver.Prepared, RequestFailure> {
        let wallTime = time.wallNow.timeIntervalSince1970
        if let refusal = machine.refusalToPay(.clientSession, at: now, wallTime: wallTime) {
            return .failure(.refused(refusal))
        }
        do throws(PayRefusal) {
            let method = try machine.prepareClientSession(channel: order.channel)
            return prepared(.clientSession, method, order.channel, nil, wallTime) {
                try PayRequestBody.clientSession(
                    channel: order.channel, email: order.email, name: order.name, returnURL: order.returnURL,
                    restart: order.restart)
            }
        } catch {
            return .failure(RequestFailure(error))
        }
    }

    private func prepared(
        _ request: Press.Request, _ method: MethodFamily, _ channel: String, _ phoneMasked: String?, _ wallTime: Double,
        _ makeBody: () throws -> Secret
    ) -> Result<PaymentDriver.Prepared, RequestFailure> {
        let body: Secret
        do {
            body = try makeBody()
        } catch {
            return .failure(.parameter("data", reason: "cannot be written as JSON"))
        }
        let press = Press(
            request: request, method: method, channel: channel, newKey: IdempotencyKey(randomness.hex128()),
            bodyDigest: Digest.hex(Digest.sha256(Array(body.revealed.utf8))), phoneMasked: phoneMasked,
            wallTime: wallTime)
        return .success(.init(event: .payRequested(press), payload: Payload(body: body)))
    }
}

extension RequestFailure {
    init(_ refusal: PayRefusal) {
        self =
            switch refusal {
            case .wajub(let error): .wajub(error)
            case .parameter(let name, let reason): .parameter(name, reason: reason)
            }
    }
}

extension AttemptRecord {
    /// The attempt as the store keeps it.
    init(_ attempt: Attempt) {
        self.init(
            number: attempt.number, method: attempt.method.rawValue, channel: attempt.channel,
            phase: attempt.phase.rawValue, idempotencyKey: attempt.key.text,
            bodyDigest: Digest.bytes(hex: attempt.bodyDigest) ?? [], tries: attempt.tries,
            startedAt: Date(timeIntervalSince1970: attempt.startedAt), undecided: attempt.isUndecided)
    }
}
