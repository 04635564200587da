internal import Contract
internal import FoundationEssentials
internal import JSON

extension SandboxModel {
    mutating func answerMerchant(_ request: SandboxRequest, at now: Instant) throws(Refusal) -> SandboxAnswer {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.first == "payments", parts.count <= 2 else {
            throw Refusal(404, nil, "The route \(request.path) could not be found.")
        }
        guard let key = request.bearer, key.hasPrefix("sk_test") else {
            throw Refusal(401, nil, "Use a test key of the form sk_test….")
        }
        guard parts.count == 2 else {
            guard request.method == "POST" else { throw Refusal(405, nil, "Use POST.") }
            return try createPayment(request, at: now)
        }
        guard let id = identifier(String(parts[1])), let payment = payments[id] else {
            throw Refusal(404, "payment_not_found", "This payment does not exist.")
        }
        switch request.method {
        case "GET": return SandboxAnswer(status: 200, json: ["transaction": merchantJSON(payment)])
        case "DELETE": return try cancel(id, at: now)
        default: throw Refusal(405, nil, "Use GET or DELETE.")
        }
    }

    /// `POST /payments`: `amount` (a number, kept exactly), `currency`, and maybe `reference`, `description`,
    /// `callback`, `locale`, `customer`. The sandbox alone understands:
    /// `channels` (slugs; all by default), `card_sdk` (``Channel/cardSDKs``), `card_step` (``StepKind``),
    /// `echo: false` (no realtime), `status` (the status it begins in), `expires_in_seconds` (1800),
    /// `settle_after_seconds` (how long a provider takes), `refuse_parallel_attempts` (true).
    private mutating func createPayment(_ request: SandboxRequest, at now: Instant) throws(Refusal) -> SandboxAnswer {
        guard payments.count < Self.mostPayments else {
            throw Refusal(503, "sandbox_full", "The sandbox holds \(Self.mostPayments) payments; restart it.")
        }
        guard let body = request.json else { throw Refusal(400, nil, "The body is no JSON object.") }
        guard let amount = body["amount"]?.decimal, amount > 0 else {
            throw Refusal("amount", "A positive number is required.")
        }
        guard let currency = body["currency"]?.string, currency.utf8.count == 3 else {
            throw Refusal("currency", "An ISO 4217 code is required.")
        }
        let terms: Terms
        let expiresIn: Duration
        do throws(InvalidField) {
            terms = try Terms(body)
            expiresIn = try Terms.seconds("expires_in_seconds", body, -86_400...31_536_000) ?? .seconds(1_800)
        } catch {
            throw Refusal(error.answer)
        }
        let reference = body["reference"]?.string ?? "ref_\(generator.hex(words: 1))"
        guard Self.isChannelName(Self.channelPrefix + reference), identifiersByReference[reference] == nil else {
            throw Refusal("reference", "Use a new one, of letters, digits and _-=@,.; alone.")
        }
        let payment = Payment(
            id: "pay_\(generator.hex(words: 2))", reference: reference, token: "tok_test_\(generator.hex(words: 3))",
            amount: amount, currency: currency.uppercased(), terms: terms, createdAt: now, expiresAt: now + expiresIn,
            status: body["status"]?.string.map(PaymentStatus.init) ?? .pending, updatedAt: now)
        insert(payment)
        return SandboxAnswer(
            status: 201,
            json: [
                "code": 201, "status": "success", "message": "Payment created", "transaction": merchantJSON(payment),
                "authorization_token": .string(payment.token),
                "authorization_url": "\(addresses.api)/pages/\(payment.id)",
            ])
    }

    private mutating func insert(_ payment: Payment) {
        payments[payment.id] = payment
        if payment.status.family == .processing, let channel = payment.terms.channels.first {
            payments[payment.id]?.processingContext = Self.processingContext(channel, instruction: true, page: nil)
        }
        if payment.status.family == .succeeded { payments[payment.id]?.charges = 1 }
        identifiersByToken[payment.token] = payment.id
        identifiersByReference[payment.reference] = payment.id
        // One that is past its expiry at birth stays pending: a server whose sweep has not run yet.
        if payment.expiresAt > payment.createdAt {
            timers.schedule(.expire(payment: payment.id), at: payment.expiresAt)
        }
    }

    /// Pusher's rule for channel names (pusher.md, "URL").
    static func isChannelName(_ text: String) -> Bool {
        (1...164).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_-=@,.;".utf8.contains(byte)
                }
            }
    }

    /// What `GET /payments/{id}` shows: the transaction, and what a test asks: how often money moved, how many
    /// attempts were accepted, how many idempotency keys were seen.
    private func merchantJSON(_ payment: Payment) -> JSONValue {
        transactionJSON(payment).merging(
            .fields([
                "charges": .integer(payment.charges), "attempts": .integer(payment.attempts.count),
                "idempotency_keys": .integer(payment.stored.count), "customer": payment.terms.customer,
                "last_failure": payment.lastFailure.map(failureJSON),
            ]))
    }
}
