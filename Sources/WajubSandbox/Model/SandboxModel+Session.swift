internal import Contract
internal import JSON
internal import Platform

extension SandboxModel {
    /// `GET /pay/session`.
    func session(_ id: String) -> SandboxAnswer {
        guard let payment = payments[id] else { return .error(404, "session_not_found", "No such session.") }
        let channels = payment.terms.channels.map { $0.json(currency: payment.currency, origin: addresses.api) }
        return SandboxAnswer(
            status: 200,
            json: .fields([
                "transaction": transactionJSON(payment), "channels": .array(channels),
                "locale": payment.terms.locale.map(JSONValue.string), "customer": payment.terms.customer,
                "branding": ["business_name": "Sandbox shop"], "callback": payment.terms.callback.map(JSONValue.string),
                "echo": payment.terms.echo ? echo : nil,
            ]))
    }

    private var echo: JSONValue {
        [
            "key": .string(pusherKey), "ws_host": .string(addresses.realtimeHost),
            "ws_port": .integer(addresses.realtimePort), "channel_prefix": .string(Self.channelPrefix),
            "broadcaster": "pusher",
        ]
    }

    /// `GET /pay/sdk-config`.
    func sdkConfig(_ id: String) -> SandboxAnswer {
        let channels = payments[id]?.terms.channels ?? []
        let entries = Dictionary(channels.map { ($0.slug, $0.sdkConfig) }) { first, _ in first }
        return SandboxAnswer(status: 200, json: ["channels": .object(entries)])
    }

    /// `GET /pay/status`.
    func status(_ id: String) -> SandboxAnswer {
        guard let payment = payments[id] else { return .error(404, "session_not_found", "No such session.") }
        return SandboxAnswer(
            status: 200,
            json: .fields([
                "transaction": transactionJSON(payment), "last_failure": payment.lastFailure.map(failureJSON),
            ]))
    }

    func transactionJSON(_ payment: Payment) -> JSONValue {
        .fields([
            "id": .string(payment.id), "reference": .string(payment.reference), "trxref": .string(payment.reference),
            "expires_at": .string(clock.timestamp(at: payment.expiresAt)), "amount": .number(payment.amount),
            "amount_total": .number(payment.amount), "currency": .string(payment.currency),
            "status": .string(payment.status.text), "status_label": .string(payment.status.text), "sandbox": true,
            "description": payment.terms.description.map(JSONValue.string),
            "processing_context": payment.processingContext,
            "receipt_url": payment.status.family == .succeeded ? "\(addresses.api)/pages/\(payment.id)" : nil,
            "updated_at": .string(clock.timestamp(at: payment.updatedAt)),
        ])
    }

    func failureJSON(_ failure: Payment.Failure) -> JSONValue {
        [
            "code": .string(failure.code), "message": .string(failure.message),
            "at": .string(clock.timestamp(at: failure.at)),
        ]
    }

    static func processingContext(_ channel: Channel, instruction: Bool, page: String?) -> JSONValue {
        let isMobileMoney = if case .mobileMoney = channel.kind { true } else { false }
        return .fields([
            "channel_slug": .string(channel.slug), "is_mobile_money": .bool(isMobileMoney),
            "payer_instruction": instruction && isMobileMoney ? "Dial *126# and enter your PIN to approve." : nil,
            "action_url": page.map(JSONValue.string),
        ])
    }

    /// `POST /pay/cancel` and a merchant's `DELETE /payments/{id}`. Like the real API it also cancels a payment that
    /// somebody is approving (seed 000, "Cancelling and closing"); the approval may then still charge.
    mutating func cancel(_ id: String, at now: Instant) throws(Refusal) -> SandboxAnswer {
        guard let payment = payments[id] else { throw Refusal(404, "session_not_found", "No such session.") }
        try refuseEnded(payment)
        payments[id]?.tokenEndsAt = now + .seconds(60)
        setStatus(.cancelled, of: id, at: now)
        return SandboxAnswer(
            status: 200, json: .fields(["redirect_url": payment.terms.callback.map(JSONValue.string)]))
    }

    /// Refuses what an ended payment does not take any more.
    func refuseEnded(_ payment: Payment) throws(Refusal) {
        switch payment.status.family {
        case .pending, .processing: return
        case .succeeded: throw Refusal(409, "payment_already_paid", "This payment is paid.")
        case .failed: throw Refusal(409, "session_terminal_failed", "This payment has failed.")
        case .cancelled: throw Refusal(409, "session_terminal_cancelled", "This payment was cancelled.")
        case .expired: throw Refusal(410, "session_terminal_expired", "This payment has expired.")
        }
    }

    /// `POST /pay/broadcasting/auth`: signs the payment's own channel alone.
    func authorizeChannel(_ id: String, _ request: SandboxRequest) throws(Refusal) -> SandboxAnswer {
        let form = request.form
        guard let payment = payments[id], let socket = form["socket_id"], let channel = form["channel_name"],
            channel == Self.channelPrefix + payment.reference, PusherServer.isSocketID(socket)
        else { throw Refusal(403, nil, "This channel is not yours.") }
        let signature = PusherServer.signature(socket: socket, channel: channel, secret: pusherSecret)
        return SandboxAnswer(status: 200, json: ["auth": "\(pusherKey):\(signature)"])
    }
}
