internal import Contract
internal import FoundationEssentials
internal import Platform
internal import Store

extension PaymentEvent {
    /// Makes a call and waits for the event that tells its end.
    init(_ api: any WajubAPI, _ call: WajubCall, token: Secret) async {
        switch call {
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
        }
    }
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
