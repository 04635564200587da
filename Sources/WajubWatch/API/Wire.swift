/// Every name of Wajub's wire that the daemon speaks upstream.
///
/// The names marked [assumed] are published nowhere: `wire.md` tells where each comes from, and one edit here corrects
/// it.
enum Wire {
    enum Path: String {
        case session = "/pay/session"
        case configuration = "/pay/sdk-config"
        case status = "/pay/status"
        case cancel = "/pay/cancel"
        case process = "/pay/process"
        case clientSession = "/pay/client-session"
        case completion = "/pay/client-session/complete"
        case verifyOTP = "/pay/verify/otp"  // [assumed], as all of /pay/verify
        case verifyPIN = "/pay/verify/pin"
        case verifyPhone = "/pay/verify/phone"
        case verifyBirthday = "/pay/verify/birthday"
        case verifyAddress = "/pay/verify/address"
        case verify3DS = "/pay/verify/3ds"
        case resend = "/pay/verify/resend"
        case authorizeChannel = "/pay/broadcasting/auth"
    }

    enum Header {
        static let authorization = "Authorization"
        static let accept = "Accept"
        static let acceptLanguage = "Accept-Language"
        static let client = "X-Wajub-Client"
        static let userAgent = "User-Agent"
        static let contentType = "Content-Type"
        static let idempotencyKey = "Idempotency-Key"
        static let requestID = "X-Request-Id"
        static let traceID = "X-Trace-Id"
        static let retryAfter = "Retry-After"
        static let date = "Date"
    }

    enum SessionKey: String, CodingKey {
        case transaction, channels, locale, echo
        case customer  // [assumed]
    }

    enum CustomerKey: String, CodingKey {
        case country  // [assumed]
    }

    enum TransactionKey: String, CodingKey {
        case id, reference, amount, currency, status, sandbox
        case amountTotal = "amount_total"
        case processingContext = "processing_context"
        case expiresAt = "expires_at"  // [assumed]
        case receiptURL = "receipt_url"  // [assumed]
        case updatedAt = "updated_at"  // [assumed]
    }

    enum ProcessingContextKey: String, CodingKey {
        case channelSlug = "channel_slug"
        case isMobileMoney = "is_mobile_money"
        case payerInstruction = "payer_instruction"
        case actionURL = "action_url"
    }

    enum ChannelKey: String, CodingKey {
        case slug, name, type, countries
        case operators  // [assumed]
    }

    enum OperatorKey: String, CodingKey {
        case id, name  // [assumed]
    }

    enum EchoKey: String, CodingKey {
        case key
        case host = "ws_host"
        case port = "ws_port"
        case channelPrefix = "channel_prefix"
    }

    enum ConfigurationKey: String, CodingKey {
        case channels
    }

    enum ChannelConfigurationKey: String, CodingKey {
        case available, provider, sdk
        case publishableKey = "publishable_key"
        case requiredFields = "required_fields"
        case clientSession = "client_session"
    }

    enum StatusKey: String, CodingKey {
        case transaction
        case lastFailure = "last_failure"  // [assumed]
    }

    enum LastFailureKey: String, CodingKey {
        case code, message, at  // [assumed]
    }

    enum ErrorKey: String, CodingKey {
        case message, errors
        case code = "error_code"
        case blockReference = "block_reference"  // [assumed]
        case missingFields = "missing_fields"
        case attemptsLeft = "attempts_left"  // [assumed]
        case step  // [assumed]
    }

    enum PayKey: String, CodingKey {
        case action, transaction, step
        case confirmURL = "confirm_url"
        case simulatorURL = "simulator_url"
        case clientSession = "client_session"
    }

    /// The words of `action` that are no step.
    enum Action {
        static let pages: Set = ["redirect", "confirm"]
        static let threeDS = "confirm_3ds"
        static let clientSession = "client_session"
        static let stepPrefix = "confirm_"
    }

    enum StepKey: String, CodingKey {
        case id, hint  // [assumed]
        case attemptsLeft = "attempts_left"  // [assumed]
    }

    enum ClientSessionKey: String, CodingKey {
        case id, provider, reference, amount, currency
        case hostedURL = "hosted_url"
        case accessCode = "access_code"
        case publicKey = "public_key"
        case encryptionKey = "encryption_key"
    }

    /// What POST /pay/process carries beside `channel` and `data`, and the other bodies' fields.
    enum BodyField {
        static let channel = "channel"
        static let data = "data"
        static let returnURL = "return_url"
        static let device = "device"  // [assumed]
        static let email = "email"
        static let name = "name"
        static let restart = "restart"
        static let clientSessionID = "client_session_id"
        static let stepID = "step_id"  // [assumed]
    }

    /// The fields of `device`; a till has no screen to tell of.
    enum DeviceKey: String, CodingKey {
        case timezone, language, languages, fingerprint  // [assumed]
    }

    /// The form fields of POST /pay/broadcasting/auth.
    enum AuthorizeField {
        static let socketID = "socket_id"
        static let channel = "channel_name"
    }

    enum AuthorizationKey: String, CodingKey {
        case auth
        case channelData = "channel_data"
    }

    /// The realtime event; the second is Laravel's own name for one without `broadcastAs` (`pusher.md`, "Facts").
    enum RealtimeEvent {
        static let names: Set = ["PaymentStatusUpdated", #"App\Events\PaymentStatusUpdated"#]
    }
}
