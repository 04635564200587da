internal import CSQLite

/// Why the store could not do what it was asked.
///
/// No text in here carries a bound value: SQLite's messages name tables and columns, never what is in them, so no error
/// can leak a token (design.md, promise 4).
package enum StoreError: Error, Equatable, Sendable {
    /// The disk, the quota or the database's page limit is used up. Nothing was written.
    case full
    /// The disk takes no writes. Nothing was written.
    case readOnly
    /// Another payment has this reference of the till's.
    case referenceTaken
    /// Another payment has this token.
    case tokenTaken
    /// An attempt came with a key that is another payment's, or with another key than it was recorded with.
    case keyTaken
    /// The database is not one, or not ours, or its contents contradict themselves.
    case damaged(detail: String)
    /// The database's schema is from a newer version of the daemon.
    case newer(found: Int, known: Int)
    /// Another instance holds the state directory.
    case locked
    /// There is no database and none can be made, or the present one cannot be opened.
    case cannotOpen(reason: String)
    /// Another process holds the database for longer than the busy timeout.
    case busy
    /// More changes are waiting than the inbox takes.
    case overloaded
    /// The store was closed.
    case closed
    /// `fsync` failed: what was written may be lost although a later `fsync` would succeed, so nothing is retried and
    /// the process has to end.
    case syncFailed(code: Int32)
    /// Anything else: SQLite's extended code and its message.
    case io(code: Int32, detail: String)
}

extension StoreError {
    /// Whether the store can no longer be trusted, so that the daemon has to end (design.md, Store).
    package var isFault: Bool {
        switch self {
        case .syncFailed, .damaged: true
        case .full, .readOnly, .referenceTaken, .tokenTaken, .keyTaken, .newer, .locked, .cannotOpen, .busy,
            .overloaded, .closed, .io:
            false
        }
    }

    /// Whether only the one change is at fault, so that the others of its transaction can be saved.
    var concernsOneChange: Bool {
        switch self {
        case .referenceTaken, .tokenTaken, .keyTaken: true
        case .io(let code, _): [SQLITE_CONSTRAINT, SQLITE_TOOBIG].contains(code & 0xFF)
        case .full, .readOnly, .damaged, .newer, .locked, .cannotOpen, .busy, .overloaded, .closed, .syncFailed: false
        }
    }
}

/// Whether the disk takes what is written to it: `storage` in `daemon.info` (protocol.md).
package enum StorageHealth: String, Codable, Sendable {
    case ok
    case readOnly = "read_only"
    case full
}

extension StorageHealth {
    /// What a failed write says about the disk; `nil` when it says nothing.
    ///
    /// An I/O error counts as read-only: what is stored can be read, nothing can be added.
    init?(after error: StoreError) {
        switch error {
        case .full: self = .full
        case .readOnly, .io, .syncFailed, .damaged: self = .readOnly
        case .referenceTaken, .tokenTaken, .keyTaken, .newer, .locked, .cannotOpen, .busy, .overloaded, .closed:
            return nil
        }
    }
}
