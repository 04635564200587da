internal import Contract
internal import FoundationEssentials
internal import Platform

extension Store {
    /// The most rows one answer carries.
    package static let pageLimit = 1_000

    /// The payment with the daemon's own id.
    package func payment(id: String) throws(StoreError) -> PaymentRecord? {
        try lookUp(LookUp.id, [.text(id)]).first
    }

    /// The payment whose token has this SHA-256.
    package func payment(tokenDigest: [UInt8]) throws(StoreError) -> PaymentRecord? {
        try lookUp(LookUp.tokenDigest, [.blob(tokenDigest)]).first
    }

    /// The payment with this reference of the till's own; else those with this reference of Wajub's, the newest first.
    /// More than one is the protocol's `ambiguous_reference`; no more than two are read.
    package func payments(reference: String) throws(StoreError) -> [PaymentRecord] {
        let own = try lookUp(LookUp.reference, [.text(reference)])
        if !own.isEmpty { return own }
        return try lookUp(LookUp.wajubReference, [.text(reference)])
    }

    /// The payments with this id of Wajub's, the newest first; no more than two are read.
    package func payments(wajubID: String) throws(StoreError) -> [PaymentRecord] {
        try lookUp(LookUp.wajubID, [.text(wajubID)])
    }

    /// A page of payments, the newest first by the order of their hand-offs, whatever the wall clock said.
    ///
    /// - parameter settled: only those whose result is settled, or is not.
    /// - parameter limit: how many; taken into 1 … ``pageLimit``.
    /// - parameter before: `next` of the page before this.
    /// - returns: the page, and the cursor of the following one if there is one.
    package func payments(
        settled: Bool? = nil, limit: Int, before cursor: PageCursor? = nil
    ) throws(StoreError) -> (records: [PaymentRecord], next: PageCursor?) {
        let limit = min(max(limit, 1), Self.pageLimit)
        let filter =
            settled.map { $0 ? "p.settled = 1 AND" : "(p.settled = 0 OR p.live = 1) AND p.settled = 0 AND" } ?? ""
        let page = try shared.lists.rows(
            "\(Self.selection) WHERE \(filter) p.number < ? ORDER BY p.number DESC LIMIT ?",
            [.integer(cursor?.number ?? .max), .integer(Int64(limit) + 1)]
        ) { row throws(StoreError) in
            (number: row.integer(0), record: try PaymentRecord(row))
        }
        let shown = page.prefix(limit)
        return (shown.map(\.record), page.count > limit ? shown.last.map { PageCursor(number: $0.number) } : nil)
    }

    /// All payments that have to be driven again after a restart, the oldest first.
    package func livePayments() throws(StoreError) -> [PaymentRecord] {
        try shared.lists.rows(
            "\(Self.selection) WHERE (p.settled = 0 OR p.live = 1) AND p.live = 1 ORDER BY p.number", []
        ) { row throws(StoreError) in
            try PaymentRecord(row)
        }
    }

    /// How many payments there are.
    package func counts() throws(StoreError) -> PaymentCounts {
        let counts = try shared.lists.rows(
            """
            SELECT (SELECT count(*) FROM payments), count(*) FILTER (WHERE settled = 0),
              count(*) FILTER (WHERE live = 1)
            FROM payments WHERE settled = 0 OR live = 1
            """, []
        ) { row in
            PaymentCounts(
                payments: Int(row.integer(0)), unsettled: Int(row.integer(1)), live: Int(row.integer(2)))
        }
        return counts.first ?? PaymentCounts(payments: 0, unsettled: 0, live: 0)
    }

    /// The events after a `seq`, in order: of all payments, or of the one with the daemon's id `payment`.
    ///
    /// - parameter limit: how many; taken into 1 … ``pageLimit``. Fewer than that came: there were no more.
    package func events(
        after seq: Int64, payment: String? = nil, limit: Int = pageLimit
    ) throws(StoreError) -> [StoredEvent] {
        let select = "SELECT e.seq, e.at, p.id, e.kind, e.data FROM events e JOIN payments p ON p.number = e.payment"
        let limit = Connection.Value.integer(Int64(min(max(limit, 1), Self.pageLimit)))
        let condition =
            payment == nil ? "e.seq > ?1" : "e.payment = (SELECT number FROM payments WHERE id = ?3) AND e.seq > ?1"
        let values = [.integer(seq), limit] + (payment.map { [Connection.Value.text($0)] } ?? [])
        return try shared.lists.rows("\(select) WHERE \(condition) ORDER BY e.seq LIMIT ?2", values) {
            row throws(StoreError) in
            StoredEvent(
                seq: row.integer(0), at: row.date(1), payment: try row.text(2), kind: try row.text(3),
                data: try row.text(4))
        }
    }

