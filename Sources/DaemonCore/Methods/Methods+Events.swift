internal import Contract
internal import FoundationEssentials
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import WajubWatch

extension Methods {
    /// Answers first, then streams: the stored events from `after` on, then the live ones, without a gap or a repeat.
    func subscribe(_ request: RPCRequest, _ connection: RPCConnection) throws(RPCError) -> RPCResult {
        let params = try Params(request, allowed: ["after", "payment"])
        let lastSeq = store.lastSeq
        let after = try params.integer("after", in: 0...Int.max).map(Int64.init) ?? lastSeq
        let payment = try params.payment().map { _ throws(RPCError) in try snapshot(params).id }
        let stored = try reading { () throws(StoreError) in try store.lastStoredSeq(payment: payment) }
        var result = try encoded(["last_seq": lastSeq, "last_stored_seq": min(stored, lastSeq)])
        let hub = hub
        result.afterAnswer = { hub.subscribe(connection, after: after, payment: payment) }
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
        let events = try reading { () throws(StoreError) -> [StoredEvent] in try self.events(of: id) }
        let notes = try reading { () throws(StoreError) -> [Note] in try store.notes(payment: id) }
        return try encoded(Timeline(events: events.map { TimelineEntry($0) }, notes: notes.map { TimelineEntry($0) }))
    }

    /// All events of a payment, page by page.
    private func events(of payment: String) throws(StoreError) -> [StoredEvent] {
        var events: [StoredEvent] = []
        while true {
            let page = try store.events(after: events.last?.seq ?? 0, payment: payment)
            events += page
            if page.count < Store.pageLimit { return events }
        }
    }
}

private struct Timeline: Encodable {
    let timeline: [TimelineEntry]

    /// Merges both by time, each in its own order whatever the wall clock did; a note comes before the event that it led to.
    init(events: [TimelineEntry], notes: [TimelineEntry]) {
        var (timeline, events, notes) = ([TimelineEntry](), events[...], notes[...])
        while let event = events.first, let note = notes.first {
            timeline.append(note.at <= event.at ? notes.removeFirst() : events.removeFirst())
        }
        self.timeline = timeline + notes + events
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
        detail = .parsed(event.data)
    }

    init(_ note: Note) {
        at = JSONText.time(note.at)
        seq = note.seq
        what = note.what
        detail = .parsed(note.detail)
    }
}

extension JSONValue {
    /// The value that a stored text holds; the text itself where it holds none.
    fileprivate static func parsed(_ text: String) -> JSONValue {
        do {
            return try JSONValue(parsing: Array(text.utf8)[...])
        } catch {
            return .string(text)
        }
    }
}
