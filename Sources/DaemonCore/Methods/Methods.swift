internal import Contract
internal import FoundationEssentials
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import WajubWatch

/// The methods of the socket (`protocol.md`, "Methods"): each checks its parameters, asks, and shapes the answer.
final class Methods: RPCHandler {
    let registry: PaymentRegistry
    let store: Store
    let hub: EventHub
    let time: any TimeSource
    let log: Log
    let defaults: @Sendable () -> WatchDefaults
    let info: @Sendable () -> DaemonInfo

    init(
        registry: PaymentRegistry, store: Store, hub: EventHub, time: any TimeSource, log: Log,
        defaults: @escaping @Sendable () -> WatchDefaults, info: @escaping @Sendable () -> DaemonInfo
    ) {
        self.registry = registry
        self.store = store
        self.hub = hub
        self.time = time
        self.log = log
        self.defaults = defaults
        self.info = info
    }

    /// What the store or memory can answer at once, on the server's thread.
    func handleNow(_ request: RPCRequest, on connection: RPCConnection) -> RPCOutcome? {
        switch request.method {
        case "payment.status": answer { () throws(RPCError) in try statusNow(request) }
        case "daemon.info": answer { () throws(RPCError) in try daemonInfo(request) }
        case "payment.list": answer { () throws(RPCError) in try list(request) }
        case "payment.methods": answer { () throws(RPCError) in try methods(request) }
        case "mobile_money.check": answer { () throws(RPCError) in try checkPhone(request) }
        case "contract.describe": answer { () throws(RPCError) in try describe(request) }
        case "events.subscribe": answer { () throws(RPCError) in try subscribe(request, connection) }
        case "events.unsubscribe": answer { () throws(RPCError) in try unsubscribe(request, connection) }
        case "payment.watch", "payment.wait", "payment.close", "payment.cancel", "payment.explain", "payment.pay",
            "payment.start_client_session", "payment.returned", "payment.verify", "payment.resend":
            nil
        default: .failure(.methodNotFound)
        }
    }

    /// What waits for the disk, for Wajub or for an outcome.
    func handle(_ request: RPCRequest, on connection: RPCConnection) async -> RPCOutcome {
        do throws(RPCError) {
            switch request.method {
            case "payment.watch": return .success(try await watch(request))
            case "payment.status": return .success(try await refresh(request))
            case "payment.wait": return .success(try await wait(request))
            case "payment.close": return .success(try await close(request))
            case "payment.cancel": return .success(try await cancel(request))
            case "payment.pay": return .success(try await pay(request))
            case "payment.start_client_session": return .success(try await startClientSession(request))
            case "payment.returned": return .success(try await returned(request))
            case "payment.verify": return .success(try await verify(request))
            case "payment.resend": return .success(try await resend(request))
            default: return .success(try await explain(request))
            }
        } catch {
            return .failure(error)
        }
    }

    func connectionClosed(_ connection: RPCConnection) {
        hub.unsubscribe(connection)
    }

    /// nil: to be asked again off the thread.
    private func answer(_ body: () throws(RPCError) -> RPCResult?) -> RPCOutcome? {
        do throws(RPCError) {
            return try body().map { .success($0) }
        } catch {
            return .failure(error)
        }
    }
}

extension Methods {
    /// The id of the payment that a till names.
    ///
    /// - throws: `unknown_payment`, `ambiguous_reference`, or `storage_unavailable` when the store cannot be read.
    func resolve(_ selector: PaymentSelector) throws(RPCError) -> String {
        try reading { () throws(StoreError) -> Result<String, RPCError> in
            switch selector {
            case .id(let id):
                return .success(id)
            case .token(let token):
                let record = try store.payment(tokenDigest: Digest.sha256(Array(token.utf8)))
                return record.map { .success($0.id) } ?? .failure(.wajub(.unknownPayment))
            case .reference(let reference):
                let found = try store.payments(reference: reference)
                // The till's own reference is unique; Wajub's need not be.
                if let own = found.first(where: { $0.reference == reference }) { return .success(own.id) }
                if found.count > 1 { return .failure(.wajub(.ambiguousReference)) }
                return found.first.map { .success($0.id) } ?? .failure(.wajub(.unknownPayment))
            }
        }.get()
    }

    /// The payment that a till names, as it is.
    func snapshot(_ params: Params) throws(RPCError) -> PaymentSnapshot {
        let id = try resolve(try params.requiredPayment())
        guard let snapshot = try reading({ () throws(StoreError) in try registry.snapshot(of: id) }) else {
            throw .wajub(.unknownPayment)
        }
        return snapshot
    }

    /// Reads the store; its failure is logged with its reason and told as `storage_unavailable`.
    func reading<Value>(_ body: () throws(StoreError) -> Value) throws(RPCError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            log.error("the store could not be read", ("reason", "\(error)"))
            throw .wajub(.storageUnavailable)
        }
    }

    func show(_ snapshot: PaymentSnapshot) throws(RPCError) -> RPCResult {
        try encoded(["payment": PaymentObject(snapshot, at: time)])
    }

    func encoded(_ value: some Encodable) throws(RPCError) -> RPCResult {
        do {
            return RPCResult(json: Array(try JSONText.encoder.encode(value)))
        } catch {
            log.fault("an answer could not be written as JSON", ("reason", "\(error)"))
            throw RPCError(.internalError, "the answer could not be written")
        }
    }
}
