internal import Arguments
internal import Contract

/// The contract's tables, made from the definitions that the code runs on (`protocol.md`, `contract.describe`).
///
/// ``ContractDocument`` writes the same tables as `docs/contract.md`.
struct ContractDescription: Encodable {
    struct Word: Encodable {
        let name: String
        let meaning: String
    }

    struct ErrorTypeRow: Encodable {
        let name: String
        let kind: ErrorKind
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

    struct OptionRow: Encodable {
        /// As in the help: `--tls CERT KEY`.
        let flag: String
        /// The environment variable of the same name.
        let variable: String?
        let help: String
    }

    let contract = "v2"
    let states = words(CheckoutState.self)
    let statuses = words(PaymentStatus.self)
    let methods = words(MethodFamily.self)
    let results = words(ResultStatus.self)
    let cancel_reasons = words(CancelReason.self)
    let events = words(EventKind.self)
    let screens = words(Screen.Kind.self)
    let error_kinds = words(ErrorKind.self)
    let error_types = ErrorType.allCases.map {
        ErrorTypeRow(name: $0.rawValue, kind: $0.kind, meaning: $0.meaning)
    }
    let certainties = words(Certainty.self)
    let error_fields = words(WajubError.CodingKeys.self)
    let errors = ErrorCatalogue.entries.map {
        ErrorRow(
            code: $0.code.rawValue, type: $0.type, retryable: $0.retryable, certainty: $0.certainty, en: $0.english,
            fr: $0.french)
    }
    let options = words(WatchParameter.self)
    let daemon_options = DaemonOptions.parser.specs.map {
        OptionRow(
            flag: (["--" + $0.name] + $0.valueNames).joined(separator: " "),
            variable: DaemonOptions.parser.variable(named: $0.name), help: $0.help)
    }

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
