internal import Contract
internal import JSON

extension SandboxModel {
    private static let clientSessionLifetime = Duration.seconds(900)

    /// `POST /pay/client-session`: opens a provider's widget, or returns the one that is open.
    mutating func openClientSession(
        _ id: String, _ request: SandboxRequest, at now: Instant
    ) throws(Refusal) -> SandboxAnswer {
        guard let payment = payments[id] else { throw Refusal(404, "session_not_found", "No such session.") }
        try refuseEnded(payment)
        guard let body = request.json else { throw Refusal(400, nil, "The body is no JSON object.") }
        guard let channel = body["channel"]?.string.flatMap(payment.channel),
            channel.sdkConfig["client_session"]?.bool == true
        else { throw Refusal("channel", "This channel has no client session.") }
        guard (body["email"] ?? payment.terms.customer?["email"])?.string?.isEmpty == false else {
            throw Refusal(
                .error(
                    402, "missing_fields", "The provider needs an email.",
                    extra: ["missing_fields": ["email"]]))
        }
        let session: Payment.ClientSession
        if let open = payment.clientSession, now < open.expiresAt, open.declined == nil, body["restart"]?.bool != true {
            session = open
        } else {
            session = Payment.ClientSession(
                id: "cs_\(generator.hex(words: 1))", channel: channel, expiresAt: now + Self.clientSessionLifetime)
            payments[id]?.clientSession = session
        }
        return processAnswer(
            id, status: 200, "Complete the payment with the provider.",
            [
                "action": "client_session",
                "client_session": [
                    "id": .string(session.id), "provider": "paystack", "reference": .string(payment.reference),
                    "amount": .number(payment.amount), "currency": .string(payment.currency),
                    "hosted_url": "\(addresses.api)/pages/\(id)", "access_code": .string(session.id),
                    "public_key": "pk_test_sandbox",
                ],
            ])
    }

    /// `POST /pay/client-session/complete`.
    mutating func completeClientSession(
        _ id: String, _ request: SandboxRequest, at now: Instant
    ) throws(Refusal) -> SandboxAnswer {
        guard let body = request.json, let named = body["client_session_id"]?.string else {
            throw Refusal("client_session_id", "A client session is required.")
        }
        guard let payment = payments[id], let session = payment.clientSession, session.id == named else {
            throw Refusal(404, "client_session_not_found", "No such client session.")
        }
        if payment.status.family == .succeeded { return processAnswer(id, status: 200, "Payment successful.", [:]) }
        if let code = session.declined { throw Refusal(402, code, "The provider declined the payment.") }
        guard now < session.expiresAt else {
            throw Refusal(410, "client_session_expired", "The client session has expired.")
        }
        return processAnswer(id, status: 202, "The provider has not settled yet.", [:])
    }
}
