internal import CSQLite
internal import Platform

/// An open database and what was found at opening.
struct Database {
    /// The writer's connection.
    let connection: Connection
    /// Whether it was opened for writing at all.
    let isWritable: Bool
    /// How the connections that read have to be opened.
    let readMode: Connection.Mode
    let health: StorageHealth
    let installID: String
    let lastSeq: Int64

    /// How long a statement waits for another process that holds the database, a backup say.
    static let busyTimeoutMilliseconds: Int32 = 5_000

    /// Opens for writing or, when the disk takes no writes, for reading what is there.
    ///
    /// - throws: `.damaged`, `.newer`, `.cannotOpen`, `.busy`, `.io`, `.syncFailed`.
    static func open(
        in directory: StateDirectory, vfs: String?, randomness: any Randomness
    ) throws(StoreError) -> Database {
        do {
            return try openForWriting(in: directory, vfs: vfs, randomness: randomness)
        } catch .full {
            return try openForReading(in: directory, vfs: vfs, health: .full)
        } catch .readOnly {
            return try openForReading(in: directory, vfs: vfs, health: .readOnly)
        }
    }

    static func openForWriting(
        in directory: StateDirectory, vfs: String?, randomness: any Randomness
    ) throws(StoreError) -> Database {
        try directory.makeDatabaseFile()
        // SQLite deletes the log of an empty database, and what is in it was committed.
        if directory.size(of: directory.database) == 0, directory.size(of: directory.log) > 0 {
            throw .damaged(detail: "the database is empty but its log is not")
        }
        let connection = try Connection(path: directory.database, mode: .readWrite, vfs: vfs)
        try connection.setBusyTimeout(milliseconds: busyTimeoutMilliseconds)
        connection.takeOverCheckpoints()
        try connection.check()
        try connection.configureForWriting()
        try connection.migrate(Schema.migrations)
        let installID = try connection.makeInstallID(randomness)
        // Whatever a crash left in the log goes into the database, and no token that was erased stays behind.
        var health = StorageHealth.ok
        do throws(StoreError) {
            try connection.checkpoint(.truncate)
        } catch .full {
            health = .full
        } catch .busy {
            // A reader of another process; the next checkpoint does it.
        }
        return Database(
            connection: connection, isWritable: true, readMode: .readOnly, health: health, installID: installID,
            lastSeq: try connection.lastSeq())
    }

    private static func openForReading(
        in directory: StateDirectory, vfs: String?, health: StorageHealth
    ) throws(StoreError) -> Database {
        guard directory.size(of: directory.database) > 0 else {
            throw .cannotOpen(reason: "there is no store in \(directory.path), and the disk takes no writes")
        }
        do {
            return try openForReading(in: directory, mode: .readOnly, vfs: vfs, health: health)
        } catch  where !error.isFault && directory.size(of: directory.log) == 0 {
            // "It is possible to open a read-only WAL-mode database" without the log's index only "if the database is
            // immutable" (sqlite.org/wal.html): true of a read-only disk, but it ignores the log, so there must be
            // none.
            return try openForReading(in: directory, mode: .immutable, vfs: vfs, health: health)
        }
    }

    private static func openForReading(
        in directory: StateDirectory, mode: Connection.Mode, vfs: String?, health: StorageHealth
    ) throws(StoreError) -> Database {
        let connection = try Connection(path: directory.database, mode: mode, vfs: vfs)
        try connection.setBusyTimeout(milliseconds: busyTimeoutMilliseconds)
        try connection.check()
        let version = try connection.schemaVersion()
        guard version == Schema.version else {
            throw .cannotOpen(reason: "the store is from an older version, and the disk takes no writes")
        }
        guard let installID = try connection.installID() else {
            throw .damaged(detail: "the install id is missing")
        }
        return Database(
            connection: connection, isWritable: false, readMode: mode, health: health, installID: installID,
            lastSeq: try connection.lastSeq())
    }
}

// MARK: - What is done once, at opening

