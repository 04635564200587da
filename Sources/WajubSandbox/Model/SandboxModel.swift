package import Contract

/// Wajub's payments as a value: every request is answered here, with the present moment as an argument, and what
/// happens later is a timer. No socket, no clock, no randomness but its own seed's.
package struct SandboxModel: Sendable {
    /// A status to broadcast on the payment's channel.
    package struct Push: Hashable, Sendable {
        package let reference: String
        package let status: String
    }

    /// Where clients reach the sandbox; known once it listens.
    package struct Addresses: Hashable, Sendable {
        package var api: String
        /// With `ws://` or `wss://`, as `echo.ws_host` may carry it.
        package var realtimeHost: String
        package var realtimePort: Int

        package init(api: String, realtimeHost: String, realtimePort: Int) {
            self.api = api
            self.realtimeHost = realtimeHost
            self.realtimePort = realtimePort
        }
    }

    enum Transition: Sendable {
        case expire(payment: String)
        case settle(payment: String, attempt: Int)
        case expireStep(payment: String, step: String)
    }

    static let channelPrefix = "private-payment."
    static let mostPayments = 100_000
    static let mostKeysPerPayment = 1_000

    package var addresses = Addresses(api: "http://127.0.0.1", realtimeHost: "ws://127.0.0.1", realtimePort: 0)
    /// The Pusher application's key and secret.
    package let pusherKey: String
    package let pusherSecret: String
    let clock: SandboxClock
    var generator: SeededGenerator
    var payments: [String: Payment] = [:]
    var identifiersByToken: [String: String] = [:]
    var identifiersByReference: [String: String] = [:]
    var timers = TimerQueue<Transition>()
    private var pushes: [Push] = []

    package init(seed: UInt64, clock: SandboxClock) {
        self.clock = clock
        generator = SeededGenerator(seed: seed)
        pusherKey = generator.hex(words: 1)
        pusherSecret = generator.hex(words: 2)
    }

    /// When ``advance(to:)`` has something to do.
    package var nextDeadline: Instant? { timers.nextDeadline }

    /// What was broadcast since the last call, in order.
    package mutating func takePushes() -> [Push] {
        defer { pushes = [] }
        return pushes
    }

    /// Lets everything happen that is due at `now`.
    package mutating func advance(to now: Instant) {
        while let transition = timers.popDue(at: now) {
            switch transition {
            case .expire(let id):
                if payments[id]?.status.family == .pending { setStatus(.expired, of: id, at: now) }
            case .settle(let id, let attempt):
                settle(attempt: attempt, of: id, at: now)
            case .expireStep(let id, let step):
                guard payments[id]?.step?.id == step else { break }
                refuse(id, code: "step_expired", message: "The step has expired.", at: now)
            }
        }
    }

    /// The payment whose token or id a request carries, for the log and for matching faults.
    package func payment(of request: SandboxRequest) -> String? {
        if let token = request.bearer, let id = identifiersByToken[token] { return id }
        let parts = request.path.split(separator: "/")
        let named = parts.first == "payments" ? parts.dropFirst() : parts.dropFirst(2)
        return named.first.map(String.init).flatMap { payments[$0] == nil ? nil : $0 }
    }

    /// The payment with this id or reference.
    func identifier(_ text: String) -> String? {
        payments[text] == nil ? identifiersByReference[text] : text
    }

    // MARK: What changes a payment

    mutating func setStatus(_ status: PaymentStatus, of id: String, at now: Instant, pushing: Bool = true) {
        guard var payment = payments[id] else { return }
        payment.status = status
        payment.updatedAt = now
        if status.family == .pending || status.hasEnded {
            payment.step = nil
            payment.processingContext = nil
        }
        payments[id] = payment
        if pushing { pushes.append(Push(reference: payment.reference, status: status.text)) }
    }

    /// Two refusals never carry the same millisecond, whatever a date's rounding does: a client tells a newer one by its
    /// `at` alone (wire.md, "GET /pay/status").
    mutating func setFailure(_ code: String, _ message: String, of id: String, at now: Instant) {
        let earliest = payments[id]?.lastFailure.map { $0.at + .milliseconds(2) } ?? now
        payments[id]?.lastFailure = Payment.Failure(code: code, message: message, at: max(now, earliest))
    }

    /// A provider's decision about one attempt. Money moves even where the payment was cancelled meanwhile: that is
    /// why a client must not cancel while an attempt is undecided.
    mutating func settle(attempt index: Int, of id: String, at now: Instant) {
        guard let attempt = payments[id]?.attempts[index], attempt.isOpen else { return }
        payments[id]?.attempts[index].isOpen = false
        switch attempt.outcome {
        case .succeeds:
            payments[id]?.charges += 1
            if payments[id]?.status.hasEnded == false { setStatus(.succeeded, of: id, at: now) }
        case .refused(let code, let message):
            refuse(id, code: code, message: message, at: now)
        case .timesOut:
            refuse(id, code: "approval_timeout", message: "Nobody approved the payment in time.", at: now)
        case .ends(let status, let code, let message):
            guard payments[id]?.status.hasEnded == false else { return }
            setFailure(code, message, of: id, at: now)
            setStatus(status, of: id, at: now)
        }
    }

    /// A definite refusal: the payment is pending again.
    mutating func refuse(_ id: String, code: String, message: String, at now: Instant) {
        guard let payment = payments[id], !payment.status.hasEnded else { return }
        if let step = payment.step { payments[id]?.attempts[step.attempt].isOpen = false }
        setFailure(code, message, of: id, at: now)
        setStatus(now < payment.expiresAt ? .pending : .expired, of: id, at: now)
    }
}
