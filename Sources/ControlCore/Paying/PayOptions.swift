internal import Arguments
internal import JSON
internal import JSONRPC

/// The options of `pay`, and the way to pay that they name.
struct PayOptions: Sendable {
    enum Way: Sendable {
        case mobileMoney, card, wallet, clientSession
    }

    static let specs: [OptionSpec] = [
        Command.tokenFile,
        .value("phone", "NUMBER", "with Mobile Money, from this number"),
        .value("country", "CC", "where the number belongs to if it does not say, two letters"),
        .value("operator", "ID", "whose the number is, if it does not tell"),
        .value("channel", "CHANNEL", "by this channel of those that wajubctl methods lists"),
        .value("wallet", "CHANNEL", "with this wallet"),
        .value("payment-method-id", "ID", "with the card that Stripe's form made this id for"),
        .value("card-holder", "NAME", "the name on the card"),
        Command.field,
        .flag("client-session", "by card, on a page of the provider's"),
        .value("email", "EMAIL", "with --client-session: the payer's address"),
        .value("name", "NAME", "with --client-session: the payer's name"),
        .flag("restart", "with --client-session: a new one in place of one that is open"),
        .value("return-url", "URL", "where a provider's page sends the payer back to"),
        .flag("wait", "stay until the result or a refusal; at a terminal, ask for codes and the like"), Command.timeout,
    ]

    /// The options that belong to one way alone.
    private static let ways: [(Way, [String])] = [
        (.mobileMoney, ["phone", "country", "operator"]), (.wallet, ["wallet"]),
        (.clientSession, ["client-session"]), (.card, ["payment-method-id", "card-holder", "field"]),
    ]

    /// `nil` where none of the options names one.
    let way: Way?
    let channel: String?

    /// - throws: where options contradict each other, naming them.
    init(_ options: ParsedOptions) throws(ArgumentError) {
        let named = Self.ways.compactMap { way, names in names.first(where: options.has).map { (way, $0) } }
        if named.count > 1 { throw options.error(named[1].1, "contradicts --\(named[0].1)") }
        way = named.first?.0
        if !options.has("client-session"), let name = ["email", "name", "restart"].first(where: options.has) {
            throw options.error(name, "goes with --client-session")
        }
        if options.has("timeout") && !options.has("wait") { throw options.error("timeout", "goes with --wait") }
        if options.has("wallet") && options.has("channel") { throw options.error("channel", "contradicts --wallet") }
        channel = try options.string("channel")
    }
}