extension Connection {
    /// Reads the whole database through.
    ///
    /// - throws: `.damaged`, or `.newer` for an intact database of a newer version.
    fileprivate func check() throws(StoreError) {
        let findings = try rows("PRAGMA quick_check(1)") { row throws(StoreError) in try row.text(0) }
        guard findings == ["ok"] else { throw .damaged(detail: findings.first ?? "no answer from quick_check") }
        let version = try schemaVersion()
        let tables = try number("SELECT count(*) FROM sqlite_schema")
        let application = try number("PRAGMA application_id")
        guard application == Schema.applicationID || (tables == 0 && version == 0) else {
            throw .damaged(detail: "the database is not one of wajubd's")
        }
        if version > Schema.version { throw .newer(found: version, known: Schema.version) }
    }

    /// - throws: `.io` when a setting did not take.
    fileprivate func configureForWriting() throws(StoreError) {
        // Page size and vacuum take effect in an empty database alone. Vacuuming moves pages and leaves copies behind.
        try execute(
            script: """
                PRAGMA page_size = 4096;
                PRAGMA auto_vacuum = NONE;
                PRAGMA secure_delete = ON;
                PRAGMA temp_store = MEMORY;
                PRAGMA foreign_keys = ON;
                PRAGMA synchronous = FULL;
                PRAGMA cache_size = -4096;
                """)
        let mode = try first("PRAGMA journal_mode = WAL") { row throws(StoreError) in try row.text(0) }
        guard mode == "wal" else { throw Self.unset("journal_mode") }
        // 1 is ON, 2 is FULL (`synchronous`) and MEMORY (`temp_store`).
        let expected = [
            ("synchronous", 2), ("foreign_keys", 1), ("secure_delete", 1), ("temp_store", 2), ("page_size", 4096),
        ]
        for (name, value) in expected {
            guard try number("PRAGMA \(name)") == value else { throw Self.unset(name) }
        }
    }

    private static func unset(_ pragma: String) -> StoreError {
        .io(code: SQLITE_ERROR, detail: "PRAGMA \(pragma) did not take")
    }

    /// Applies the migrations this database has not had yet, each in a transaction of its own.
    ///
    /// - throws: `.io` when one leaves a reference to nothing behind; that one is undone.
    func migrate(_ migrations: [String]) throws(StoreError) {
        // A migration may have to rebuild a table others refer to; `foreign_keys` cannot be changed in a transaction.
        try execute(script: "PRAGMA foreign_keys = OFF")
        for (index, migration) in migrations.enumerated() where index >= (try schemaVersion()) {
            do throws(StoreError) {
                try execute(script: "BEGIN IMMEDIATE")
                try execute(script: migration)
                if try exists("PRAGMA foreign_key_check") {
                    throw .io(code: SQLITE_CONSTRAINT, detail: "migration \(index + 1) breaks references")
                }
                try execute(script: "PRAGMA user_version = \(index + 1)")
                try execute(script: "PRAGMA application_id = \(Schema.applicationID)")
                try execute(script: "COMMIT")
            } catch {
                rollBack()
                throw error
            }
        }
        try execute(script: "PRAGMA foreign_keys = ON")
    }

    /// Ends a transaction that is still open, and undoes it.
    ///
    /// Where even that fails the connection is closed, so that nothing of it can be committed later.
    func rollBack() {
        guard isInTransaction else { return }
        do throws(StoreError) { try execute(script: "ROLLBACK") } catch { close() }
    }

    fileprivate func schemaVersion() throws(StoreError) -> Int {
        Int(try number("PRAGMA user_version"))
    }

    fileprivate func installID() throws(StoreError) -> String? {
        try first("SELECT value FROM meta WHERE key = 'install_id'") { row throws(StoreError) in try row.text(0) }
    }

    /// The id of this installation: 128 random bits, made at the first opening, never from the hardware.
    fileprivate func makeInstallID(_ randomness: any Randomness) throws(StoreError) -> String {
        if let id = try installID() { return id }
        let id = randomness.hex128()
        try run("INSERT INTO meta (key, value) VALUES ('install_id', ?)", .text(id))
        return id
    }

    fileprivate func lastSeq() throws(StoreError) -> Int64 {
        let seq = try first(
            """
            SELECT max(value, (SELECT coalesce(max(seq), 0) FROM events)) FROM meta WHERE key = 'pruned_seq'
            """
        ) { $0.integer(0) }
        guard let seq else { throw .damaged(detail: "the last seq is missing") }
        return seq
    }

    private func number(_ sql: String) throws(StoreError) -> Int64 {
        try first(sql) { $0.integer(0) } ?? 0
    }
}
