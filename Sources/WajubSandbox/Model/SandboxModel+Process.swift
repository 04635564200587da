internal import Contract
internal import JSON

extension SandboxModel {
    /// `POST /pay/process`: an idempotency key's first answer is its only answer.
    mutating func process(_ id: String, _ request: SandboxRequest, at now: Instant) throws(Refusal) -> SandboxAnswer {
        guard let key = request.headers["idempotency-key"], (1...255).contains(key.utf8.count) else {
            throw Refusal("idempotency_key", "The Idempotency-Key header is required.")
        }
        if let first = payments[id]?.stored[key] {
            guard first.body == request.body else {
                throw Refusal("idempotency_key", "This key was used with another body.")
            }
            if let until = first.runsUntil, now < until {
                throw Refusal(
                    .error(
                        409, "payment_in_progress", "The first request with this key is still running.",
                        errors: ["idempotency_key": ["The first request with this key is still running."]]))
            }
            return first.answer
        }
        guard let stored = payments[id]?.stored.count, stored < Self.mostKeysPerPayment else {
            throw Refusal(429, "rate_limited", "Too many keys for one payment.")
        }
        let answer: SandboxAnswer
        do throws(Refusal) {
            answer = try attempt(id, request, at: now)
        } catch {
            answer = error.answer
        }
        payments[id]?.stored[key] = Payment.StoredAnswer(body: request.body, answer: answer)
        return answer
    }

    /// Tells that the answer to `request` is on its way until `until`: the same key is refused with a 409 meanwhile. With
    /// `nil` it has left.
    mutating func holdKey(of request: SandboxRequest, until: Instant?) {
        guard request.path == "/pay/process", let key = request.headers["idempotency-key"],
            let id = payment(of: request)
        else { return }
        payments[id]?.stored[key]?.runsUntil = until
    }

    private mutating func attempt(_ id: String, _ request: SandboxRequest, at now: Instant) throws(Refusal)
        -> SandboxAnswer
    {
        guard let payment = payments[id] else { throw Refusal(404, "session_not_found", "No such session.") }
        try refuseEnded(payment)
        if payment.terms.refusesParallelAttempts, payment.status.family == .processing {
            throw Refusal(409, "payment_in_progress", "A payment is already in progress.")
        }
        guard let body = request.json else { throw Refusal(400, nil, "The body is no JSON object.") }
        guard let channel = body["channel"]?.string.flatMap(payment.channel) else {
            throw Refusal("channel", "This payment does not offer it.")
        }
        let data = body["data"] ?? [:]
        switch channel.kind {
        case .mobileMoney(let country, let operators, let page):
            let scenario = try Self.scenario(data, country, operators)
            return begin(id, channel, scenario, at: now, page: page)
        case .card(let sdk):
            return try payByCard(id, channel, sdk, data, at: now)
        case .wallet:
            return begin(id, channel, .succeeds, at: now, page: true)
        case .bank:
            throw Refusal("channel", "No SDK pays by bank transfer.")
        }
    }

    private static func scenario(
        _ data: JSONValue, _ country: String, _ operators: [Channel.Operator]
    ) throws(Refusal) -> Scenario {
        guard let phone = data["phone"]?.string, !phone.isEmpty else {
            throw Refusal("phone", "A phone number is required.")
        }
        if let named = data.given("country"), named.string != country { throw Refusal("country", "Use \(country).") }
        if let member = data.given("operator"), !operators.contains(where: { $0.id == member.string }) {
            throw Refusal("operator", "Use one of \(operators.map(\.id).joined(separator: ", ")).")
        }
        guard let scenario = Scenario.ofNumber(phone, country: country) else {
            let valid = Scenario.numbers(country: country, operators: operators)
            throw Refusal(
                .error(
                    422, "validation_error", "Use a test number: \(valid.joined(separator: ", ")).",
                    errors: ["phone": ["This is no test number."]],
                    extra: ["valid_numbers": .array(valid.map(JSONValue.string))]))
        }
        return scenario
    }

    /// Accepts an attempt that a provider decides later, on the phone or on its page.
    mutating func begin(
        _ id: String, _ channel: Channel, _ scenario: Scenario, at now: Instant, page: Bool
    ) -> SandboxAnswer {
        let attempt = open(id, channel, scenario)
        let url = page ? "\(addresses.api)/pages/\(id)" : nil
        payments[id]?.processingContext = Self.processingContext(channel, instruction: !page, page: url)
        let delay = payments[id]?.terms.settleAfter ?? scenario.usualDelay
        timers.schedule(.settle(payment: id, attempt: attempt), at: now + delay)
        setStatus(.processing, of: id, at: now)
        return processAnswer(
            id, status: 202, "Approve the payment.",
            ["action": page ? "redirect" : nil, "confirm_url": url.map(JSONValue.string)])
    }

    /// Records an accepted attempt and returns its index.
    mutating func open(_ id: String, _ channel: Channel, _ outcome: Scenario) -> Int {
        payments[id]?.attempts.append(Payment.Attempt(channel: channel, outcome: outcome))
        return (payments[id]?.attempts.count ?? 1) - 1
    }

    /// Wajub's answer to a payment request: the payment as it is now, and `more`.
    func processAnswer(
        _ id: String, status: Int, _ message: String, _ more: KeyValuePairs<String, JSONValue?>
    ) -> SandboxAnswer {
        guard let payment = payments[id] else { return .error(404, "session_not_found", "No such session.") }
        let body = JSONValue.fields([
            "code": .integer(status), "status": .string(payment.status.text), "message": .string(message),
            "transaction": transactionJSON(payment),
        ])
        return SandboxAnswer(status: status, json: body.merging(.fields(more)))
    }
}
