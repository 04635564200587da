internal import FoundationEssentials
internal import JSONRPC
internal import Store
internal import WajubWatch

extension Methods {
    /// Answers first, then streams: the stored events from `after` on, then the live ones, without a gap or a repeat.
    func subscribe(_ request: RPCRequest, _ connection: RPCConnection) throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["after", "payment"])
        let lastSeq = store.lastSeq
        let after = try params.integer("after", in: 0...Int.max).map(Int64.init) ?? lastSeq
        let payment = try params.payment().map { selector throws(RPCError) in try resolve(selector) }
        var result = try encoded(["last_seq": lastSeq])
        let hub = hub
        result.afterwards = { hub.subscribe(connection, after: after, payment: payment) }
        return result
    }

    func unsubscribe(_ request: RPCRequest, _ connection: RPCConnection) throws(RPCError) -> RPCResult {
        _ = try Params(request, allowed: [])
        hub.unsubscribe(connection)
        return try encoded([String: String]())
    }

    /// Every hand-off, read, signal and decision with its evidence, in the order in which it was written.
    func explain(_ request: RPCRequest) async throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["payment"])
        let id = try resolve(try params.requiredPayment())
        let known: Bool
        do throws(StoreError) {
            known = try await registry.writeNotes(of: id)
        } catch {
            log.error("the store could not be read", ("reason", "\(error)"))
            throw .wajub(.storageUnavailable)
        }
        guard known else { throw .wajub(.unknownPayment) }
        let lines = try reading { () throws(StoreError) in
            try store.events(payment: id).map(TimelineEntry.init) + (try store.notes(payment: id)).map(TimelineEntry.init)
        }
        // A note carries the seq of the last event of its own change: it comes after that event.
        let ordered = lines.enumerated().sorted { ($0.element.seq, $0.offset) < ($1.element.seq, $1.offset) }
        return try encoded(["timeline": ordered.map(\.element)])
    }
}

/// A line of `payment.explain`.
private struct TimelineEntry: Encodable {
    let at: String
    let seq: Int64
    let what: String
    let detail: JSONValue

    init(_ event: StoredEvent) {
        at = JSONText.time(event.at)
        seq = event.seq
        what = "event: \(event.kind)"
        detail = JSONValue(text: event.data) ?? .string(event.data)
    }

    init(_ note: Note) {
        at = JSONText.time(note.at)
        seq = note.seq
        what = note.what
        detail = JSONValue(text: note.detail) ?? .string(note.detail)
    }
}
