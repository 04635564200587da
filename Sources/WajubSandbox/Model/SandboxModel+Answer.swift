package import Contract

extension SandboxModel {
    /// Answers a request of a merchant's server or of a client.
    package mutating func answer(_ request: SandboxRequest, at now: Instant) -> SandboxAnswer {
        do {
            return if request.path.hasPrefix("/pay/") {
                try answerClient(request, at: now)
            } else {
                try answerMerchant(request, at: now)
            }
        } catch let refusal {
            return refusal.answer
        }
    }

    private mutating func answerClient(_ request: SandboxRequest, at now: Instant) throws(Refusal) -> SandboxAnswer {
        let id = try authenticated(request, at: now)
        switch (request.method, request.path) {
        case ("GET", "/pay/session"): return session(id)
        case ("GET", "/pay/sdk-config"): return sdkConfig(id)
        case ("GET", "/pay/status"): return status(id)
        case ("POST", "/pay/process"): return try process(id, request, at: now)
        case ("POST", "/pay/cancel"): return try cancel(id, at: now)
        case ("POST", "/pay/client-session"): return try openClientSession(id, request, at: now)
        case ("POST", "/pay/client-session/complete"): return try completeClientSession(id, request, at: now)
        case ("POST", "/pay/broadcasting/auth"): return try authorizeChannel(id, request)
        case ("POST", "/pay/verify/resend"): return try resend(id, request, at: now)
        case ("POST", let path) where path.hasPrefix("/pay/verify/"):
            guard let kind = StepKind(rawValue: String(path.dropFirst("/pay/verify/".count))) else { fallthrough }
            return try verify(id, kind, request, at: now)
        default:
            throw Refusal(404, nil, "The route \(request.path) could not be found.")
        }
    }

    /// The payment whose token the request carries (wire.md, "Common": the word `Bearer ` is required).
    private func authenticated(_ request: SandboxRequest, at now: Instant) throws(Refusal) -> String {
        // Laravel's broadcasting routes answer 403 where others say 401 (pusher.md, "Authorise").
        let status = request.path == "/pay/broadcasting/auth" ? 403 : 401
        guard let token = request.bearer else { throw Refusal(status, nil, "Unauthenticated.") }
        guard let id = identifiersByToken[token], let payment = payments[id],
            payment.tokenEndsAt.map({ now < $0 }) ?? true
        else { throw Refusal(status, "session_not_found", "This payment session does not exist.") }
        return id
    }
}

/// A request that is refused, as the answer that says so.
struct Refusal: Error {
    let answer: SandboxAnswer

    init(_ answer: SandboxAnswer) {
        self.answer = answer
    }

    init(_ status: Int, _ code: String?, _ message: String) {
        answer = .error(status, code, message)
    }

    /// A field that cannot be used.
    init(_ field: String, _ message: String) {
        answer = .invalid(field, message)
    }
}
