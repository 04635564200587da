internal import CSQLite

/// One connection to the database: owns the handle and its prepared statements, and turns codes into errors.
///
/// Not thread-safe: it belongs to one thread or to one `Mutex`.
final class Connection {
    enum Mode: Sendable {
        case readWrite
        /// Cannot write, but takes part in the write-ahead log.
        case readOnly
        /// Takes the file as unchangeable and ignores the write-ahead log: for a read-only disk without a log alone.
        case immutable
    }

    private var handle: OpaquePointer?
    /// By their SQL; the code holds a fixed set of it, so this is bounded.
    private var statements: [String: OpaquePointer] = [:]
    /// Where the commit hook leaves the length of the write-ahead log.
    private let logPages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

    /// The pages in the write-ahead log after the last commit of this connection.
    var pagesInLog: Int { Int(logPages.pointee) }

    /// Opens `path` with the file system `vfs`, or the default one.
    ///
    /// - throws: the code of `sqlite3_open_v2`; `.readOnly` where it could only open for reading.
    init(path: String, mode: Mode, vfs: String?) throws(StoreError) {
        logPages.initialize(to: 0)
        let access = mode == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY
        let code = sqlite3_open_v2(
            Self.uri(path, immutable: mode == .immutable), &handle,
            access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs)
        // "Whether or not an error occurs when it is opened, resources associated with the database connection handle
        // should be released by passing it to sqlite3_close()": `deinit` does.
        guard code == SQLITE_OK else { throw failure(code) }
        // Without the right to write, SQLite opens for reading and says nothing.
        if mode == .readWrite, sqlite3_db_readonly(handle, "main") == 1 { throw .readOnly }
    }

    deinit {
        close()
        logPages.deallocate()
    }

    /// Closes the handle; using it afterwards throws `.closed`.
    func close() {
        for statement in statements.values {
            // Returns the error of its last step again, which was thrown then.
            sqlite3_finalize(statement)
        }
        statements = [:]
        // Returns SQLITE_BUSY for statements left over alone, and none are.
        sqlite3_close(handle)
        handle = nil
    }

    /// The error for a code that a call just returned.
    private func failure(_ code: Int32) -> StoreError {
        Self.failure(code, handle: handle)
    }

    private static func uri(_ path: String, immutable: Bool) -> String {
        let plain = Array("/-_.~".utf8)
        var uri = "file:"
        for byte in path.utf8 {
            let isPlain =
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || plain.contains(byte)
            if isPlain {
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                uri += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return immutable ? uri + "?immutable=1" : uri
    }
}

// MARK: - Settings

extension Connection {
    func setBusyTimeout(milliseconds: Int32) throws(StoreError) {
        let code = sqlite3_busy_timeout(handle, milliseconds)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Turns SQLite's own checkpoints off and keeps count of the log instead: SQLite drops the result of its automatic
    /// ones, so a failed `fsync` would go unseen and the log be given up for a file that is not on the disk.
    func takeOverCheckpoints() {
        // Replaces the hook of the automatic checkpoints; returns that one's context, `nil`.
        sqlite3_wal_hook(
            handle,
            { pages, _, _, count in
                pages?.assumingMemoryBound(to: Int32.self).pointee = count
                return SQLITE_OK
            }, logPages)
    }

    /// Keeps the closing from copying the log into the database and removing it, as SQLite does otherwise.
    func keepLog() {
        // Fails only for a closed handle, which has no log to lose.
        _ = CSQLite_keep_log(handle)
    }

    enum Checkpoint {
        /// As far as possible without waiting for readers.
        case passive
        /// All of it, then the log is cut to nothing, so that no erased byte stays in it.
        case truncate
    }

    /// Copies the log into the database.
    ///
    /// - throws: `.busy` when a reader is in the way of `truncate`; what the disk says.
    func checkpoint(
        _ mode: Checkpoint, timeoutMilliseconds: Int32 = Database.busyTimeoutMilliseconds
    ) throws(StoreError) {
        try setBusyTimeout(milliseconds: timeoutMilliseconds)
        let mode = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
        let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, nil, nil)
        let error = code == SQLITE_OK ? nil : failure(code)
        try setBusyTimeout(milliseconds: Database.busyTimeoutMilliseconds)
        if let error { throw error }
        logPages.pointee = 0
    }
}

// MARK: - Statements

extension Connection {
    /// A value bound to a parameter.
    enum Value: Sendable {
        case null
        case integer(Int64)
        case text(String)
        case blob([UInt8])
        /// That many zero bytes.
        case zeros(Int32)
    }

    /// Runs a script of several statements without parameters.
    func execute(script: String) throws(StoreError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Runs a statement for its effect.
    func run(_ sql: String, _ values: Value...) throws(StoreError) {
        _ = try rows(sql, values) { _ in }
    }

    /// The first row's value, `nil` without a row.
    func first<T>(
        _ sql: String, _ values: Value..., read: (Row) throws(StoreError) -> T
    ) throws(StoreError) -> T? {
        try rows(sql, values, read: read).first
    }

    /// Whether the statement has a row.
    func exists(_ sql: String, _ values: Value...) throws(StoreError) -> Bool {
        try !rows(sql, values) { _ in true }.isEmpty
    }

    /// One value for each row.
    func rows<T>(
        _ sql: String, _ values: [Value] = [], read: (Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        let statement = try prepared(sql)
        defer {
            // Returns the error of the last step again, which is thrown below.
            sqlite3_reset(statement)
            // Always SQLITE_OK. Frees the copies of what was bound.
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in zip(Int32(1)..., values) {
            let code = Self.bind(value, to: statement, at: index)
            guard code == SQLITE_OK else { throw failure(code) }
        }
        var result: [T] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: result.append(try read(Row(statement: statement)))
            case SQLITE_DONE: return result
            case let code: throw failure(code)
            }
        }
    }

    /// The rows that the last INSERT, UPDATE or DELETE changed, cascades not counted.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The rowid of the last INSERT.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open. Some errors end it, some do not.
    var isInTransaction: Bool { handle != nil && sqlite3_get_autocommit(handle) == 0 }

    private func prepared(_ sql: String) throws(StoreError) -> OpaquePointer {
        guard handle != nil else { throw .closed }
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        statements[sql] = statement
        return statement
    }

    private static func bind(_ value: Value, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .null:
            return sqlite3_bind_null(statement, index)
        case .integer(let number):
            return sqlite3_bind_int64(statement, index, number)
        case .text(let text):
            // By length, for a NUL may be inside; a C string is never a null pointer, as an empty buffer's may be.
            let count = Int32(clamping: text.utf8.count)
            return text.withCString { sqlite3_bind_text(statement, index, $0, count, CSQLite_transient()) }
        case .blob(let bytes):
            // An empty array's pointer may be null, which would bind NULL.
            if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
            return sqlite3_bind_blob(statement, index, bytes, Int32(clamping: bytes.count), CSQLite_transient())
        case .zeros(let count):
            return sqlite3_bind_zeroblob(statement, index, count)
        }
    }
}
