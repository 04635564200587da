internal import CSQLite
internal import Contract
internal import FoundationEssentials
internal import Platform

extension Connection {
    /// A payment's row as it is before a change.
    private struct Present {
        let number: Int64
        let lastSeq: Int64
        let hasToken: Bool
        /// Whether the change leaves the indexed columns alone, so that their index pages need not be written.
        let keepsIndexes: Bool
    }

    /// What became of a change.
    typealias Saved = (events: [StoredEvent], erases: Bool)

    /// Saves a change inside of the open transaction, giving its events the numbers after `seq`.
    ///
    /// - throws: `.referenceTaken`, `.tokenTaken`, `.keyTaken`; what the disk says.
    func save(
        _ change: Change, bootID: BootID, seq: inout Int64
    ) throws(StoreError) -> Saved {
        let record = change.record
        let present = try present(record)
        let events = change.events.map { event in
            seq += 1
            return StoredEvent(
                seq: seq, at: Millis.date(Millis.from(event.at)), payment: record.id, kind: event.kind, data: event.data
            )
        }
        let lastSeq = events.last?.seq ?? present?.lastSeq ?? 0
        let number: Int64
        do throws(StoreError) {
            number = try write(record, over: present, bootID: bootID, lastSeq: lastSeq)
        } catch .io(let code, let detail) where code & 0xFF == SQLITE_CONSTRAINT {
            throw try takenBy(another: record) ?? .io(code: code, detail: detail)
        }
        let erases = try write(token: record.token, of: number, present: present?.hasToken ?? false)
        for event in events {
            try run(
                "INSERT INTO events (seq, payment, at, kind, data) VALUES (?, ?, ?, ?, ?)", .integer(event.seq),
                .integer(number), .integer(Millis.from(event.at)), .text(event.kind), .text(event.data))
        }
        for note in change.notes {
            try run(
                """
                INSERT INTO notes (payment, number, at, seq, what, detail)
                VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM notes WHERE payment = ?1), ?2, ?3, ?4, ?5)
                """, .integer(number),
                .integer(Millis.from(note.at)), .integer(lastSeq), .text(note.what), .text(note.detail))
        }
        for attempt in change.attempts { try write(attempt, of: number, at: record.updatedAt) }
        return (events, erases)
    }

    private func present(_ record: PaymentRecord) throws(StoreError) -> Present? {
        try first(
            """
            SELECT number, last_seq, EXISTS (SELECT 1 FROM tokens WHERE payment = number),
              reference IS ?2 AND wajub_id IS ?3 AND wajub_reference IS ?4 AND settled = ?5 AND live = ?6
              AND settled_at IS ?7
            FROM payments WHERE id = ?1
            """, .text(record.id), .init(record.reference), .init(record.wajubID), .init(record.wajubReference),
            .init(record.settled), .init(record.live), .init(record.settledAt)
        ) { row in
            Present(
                number: row.integer(0), lastSeq: row.integer(1), hasToken: row.flag(2), keepsIndexes: row.flag(3))
        }
    }

    /// - returns: the row's number.
    private func write(
        _ record: PaymentRecord, over present: Present?, bootID: BootID, lastSeq: Int64
    ) throws(StoreError) -> Int64 {
        guard let present else {
            try run(
                """
                INSERT INTO payments (id, reference, wajub_id, wajub_reference, token_digest, settled, live,
                  checkpoint, boot_id, last_seq, created_at, updated_at, settled_at, machine)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
                """, .text(record.id), .init(record.reference), .init(record.wajubID), .init(record.wajubReference),
                .blob(record.tokenDigest), .init(record.settled), .init(record.live),
                .integer(record.checkpoint.nanoseconds), .text(bootID.text), .integer(lastSeq),
                .init(record.createdAt), .init(record.updatedAt), .init(record.settledAt), .init(record.machine))
            return lastInsertedRow
        }
        try run(
            """
            UPDATE payments SET checkpoint = ?2, boot_id = ?3, last_seq = ?4, updated_at = ?5, machine = ?6
            WHERE number = ?1
            """, .integer(present.number), .integer(record.checkpoint.nanoseconds), .text(bootID.text),
            .integer(lastSeq), .init(record.updatedAt), .init(record.machine))
        if !present.keepsIndexes {
            try run(
                """
                UPDATE payments SET reference = ?2, wajub_id = ?3, wajub_reference = ?4, settled = ?5, live = ?6,
                  settled_at = ?7
                WHERE number = ?1
                """, .integer(present.number), .init(record.reference), .init(record.wajubID),
                .init(record.wajubReference), .init(record.settled), .init(record.live), .init(record.settledAt))
        }
        return present.number
    }

    /// - returns: whether a token was erased.
    private func write(token: String?, of number: Int64, present: Bool) throws(StoreError) -> Bool {
        switch (token, present) {
        case (let token?, false):
            // See Schema for the padding.
            try run(
                "INSERT INTO tokens (payment, padding, token) VALUES (?, ?, ?)", .integer(number), .zeros(4_096),
                .text(token))
            return false
        case (nil, true):
            try run("DELETE FROM tokens WHERE payment = ?", .integer(number))
            return true
        case (_?, true), (nil, false):
            return false
        }
    }

    /// Records the key first: an attempt refers to a key that is durable and its payment's.
    private func write(_ attempt: AttemptRecord, of number: Int64, at moment: Date) throws(StoreError) {
        try run(
            "INSERT INTO idempotency_keys (key, payment, created_at) VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING",
            .text(attempt.idempotencyKey), .integer(number), .init(moment))
        let owner = try first(
            "SELECT payment FROM idempotency_keys WHERE key = ?", .text(attempt.idempotencyKey)
        ) { $0.integer(0) }
        guard owner == number else { throw .keyTaken }
        // An attempt that is there with another key is not touched, which shows in the count of changes.
        try run(
            """
            INSERT INTO attempts (payment, number, idempotency_key, method, channel, phase, body_digest, tries,
              started_at, undecided)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
            ON CONFLICT (payment, number) DO UPDATE SET method = ?4, channel = ?5, phase = ?6, body_digest = ?7,
              tries = ?8, started_at = ?9, undecided = ?10
            WHERE idempotency_key = ?3
            """, .integer(number), .integer(Int64(attempt.number)), .text(attempt.idempotencyKey),
            .text(attempt.method), .text(attempt.channel), .text(attempt.phase), .blob(attempt.bodyDigest),
            .integer(Int64(attempt.tries)), .init(attempt.startedAt), .init(attempt.undecided))
        guard changes == 1 else { throw .keyTaken }
    }

    /// Which of a payment's unique values another payment has.
    private func takenBy(another record: PaymentRecord) throws(StoreError) -> StoreError? {
        let hasToken = try exists(
            "SELECT 1 FROM payments WHERE token_digest = ? AND id <> ?", .blob(record.tokenDigest), .text(record.id))
        if hasToken { return .tokenTaken }
        let hasReference = try exists(
            "SELECT 1 FROM payments WHERE reference = ? AND id <> ?", .init(record.reference), .text(record.id))
        return hasReference ? .referenceTaken : nil
    }
}

extension Connection.Value {
    init(_ text: String?) { self = text.map(Self.text) ?? .null }
    init(_ flag: Bool) { self = .integer(flag ? 1 : 0) }
    init(_ date: Date?) { self = date.map { .integer(Millis.from($0)) } ?? .null }
    init(_ data: Data) { self = .blob(Array(data)) }
}
