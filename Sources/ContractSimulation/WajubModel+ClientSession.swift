internal import Contract

/// A provider's page or widget: the payer pays there, once.
struct OpenedSession: Hashable {
    enum State: Hashable {
        case open
        /// The payer paid; the run tells what became of it.
        case paid(run: Int)
        case declined(ErrorCode)
        /// Expired, or another one took its place: nobody can pay there any more.
        case closed
    }

    let id: String
    let attempt: Int
    let expiresAt: Instant
    var state = State.open

    mutating func close() {
        if state == .open { state = .closed }
    }
}

extension WajubModel {
    /// POST /pay/client-session, or a process request that is answered with one.
    mutating func open(_ attempt: Int, restart: Bool, _ dice: inout Dice, at now: Instant) -> Reply {
        advance(to: now, &dice)
        if let refusal = notNow(&dice, at: now) { return refusal }
        // The provider's page takes the money, and it is one: also where the API itself counts nothing.
        if isRunning || !charges.isEmpty { return .refused(409, .paymentInProgress) }
        if dice.chance(10) { return .refused(402, ErrorCode(rawValue: "missing_fields")) }
        var session = clientSessions.last { $0.state == .open && $0.expiresAt > now && $0.attempt == attempt }
        if session == nil || restart {
            clientSessions.indices.forEach { clientSessions[$0].close() }
            identifiers += 1
            let new = OpenedSession(
                id: "cs_\(identifiers)", attempt: attempt, expiresAt: now + .seconds(dice.pick([60, 900])))
            clientSessions.append(new)
            session = new
        }
        guard let session else { return .refused(400) }
        let url: String? = dice.chance(70) ? "https://provider.example/\(session.id)" : nil
        let demand = Demand.clientSession(ClientSession(id: session.id, provider: "paystack", hostedURL: url))
        let transaction = dice.chance(70) ? transaction(at: now, &dice) : nil
        return .accepted(PayAnswer(transaction: transaction, action: .demand(demand)))
    }

    /// The payer pays on the page; returns the run that began.
    mutating func pay(onPage id: String, _ dice: inout Dice, at now: Instant) -> Int? {
        advance(to: now, &dice)
        guard let index = clientSessions.firstIndex(where: { $0.id == id && $0.state == .open && $0.expiresAt > now }),
            isOpen(at: now), !isRunning, charges.isEmpty
        else { return nil }
        let run = begin(by: clientSessions[index].attempt, .provider)
        clientSessions[index].state = .paid(run: run.id)
        if !dice.chance(30) { setStatus(.processing, at: now) }
        return run.id
    }

    /// POST /pay/client-session/complete.
    mutating func complete(_ id: String, _ dice: inout Dice, at now: Instant) -> Reply {
        advance(to: now, &dice)
        guard let index = clientSessions.firstIndex(where: { $0.id == id }) else { return .refused(404) }
        switch clientSessions[index].state {
        case .declined(let code): return .refused(402, code)
        case .closed: return .refused(410, .clientSessionExpired)
        case .open where clientSessions[index].expiresAt <= now:
            clientSessions[index].state = .closed
            return .refused(410, .clientSessionExpired)
        case .open, .paid: return .accepted(PayAnswer(transaction: transaction(at: now, &dice)))
        }
    }
}
