internal import CSQLite
internal import Glibc

extension Connection {
    /// The error for a code that a call on `handle` just returned. To be read before any other call.
    static func failure(_ code: Int32, handle: OpaquePointer?) -> StoreError {
        if handle == nil, code == SQLITE_MISUSE { return .closed }
        switch code {
        case SQLITE_IOERR | (4 << 8), SQLITE_IOERR | (5 << 8):  // SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC
            return .syncFailed(code: code)
        case SQLITE_IOERR | (19 << 8):  // SQLITE_IOERR_SHMSIZE: no room for the log's index
            return .full
        case SQLITE_IOERR | (33 << 8):  // SQLITE_IOERR_CORRUPTFS
            return .damaged(detail: message(code, handle))
        default:
            break
        }
        switch code & 0xFF {
        case SQLITE_FULL:
            return .full
        case SQLITE_READONLY:
            return .readOnly
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            return .damaged(detail: message(code, handle))
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .busy
        case SQLITE_CANTOPEN:
            return StoreError(systemError: sqlite3_system_errno(handle))
                ?? .cannotOpen(reason: message(code, handle))
        default:
            return .io(code: code, detail: message(code, handle))
        }
    }

    private static func message(_ code: Int32, _ handle: OpaquePointer?) -> String {
        let text = handle == nil ? sqlite3_errstr(code) : sqlite3_errmsg(handle)
        return text.map { String(cString: $0) } ?? "code \(code)"
    }
}

extension StoreError {
    /// What an `errno` says about the disk; `nil` when it says nothing.
    init?(systemError code: Int32) {
        switch code {
        case ENOSPC, EDQUOT: self = .full
        case EROFS: self = .readOnly
        default: return nil
        }
    }
}
