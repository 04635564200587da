internal import Contract
internal import FoundationEssentials
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import WajubWatch

extension Methods {
    /// Answered once the attempt and its key are durable; the rest is told by events.
    func pay(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(
            request, allowed: ["payment", "mobile_money", "card", "wallet", "channel", "data", "return_url"])
        let order = try parsed(params, unless: refusalToPay(.process)) { () throws(RPCError) in
            PayOrder(try params.payInput(), returnURL: try params.returnURL("return_url"), country: defaults().country)
        }
        return try show(
            try await asking(params) { [registry] id async throws(StoreError) in try await registry.pay(order, on: id) }
        )
    }

    func startClientSession(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["payment", "channel", "email", "name", "return_url", "restart"])
        let order = try parsed(params, unless: refusalToPay(.clientSession)) { () throws(RPCError) in
            ClientSessionOrder(
                channel: try params.requiredString("channel"), email: try params.label("email"),
                name: try params.label("name"), returnURL: try params.returnURL("return_url"),
                restart: try params.bool("restart") ?? false)
        }
        let snapshot = try await asking(params) { [registry] id async throws(StoreError) in
            try await registry.startClientSession(order, on: id)
        }
        return try encoded(
            SessionAnswer(
                payment: PaymentObject(snapshot, at: time),
                client_session: snapshot.machine.openClientSession.map(ClientSessionObject.init)))
    }

    func verify(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["payment", "fields"])
        let fields = try parsed(params, unless: { $0.refusalToVerify() }) { () throws(RPCError) in
            try params.texts("fields")
        }
        return try show(
            try await asking(params) { [registry] id async throws(StoreError) in
                try await registry.verify(fields, on: id)
            })
    }

    func resend(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["payment"])
        return try show(
            try await asking(params) { [registry] id async throws(StoreError) in try await registry.resend(on: id) })
    }
}

extension Methods {
    private func refusalToPay(_ request: Press.Request) -> (PaymentMachine) -> ErrorCode? {
        { [time] in $0.refusalToPay(request, at: time.now, wallTime: time.wallNow.timeIntervalSince1970) }
    }

    /// The parameters; where they are wrong, the payment's own refusal comes first (`protocol.md`, "Methods").
    private func parsed<Value>(
        _ params: Params, unless refusal: (PaymentMachine) -> ErrorCode?, _ parse: () throws(RPCError) -> Value
    ) throws(RPCError) -> Value {
        do throws(RPCError) {
            return try parse()
        } catch {
            let machine = try snapshot(params).machine
            if let code = refusal(machine) { throw .wajub(code, in: machine.language) }
            throw error
        }
    }
}

private struct SessionAnswer: Encodable {
    let payment: PaymentObject
    let client_session: ClientSessionObject?
}

/// What opens the provider's page or widget; the only place where its keys are told.
private struct ClientSessionObject: Encodable {
    let id: String
    let provider: String?
    let reference: String?
    let amount: String?
    let currency: String?
    let hosted_url: String?
    let access_code: String?
    let public_key: String?
    let encryption_key: String?

    init(_ session: ClientSession) {
        id = session.id
        provider = session.provider
        reference = session.reference
        amount = session.amount
        currency = session.currency
        hosted_url = session.hostedURL
        access_code = session.keys.accessCode
        public_key = session.keys.publicKey
        encryption_key = session.keys.encryptionKey
    }
}

extension Params {
    /// What to pay with: exactly one of `mobile_money`, `card`, `wallet`, or `channel` with `data`.
    func payInput() throws(RPCError) -> PayInput {
        let given = ["mobile_money", "card", "wallet", "channel"].filter { self[$0] != nil }
        guard given.count == 1, let means = given.first else {
            throw .invalidParam(
                given.last ?? "mobile_money", "give one of mobile_money, card, wallet, or channel with data")
        }
        if means != "channel", self["data"] != nil { throw .invalidParam("data", "goes with channel alone") }
        switch means {
        case "mobile_money":
            let object = try object("mobile_money", allowed: ["phone", "country", "operator", "channel"])
            return .mobileMoney(
                MobileMoneyInput(
                    phone: try text("phone", of: object) ?? "", country: try text("country", of: object),
                    operator: try text("operator", of: object), channel: try text("channel", of: object)))
        case "card":
            let object = try object("card", allowed: ["channel", "payment_method_id", "card_holder", "fields"])
            return .card(
                CardInput(
                    channel: try text("channel", of: object),
                    paymentMethodID: try text("payment_method_id", of: object),
                    cardHolder: try text("card_holder", of: object),
                    fields: try object["fields"].map { value throws(RPCError) in try Self.texts(value, "fields") }
                        ?? [:]))
        case "wallet":
            let object = try object("wallet", allowed: ["channel"])
            guard let channel = try text("channel", of: object) else { throw .invalidParam("channel", "is required") }
            return .wallet(channel: channel)
        default:
            return try raw()
        }
    }

    private func raw() throws(RPCError) -> PayInput {
        let channel = try requiredString("channel")
        guard let data = self["data"], data.object != nil else { throw .invalidParam("data", "must be an object") }
        return .raw(
            channel: channel, json: String(decoding: data.encoded, as: UTF8.self), leaves: data.leaves(named: "data"))
    }

    /// A page on the merchant's side: the provider shows it after the payment.
    func returnURL(_ name: String) throws(RPCError) -> String? {
        guard let text = try string(name) else { return nil }
        guard text.utf8.count <= 2048, text.hasPrefix("https://"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            Authority(text.dropFirst("https://".count).prefix { !"/?#".contains($0) }) != nil
        else { throw .invalidParam(name, "must be an https URL") }
        return text
    }

    /// An object of texts.
    func texts(_ name: String) throws(RPCError) -> [String: String] {
        guard let value = self[name] else { throw .invalidParam(name, "is required") }
        return try Self.texts(value, name)
    }

    private static func texts(_ value: JSONValue, _ name: String) throws(RPCError) -> [String: String] {
        guard let object = value.object else { throw .invalidParam(name, "must be an object of strings") }
        var texts: [String: String] = [:]
        for (key, value) in object {
            guard let text = value.string else { throw .invalidParam(key, "must be a string") }
            texts[key] = text
        }
        return texts
    }

    private func object(_ name: String, allowed: [String]) throws(RPCError) -> [String: JSONValue] {
        guard let object = self[name]?.object else { throw .invalidParam(name, "must be an object") }
        if let stranger = object.keys.filter({ !allowed.contains($0) }).min() {
            throw .invalidParam(stranger, "\(name) has no field of this name")
        }
        return object.filter { !$0.value.isNull }
    }

    private func text(_ name: String, of object: [String: JSONValue]) throws(RPCError) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw .invalidParam(name, "must be a string") }
        return text
    }
}

extension JSONValue {
    /// Every text and number in it, under the name of the member that holds it.
    fileprivate func leaves(named name: String) -> [(name: String, text: String)] {
        if let object { return object.flatMap { $0.value.leaves(named: $0.key) } }
        if let array { return array.flatMap { $0.leaves(named: name) } }
        return [(name, string ?? String(decoding: encoded, as: UTF8.self))]
    }
}
