internal import Contract
internal import FoundationEssentials
internal import JSON

/// One payment of the sandbox: what the merchant asked for and what became of it.
struct Payment: Sendable {
    /// A newer refusal, as `last_failure` shows it.
    struct Failure: Hashable, Sendable {
        let code: String
        let message: String
        let at: Instant
    }

    /// One accepted `POST /pay/process`. It moves money at most once, by `settle`.
    struct Attempt: Sendable {
        let channel: Channel
        let outcome: Scenario
        var isOpen = true
    }

    /// A confirmation step somebody has to answer.
    struct Step: Sendable {
        let id: String
        let kind: StepKind
        let attempt: Int
        let expiresAt: Instant
        var attemptsLeft = 3
        var resendFrom: Instant
    }

    struct ClientSession: Sendable {
        let id: String
        let channel: Channel
        let expiresAt: Instant
        /// The provider's refusal, once it made one.
        var declined: String?
    }

    /// What a request with an idempotency key was answered.
    struct StoredAnswer: Sendable {
        let body: [UInt8]
        let answer: SandboxAnswer
        /// Until then the first request counts as still running.
        var runsUntil: Instant?
    }

    let id: String
    let reference: String
    let token: String
    /// In the payment's currency.
    let amount: Decimal
    let currency: String
    let terms: Terms
    let createdAt: Instant
    let expiresAt: Instant
    /// When the token stops, once the payment was cancelled (seed 000, "Cancelling and closing").
    var tokenEndsAt: Instant?
    var status: PaymentStatus
    var updatedAt: Instant
    /// How many times money moved. More than one is what a client must never bring about.
    var charges = 0
    var attempts: [Attempt] = []
    var lastFailure: Failure?
    var step: Step?
    var clientSession: ClientSession?
    /// The channel and wording of what is being paid, while it is.
    var processingContext: JSONValue?
    var stored: [String: StoredAnswer] = [:]

    func channel(_ slug: String) -> Channel? {
        terms.channels.first { $0.slug == slug }
    }
}

/// The steps of `/pay/verify/…`, by the last part of their path.
enum StepKind: String, CaseIterable, Sendable {
    case otp, pin, phone, birthday, address
    case threeDS = "3ds"

    /// The `action` that asks for it (wire.md, "POST /pay/process").
    var action: String { "confirm_\(rawValue)" }
}
