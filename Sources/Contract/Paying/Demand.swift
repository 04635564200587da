/// What an accepted attempt asks of the payer (`wire.md`, POST /pay/process, `action`).
package enum Demand: Hashable, Codable, Sendable {
    /// A provider's page; `https`, or the sandbox's loopback.
    case page(url: String)
    case step(Step)
    case clientSession(ClientSession)
}

/// A confirmation step (seed 000, "Confirmation steps").
package struct Step: Hashable, Codable, Sendable {
    package enum Kind: String, ContractName {
        case otp, pin, phone, birthday, address
        case threeDS = "3ds"

        package var meaning: String {
            switch self {
            case .otp: "A one-time code: `code`."
            case .pin: "A PIN: `pin`."
            case .phone: "A phone number: `phone`."
            case .birthday: "A birthday: `birthday`, as YYYY-MM-DD."
            case .address: "An address: `address`, `city`, `state`, `zip_code`."
            case .threeDS: "The 3-D Secure code: `code`."
            }
        }

        /// What answers it, in the order in which a form asks.
        package var fields: [String] {
            switch self {
            case .otp, .threeDS: ["code"]
            case .pin: ["pin"]
            case .phone: ["phone"]
            case .birthday: ["birthday"]
            case .address: ["address", "city", "state", "zip_code"]
            }
        }

        /// The state that shows it.
        package var state: CheckoutState {
            switch self {
            case .otp: .otpRequired
            case .pin: .pinRequired
            case .phone: .phoneRequired
            case .birthday: .birthdayRequired
            case .address: .addressRequired
            case .threeDS: .threeDSRequired
            }
        }
    }

    /// A new code can be asked for this long after the step opened (seed 000, "Confirmation steps").
    package static let resendWait: Duration = .seconds(60)

    package var kind: Kind
    package var id: String
    package var attemptsLeft: Int?
    /// Wajub's words on where the code went.
    package var hint: String?
    /// When it opened, or a new code was last sent.
    var openedAt = Instant(nanoseconds: 0)

    package init(_ kind: Kind, id: String, attemptsLeft: Int? = nil, hint: String? = nil) {
        self.kind = kind
        self.id = id
        self.attemptsLeft = attemptsLeft
        self.hint = hint
    }

    /// How long until a new code can be asked for; zero: now.
    package func resendWait(at now: Instant) -> Duration {
        max(openedAt + Self.resendWait - now, .zero)
    }
}

/// A provider's own page or widget (`wire.md`, POST /pay/client-session).
package struct ClientSession: Hashable, Codable, Sendable {
    /// What opens the provider's widget: for the till that asked, never stored.
    package struct Keys: Hashable, Sendable {
        package var accessCode: String?
        package var publicKey: String?
        package var encryptionKey: String?

        package init(accessCode: String? = nil, publicKey: String? = nil, encryptionKey: String? = nil) {
            self.accessCode = accessCode
            self.publicKey = publicKey
            self.encryptionKey = encryptionKey
        }
    }

    package var id: String
    package var provider: String?
    /// `https`, or the sandbox's loopback.
    package var hostedURL: String?
    package var reference: String?
    /// A decimal string in major units.
    package var amount: String?
    package var currency: String?
    package var keys = Keys()

    package init(
        id: String, provider: String? = nil, hostedURL: String? = nil, reference: String? = nil, amount: String? = nil,
        currency: String? = nil, keys: Keys = Keys()
    ) {
        self.id = id
        self.provider = provider
        self.hostedURL = hostedURL
        self.reference = reference
        self.amount = amount
        self.currency = currency
        self.keys = keys
    }

    enum CodingKeys: String, CodingKey {
        case id, provider, hostedURL, reference, amount, currency
    }
}

/// A 2xx to a request that pays or confirms (`wire.md`, POST /pay/process).
package struct PayAnswer: Hashable, Sendable {
    /// What the answer asks for.
    package enum Action: Hashable, Sendable {
        case demand(Demand)
        /// A page without an address that the payer may be sent to.
        case pageWithoutAddress
        /// One that this version does not know.
        case unknown(String)
    }

    package var transaction: Transaction?
    package var action: Action?

    package init(transaction: Transaction?, action: Action? = nil) {
        self.transaction = transaction
        self.action = action
    }
}
