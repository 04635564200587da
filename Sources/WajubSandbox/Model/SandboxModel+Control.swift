package import Contract
package import JSON

extension SandboxModel {
    /// `POST /sandbox/payments/{id}/status`: drives a payment from outside, as a provider would: `status` (any word),
    /// `push` (true), `code` and `message` of a refusal. A success is a charge unless the payment is already paid;
    /// an ended or pending status decides every open attempt.
    package mutating func drive(payment text: String, _ body: JSONValue, at now: Instant) -> SandboxAnswer {
        guard let id = identifier(text), let payment = payments[id] else {
            return .error(404, "payment_not_found", "This payment does not exist.")
        }
        guard let word = body["status"]?.string, !word.isEmpty else {
            return .invalid("status", "A status is required.")
        }
        let status = PaymentStatus(word)
        if let code = body["code"]?.string {
            let message = body["message"]?.string ?? "The provider refused the payment."
            setFailure(code, message, of: id, at: now)
            payments[id]?.clientSession?.declined = code
        }
        switch status.family {
        case .succeeded:
            if payment.status.family != .succeeded { payments[id]?.charges += 1 }
            closeAttempts(of: id)
        case .pending, .failed, .cancelled, .expired:
            closeAttempts(of: id)
        case .processing:
            if let channel = payment.terms.channels.first, payment.processingContext == nil {
                payments[id]?.processingContext = Self.processingContext(channel, instruction: true, page: nil)
            }
        }
        setStatus(status, of: id, at: now, pushing: body["push"]?.bool ?? true)
        return self.status(id)
    }

    private mutating func closeAttempts(of id: String) {
        guard let count = payments[id]?.attempts.count else { return }
        for index in 0..<count { payments[id]?.attempts[index].isOpen = false }
    }
}
