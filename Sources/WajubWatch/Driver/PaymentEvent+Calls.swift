internal import Contract
internal import FoundationEssentials
internal import Platform
internal import Store

extension PaymentEvent {
    /// Makes a call and waits for the event that tells its end.
    init(_ api: any WajubAPI, _ request: CallRequest, token: Secret) async {
        self =
            switch request {
            case .session:
                Self.end(await api.session(token: token), Self.sessionAnswered, Self.sessionMissed)
            case .configuration:
                Self.end(
                    await api.configuration(token: token), Self.configurationAnswered, Self.configurationMissed)
            case .status:
                Self.end(await api.status(token: token), Self.readAnswered, Self.readMissed)
            case .cancel:
                Self.end(await api.cancel(token: token), { .cancelAnswered }, Self.cancelMissed)
            case .process(let attempt, let key, let body):
                Self.end(
                    await api.process(body, key: key, token: token),
                    { .payAnswered(attempt: attempt, $0) }, { .payMissed(attempt: attempt, $0) })
            case .clientSession(let attempt, let body):
                Self.end(
                    await api.startClientSession(body, token: token),
                    { .payAnswered(attempt: attempt, $0) }, { .payMissed(attempt: attempt, $0) })
            case .completion(let id):
                Self.end(
                    await api.completeClientSession(id: id, token: token), Self.completionAnswered,
                    Self.completionMissed)
            case .verify(let kind, let id, let fields):
                Self.end(
                    await api.verify(kind, id: id, fields: fields, token: token), Self.stepAnswered,
                    Self.stepMissed)
            case .resend(let kind, let id):
                Self.end(await api.resend(kind, id: id, token: token), Self.resendAnswered, Self.resendMissed)
            }
    }

    /// Never inlined, so that the waiting task's frame keeps no copy of each possible answer.
    @inline(never)
    private static func end<Answer>(
        _ result: Result<Answer, CallFailure>, _ answered: (Answer) -> Self, _ missed: (CallFailure) -> Self
    ) -> Self {
        switch result {
        case .success(let answer): answered(answer)
        case .failure(let failure): missed(failure)
        }
    }
}

/// A call with all that it says to Wajub, beside the token.
enum CallRequest: Sendable {
    case session, configuration, status, cancel
    case process(attempt: Int, IdempotencyKey, body: Secret)
    case clientSession(attempt: Int, body: Secret)
    case completion(id: String)
    case verify(Step.Kind, id: String, StepFields)
    case resend(Step.Kind, id: String)

    /// nil where the machine wants a call for which it, or the driver, has nothing to send.
    init?(_ call: WajubCall, of machine: PaymentMachine, payload: Payload) {
        switch call {
        case .session: self = .session
        case .configuration: self = .configuration
        case .status: self = .status
        case .cancel: self = .cancel
        case .process, .clientSession:
            guard let attempt = machine.attempt, let body = payload.body else { return nil }
            self =
                call == .process
                ? .process(attempt: attempt.number, attempt.key, body: body)
                : .clientSession(attempt: attempt.number, body: body)
        case .completion:
            guard case .clientSession(let session) = machine.attempt?.demand else { return nil }
            self = .completion(id: session.id)
        case .verify:
            guard case .step(let step) = machine.attempt?.demand, let fields = payload.fields else { return nil }
            self = .verify(step.kind, id: step.id, fields)
        case .resend:
            guard case .step(let step) = machine.attempt?.demand else { return nil }
            self = .resend(step.kind, id: step.id)
        }
    }
}

/// What the payer gave for the requests of this process: never stored, gone with it.
struct Payload: Sendable {
    /// The body of the attempt's request.
    var body: Secret?
    /// The answer to the pending step.
    var fields: StepFields?
}

extension PaymentNote {
    /// The evidence as a JSON object.
    var detailJSON: String {
        do {
            return String(decoding: try JSONText.encoder.encode(detail), as: UTF8.self)
        } catch {
            // Strings by strings always encode; the explanation is worth more than a crash.
            return "{}"
        }
    }
}

extension PaymentRecord {
    /// The payment for others, without what is secret.
    func snapshot(of machine: PaymentMachine, lastSeq: Int64) -> PaymentSnapshot {
        PaymentSnapshot(
            id: id, reference: reference, machine: machine, lastSeq: lastSeq, createdAt: createdAt,
            updatedAt: updatedAt,
            settledAt: settledAt)
    }
}
