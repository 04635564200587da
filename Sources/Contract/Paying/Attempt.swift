/// The key of an attempt's requests: Wajub charges at most once for it (`wire.md`, POST /pay/process). Whoever knows it can collide with
/// the attempt, so it stays out of every description.
package struct IdempotencyKey: Hashable, Codable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    package let text: String

    /// - parameter text: 128 random bits in hexadecimal.
    package init(_ text: String) {
        self.text = text
    }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package var description: String { "idempotency key" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A press of Pay: what the till asked for, checked, and ready to be made durable. The body itself stays with the driver.
package struct Press: Hashable, Sendable {
    /// What carries the payment.
    package enum Request: String, Hashable, Codable, Sendable {
        /// POST /pay/process, under the attempt's key.
        case process
        /// POST /pay/client-session: opens a provider's page; the payer pays there.
        case clientSession = "client_session"
    }

    package var request: Request
    package var method: MethodFamily
    package var channel: String
    /// For a new attempt; one that is undecided keeps its own.
    package var newKey: IdempotencyKey
    /// SHA-256 of the body in hexadecimal.
    package var bodyDigest: String
    /// For the approval screen: the payer's number, all but its end hidden.
    package var phoneMasked: String?
    /// The wall clock in seconds since 1970: an attempt's age survives a reboot by it.
    package var wallTime: Double

    package init(
        request: Request, method: MethodFamily, channel: String, newKey: IdempotencyKey, bodyDigest: String,
        phoneMasked: String? = nil, wallTime: Double
    ) {
        self.request = request
        self.method = method
        self.channel = channel
        self.newKey = newKey
        self.bodyDigest = bodyDigest
        self.phoneMasked = phoneMasked
        self.wallTime = wallTime
    }
}

/// One attempt to pay: from the press of Pay to a definite answer, one key (design.md, promise 1 and "Paying").
package struct Attempt: Hashable, Codable, Sendable {
    /// How far it got (`protocol.md`, "The payment object").
    package enum Phase: String, ContractName {
        case recorded, sent, unanswered, accepted, refused, succeeded

        package var meaning: String {
            switch self {
            case .recorded: "Durable; the request has not left yet."
            case .sent: "The request is on its way, or will be tried again."
            case .unanswered: "No answer that decides: reads find out."
            case .accepted: "Wajub took it in; the outcome is awaited."
            case .refused: "Certainly not charged."
            case .succeeded: "Paid."
            }
        }
    }

    /// Counts a payment's attempts, from 1.
    package internal(set) var number: Int
    package internal(set) var request: Press.Request
    package internal(set) var method: MethodFamily
    package internal(set) var channel: String
    package let key: IdempotencyKey
    /// SHA-256 in hexadecimal of the body that the key was last sent with.
    package internal(set) var bodyDigest: String
    package internal(set) var phase = Phase.recorded
    /// How often a request left.
    package internal(set) var tries = 0
    /// The wall clock at the first press, in seconds since 1970: information, and half of the key's age.
    package let startedAt: Double
    package internal(set) var phoneMasked: String?
    /// What the payer has to do for it.
    package internal(set) var demand: Demand?

    /// When the key was made.
    var keyMadeAt: Instant
    /// Set by a reboot: its clock says nothing about how long the machine was off.
    var isRebooted = false
    /// The times of the refusals that the payment carried before. Nil: not known, so that no read's refusal is this attempt's.
    var refusalsBefore: [String]?
    /// Until when the request waits for the read that tells ``refusalsBefore``.
    var baselineUntil: Instant?
    /// Tries of this press alone, and answers that said "in progress".
    var retries = 0
    var conflicts = 0
    /// When the request goes out again.
    var nextTry: Instant?
    /// A refusal that a status read confirms or overrides before it counts.
    var readFirst: WajubError?
    var lastTryAt: Instant?
    /// Whether a try of this key went without an answer, and whether it had another body than the present one.
    var hasUnansweredTry = false
    var hasOtherBodyUnanswered = false
    /// Whether a read showed it to be processing: then it arrived.
    var sawProcessing = false
    /// Whether the read 60 s after the last try was asked for.
    var isReadDue = false
    /// The step about which a request left and Wajub's word on it was not heard, and whether that was so before the present request.
    var unheardStep: String?
    var wasUnheard = false
    /// Requests under way that confirm it; they end with the process that sent them.
    var isVerifying = false
    var isResending = false
    var isCompleting = false
    /// Whether Pay alone is open again, with the same key.
    package internal(set) var isPayOpen = false

    init(_ press: Press, number: Int, at now: Instant) {
        self.number = number
        request = press.request
        method = press.method
        channel = press.channel
        key = press.newKey
        bodyDigest = press.bodyDigest
        phoneMasked = press.phoneMasked
        startedAt = press.wallTime
        keyMadeAt = now
    }

    /// Undecided from the press of Pay to a definite answer (seed 000, "Cancelling and closing").
    package var isUndecided: Bool {
        switch phase {
        case .recorded, .sent, .unanswered, .accepted: true
        case .refused, .succeeded: false
        }
    }

    /// Whether its request is on its way, between two tries included.
    var isSending: Bool { phase == .recorded || phase == .sent }
}