    /// The highest `seq` among the events that are there, of all payments or of one; 0 where there is none. Below ``lastSeq`` once the
    /// last event's payment was pruned.
    package func lastStoredSeq(payment: String? = nil) throws(StoreError) -> Int64 {
        let condition = payment == nil ? "" : "WHERE payment = (SELECT number FROM payments WHERE id = ?)"
        let values = payment.map { [Connection.Value.text($0)] } ?? []
        return try shared.lookups.rows("SELECT coalesce(max(seq), 0) FROM events \(condition)", values) {
            $0.integer(0)
        }
        .first ?? 0
    }

    /// A payment's timeline, in order; the last ``notesLimit`` lines of it.
    package func notes(payment: String) throws(StoreError) -> [Note] {
        let newestFirst = try shared.lists.rows(
            """
            SELECT at, what, detail, seq FROM notes WHERE payment = (SELECT number FROM payments WHERE id = ?)
            ORDER BY number DESC LIMIT ?
            """, [.text(payment), .integer(Int64(Self.notesLimit))]
        ) { row throws(StoreError) in
            Note(at: row.date(0), what: try row.text(1), detail: try row.text(2), seq: row.integer(3))
        }
        return newestFirst.reversed()
    }

    /// The most lines of a timeline that are read: more than a watch of 15 minutes with its follow-up can write.
    package static let notesLimit = 10_000

    /// A payment's attempts, the first first.
    package func attempts(payment: String) throws(StoreError) -> [AttemptRecord] {
        try shared.lists.rows(
            """
            SELECT number, method, channel, phase, idempotency_key, body_digest, tries, started_at, undecided
            FROM attempts WHERE payment = (SELECT number FROM payments WHERE id = ?) ORDER BY number
            """, [.text(payment)]
        ) { row throws(StoreError) in
            AttemptRecord(
                number: Int(row.integer(0)), method: try row.text(1), channel: try row.text(2),
                phase: try row.text(3), idempotencyKey: try row.text(4), bodyDigest: row.bytes(5),
                tries: Int(row.integer(6)), startedAt: row.date(7), undecided: row.flag(8))
        }
    }

    private static let selection = """
        SELECT p.number, p.id, p.reference, p.wajub_id, p.wajub_reference, p.token_digest, t.token, p.machine,
          p.settled, p.live, p.checkpoint, p.boot_id, p.last_seq, p.created_at, p.updated_at, p.settled_at
        FROM payments p LEFT JOIN tokens t ON t.payment = p.number
        """

    private func lookUp(_ sql: String, _ values: [Connection.Value]) throws(StoreError) -> [PaymentRecord] {
        try shared.lookups.rows(sql, values) { row throws(StoreError) in try PaymentRecord(row) }
    }

    /// The statements of the look-ups, put together once.
    private enum LookUp {
        static let id = by("p.id")
        static let tokenDigest = by("p.token_digest")
        static let reference = by("p.reference")
        static let wajubReference = by("p.wajub_reference")
        static let wajubID = by("p.wajub_id")

        private static func by(_ column: String) -> String {
            "\(selection) WHERE \(column) = ? ORDER BY p.number DESC LIMIT 2"
        }
    }
}

/// How many payments a store holds.
package struct PaymentCounts: Equatable, Sendable {
    /// All of them.
    package let payments: Int
    /// Those without a settled result.
    package let unsettled: Int
    /// Those that would be driven again after a restart.
    package let live: Int
}

/// Where a page of payments ends: `before` and `next` of `payment.list`.
package struct PageCursor: Equatable, Sendable {
    let number: Int64

    init(number: Int64) {
        self.number = number
    }

    /// Reads a cursor as ``text`` wrote it; `nil` for anything else.
    package init?(_ text: String) {
        guard let number = Int64(text), number > 0 else { return nil }
        self.number = number
    }

    /// What the till gets; it means nothing to it.
    package var text: String { String(number) }
}

extension PaymentRecord {
    /// Reads the columns of ``Store/selection``.
    fileprivate init(_ row: Row) throws(StoreError) {
        self.init(
            id: try row.text(1), reference: row.optionalText(2), wajubID: row.optionalText(3),
            wajubReference: row.optionalText(4), tokenDigest: row.bytes(5), token: row.optionalText(6),
            machine: row.data(7), settled: row.flag(8), live: row.flag(9),
            checkpoint: Instant(nanoseconds: row.integer(10)), createdAt: row.date(13), updatedAt: row.date(14),
            settledAt: row.optionalDate(15))
        bootID = BootID(try row.text(11))
        lastSeq = row.integer(12)
    }
}
