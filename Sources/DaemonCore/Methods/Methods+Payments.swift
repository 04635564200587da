internal import Contract
internal import FoundationEssentials
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import WajubWatch

/// What a hand-off that says nothing gets.
struct WatchDefaults: Sendable {
    var language: Language?
    var realtime = PaymentOptions.Realtime.session
    var followUp = Duration.zero
    /// The till's country, two capitals.
    var country: String?
}

extension Methods {
    func watch(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: WatchParameter.allCases.map(\.rawValue))
        let token = try AuthorizationToken.checked(try params.requiredString("token"))
        let defaults = defaults()
        let options = PaymentOptions(
            language: try params.language("locale") ?? defaults.language,
            realtime: try params.realtime("realtime") ?? defaults.realtime,
            cancelOnDismiss: try params.bool("cancel_on_dismiss") ?? true,
            followUp: try params.seconds("follow_up_seconds") ?? defaults.followUp)
        let handed = await registry.handOff(
            token: Secret(token), reference: try params.label("reference"), options: options)
        switch handed {
        case .success(let snapshot): return try show(snapshot)
        case .failure(let failure): throw .failure(failure, in: options.language ?? .en)
        }
    }

    /// From memory or the store; nil where a live read is asked for.
    func statusNow(_ request: RPCRequest) throws(RPCError) -> RPCResult? {
        let params = try Params(request, allowed: ["payment", "refresh"])
        if try params.bool("refresh") == true { return nil }
        return try show(try snapshot(params))
    }

    func refresh(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["payment", "refresh"])
        return try await ask(.refresh, params)
    }

    func wait(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["payment", "timeout_seconds"])
        let limit = try params.seconds("timeout_seconds")
        let now = try snapshot(params)
        if now.machine.result != nil { return try show(now) }
        return try await ask(.result, params, within: limit)
    }

    func close(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["payment", "reason"])
        let word = try params.string("reason") ?? CloseReason.dismissed.rawValue
        guard let reason = CloseReason(rawValue: word) else {
            throw .invalidParam("reason", "must be dismissed or host_gone")
        }
        return try await ask(.close(reason), params)
    }

    func returned(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        try await ask(.returned, try Params(request, allowed: ["payment"]))
    }

    func cancel(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        try await ask(.cancel, try Params(request, allowed: ["payment"]))
    }

    private func ask(_ question: PaymentQuestion, _ params: Params, within limit: Duration? = nil)
        async throws(RPCError)
        -> RPCResult
    {
        try show(
            try await asking(params) { [registry] id async throws(StoreError) in
                try await registry.ask(question, about: id, within: limit)
            })
    }

    /// Asks something of the payment that a till names, and tells what it failed for.
    func asking(
        _ params: Params, _ ask: (_ id: String) async throws(StoreError) -> Result<PaymentSnapshot, RequestFailure>?
    ) async throws(RPCError) -> PaymentSnapshot {
        let id = try resolve(try params.requiredPayment())
        let answer: Result<PaymentSnapshot, RequestFailure>?
        do throws(StoreError) {
            answer = try await ask(id)
        } catch {
            log.error("the store could not be read", ("reason", "\(error)"))
            throw .wajub(.storageUnavailable)
        }
        switch answer {
        case .success(let snapshot): return snapshot
        case .failure(let failure): throw .failure(failure, in: language(of: id))
        case nil: throw .wajub(.unknownPayment)
        }
    }

    /// The payment's language; English where it cannot be read.
    private func language(of id: String) -> Language {
        do throws(RPCError) {
            return try reading { () throws(StoreError) in try registry.snapshot(of: id) }?.machine.language ?? .en
        } catch {
            return .en
        }
    }

    func methods(_ request: RPCRequest) throws(RPCError) -> RPCResult {
        let snapshot = try snapshot(try Params(request, allowed: ["payment"]))
        let machine = snapshot.machine
        if let refusal = machine.refusalToOffer() { throw .wajub(refusal, in: machine.language) }
        return try encoded(MethodList(methods: machine.offers, unavailable: machine.unavailable))
    }

    func list(_ request: RPCRequest) throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["settled", "limit", "before"])
        let (settled, limit) = (try params.bool("settled"), try params.integer("limit", in: 1...500) ?? 50)
        let cursor = try params.string("before").map { text throws(RPCError) in
            guard let cursor = PageCursor(text) else { throw .invalidParam("before", "is no cursor of payment.list") }
            return cursor
        }
        let page = try reading { () throws(StoreError) in
            try store.payments(settled: settled, limit: limit, before: cursor)
        }
        let payments = try page.records.map { record throws(RPCError) in
            try reading { () throws(StoreError) in try registry.snapshot(of: record.id) }
        }
        return try encoded(
            PaymentPage(
                payments: payments.compactMap(\.self).map { PaymentObject($0, at: time) },
                next: page.next?.text))
    }
}

private struct MethodList: Encodable {
    let methods: [MethodOffer]
    /// What the payment has and cannot be offered here, with the reason: for the person who integrates.
    let unavailable: [UnavailableMethod]
}

private struct PaymentPage: Encodable {
    let payments: [PaymentObject]
    let next: String?
}
