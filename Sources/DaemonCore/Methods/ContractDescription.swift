internal import Contract

/// The contract's tables, made from the definitions that the code runs on (`protocol.md`, `contract.describe`).
struct ContractDescription: Encodable {
    struct Word: Encodable {
        let name: String
        let meaning: String
    }

    struct ErrorRow: Encodable {
        let code: String
        let type: ErrorType
        let retryable: Bool
        let certainty: Certainty?
        let en: String
        let fr: String
    }

    let contract = "v2"
    let states = words(CheckoutState.self)
    let statuses = words(PaymentStatus.self)
    let methods = words(MethodFamily.self)
    let results = words(ResultStatus.self)
    let cancel_reasons = words(CancelReason.self)
    let events = words(EventKind.self)
    let screens = words(Screen.Kind.self)
    let error_types = words(ErrorType.self)
    let error_fields = WajubError.CodingKeys.allCases.map(\.rawValue).sorted()
    let certainties = words(Certainty.self)
    let errors = ErrorCatalogue.entries.map {
        ErrorRow(
            code: $0.code.rawValue, type: $0.type, retryable: $0.retryable, certainty: $0.certainty, en: $0.english,
            fr: $0.french)
    }
    let options = WatchParameter.allCases.map { Word(name: $0.rawValue, meaning: $0.meaning) }

    private static func words<Name: ContractName>(_: Name.Type) -> [Word] {
        Name.allCases.map { Word(name: $0.rawValue, meaning: $0.meaning) }
    }
}

/// The parameters of `payment.watch`.
enum WatchParameter: String, ContractName {
    case token, reference, locale, realtime
    case cancelOnDismiss = "cancel_on_dismiss"
    case followUpSeconds = "follow_up_seconds"

    var meaning: String {
        switch self {
        case .token: "The payment's authorization token. Required; never told to anybody but Wajub."
        case .reference: "The till's own reference, unique among its payments."
        case .locale: "The language of messages, `en` or `fr` with any region."
        case .realtime: "`{host, port, tls}` in place of the session's server, or `false` for polling only."
        case .cancelOnDismiss: "Whether dismissing a pending payment cancels it. Default true."
        case .followUpSeconds: "How long reads go on after the watch. Default: the daemon's `--follow-up-seconds`."
        }
    }
}
