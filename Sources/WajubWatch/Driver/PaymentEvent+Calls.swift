internal import Contract
internal import FoundationEssentials
internal import Platform
internal import Store

extension PaymentEvent {
    /// Makes a call and waits for the event that tells its end.
    init(_ api: any WajubAPI, _ request: CallRequest, token: Secret) async {
        switch request {
        case .session:
            switch await api.session(token: token) {
            case .success(let session): self = .sessionAnswered(session)
            case .failure(let failure): self = .sessionMissed(failure)
            }
        case .configuration:
            switch await api.configuration(token: token) {
            case .success(let configuration): self = .configurationAnswered(configuration)
            case .failure(let failure): self = .configurationMissed(failure)
            }
        case .status:
            switch await api.status(token: token) {
            case .success(let reading): self = .readAnswered(reading)
            case .failure(let failure): self = .readMissed(failure)
            }
        case .cancel:
            switch await api.cancel(token: token) {
            case .success: self = .cancelAnswered
            case .failure(let failure): self = .cancelMissed(failure)
            }
        case .process(let attempt, let key, let body):
            switch await api.process(body, key: key, token: token) {
            case .success(let answer): self = .payAnswered(attempt: attempt, answer)
            case .failure(let failure): self = .payMissed(attempt: attempt, failure)
            }
        case .clientSession(let attempt, let body):
            switch await api.startClientSession(body, token: token) {
            case .success(let answer): self = .payAnswered(attempt: attempt, answer)
            case .failure(let failure): self = .payMissed(attempt: attempt, failure)
            }
        case .completion(let id):
            switch await api.completeClientSession(id: id, token: token) {
            case .success(let answer): self = .completionAnswered(answer)
            case .failure(let failure): self = .completionMissed(failure)
            }
        case .verify(let kind, let id, let fields):
            switch await api.verify(kind, id: id, fields: fields, token: token) {
            case .success(let answer): self = .stepAnswered(answer)
            case .failure(let failure): self = .stepMissed(failure)
            }
        case .resend(let kind, let id):
            switch await api.resend(kind, id: id, token: token) {
            case .success(let step): self = .resendAnswered(step)
            case .failure(let failure): self = .resendMissed(failure)
            }
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
