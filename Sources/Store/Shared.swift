internal import Synchronization

/// What the store's callers and its writer's thread both see.
final class Shared: Sendable {
    struct State {
        var health: StorageHealth
        /// The last `seq` that is durable.
        var lastSeq: Int64
        var transactions = 0
        var sink: (@Sendable ([StoredEvent]) -> Void)?
    }

    let state: Mutex<State>
    /// For reads of a row or two.
    let lookups = Reader()
    /// For reads of many rows, so that they hold up no look-up.
    let lists = Reader()

    init(health: StorageHealth, lastSeq: Int64) {
        state = Mutex(State(health: health, lastSeq: lastSeq))
    }

    /// Opens the connections that read, in the mode that `prepare` returns. Those before are closed first, and reads
    /// wait.
    func openReaders(
        _ path: String, vfs: String?, prepare: () throws(StoreError) -> Connection.Mode
    ) throws(StoreError) {
        try lookups.connect(path, vfs: vfs) { () throws(StoreError) in
            try lists.connect(path, vfs: vfs, prepare: prepare)
        }
    }

    /// Closes the connections that read; reads throw `.closed` from now on.
    func closeReaders() {
        lookups.close()
        lists.close()
    }
}

/// A connection that reads, for one caller at a time.
final class Reader: Sendable {
    private let connection = Mutex<Connection?>(nil)

    /// Closes the connection, lets `prepare` run, and connects in the mode that it returns; reads wait.
    @discardableResult
    func connect(
        _ path: String, vfs: String?, prepare: () throws(StoreError) -> Connection.Mode
    ) throws(StoreError) -> Connection.Mode {
        try connection.withLock { connection throws(StoreError) in
            connection = nil
            let mode = try prepare()
            let opened = try Connection(path: path, mode: mode, vfs: vfs)
            try opened.setBusyTimeout(milliseconds: Database.busyTimeoutMilliseconds)
            connection = opened
            return mode
        }
    }

    func close() {
        connection.withLock { $0 = nil }
    }

    /// - throws: `.closed`; what the disk says.
    func rows<T: Sendable>(
        _ sql: String, _ values: [Connection.Value], read: @Sendable (Row) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        try connection.withLock { connection throws(StoreError) in
            guard let connection else { throw .closed }
            return try connection.rows(sql, values, read: read)
        }
    }
}
