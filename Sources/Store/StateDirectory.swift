internal import CSQLite
internal import Glibc

/// The directory that holds the database, and the lock on it.
struct StateDirectory {
    let path: String

    var database: String { path + "/wajubd.sqlite3" }
    var log: String { database + "-wal" }

    /// Makes the directory, and what is missing above it, for its owner alone.
    func make() throws(StoreError) {
        try Self.make(path)
    }

    /// Makes an empty database file for its owner alone, unless there is one; SQLite gives its other files the same
    /// mode.
    ///
    /// - throws: `.full`, `.readOnly`, or `.cannotOpen`.
    func makeDatabaseFile() throws(StoreError) {
        // Closing any descriptor of the file would drop SQLite's locks on it: this is done before SQLite opens it.
        let descriptor = Glibc.open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 {
            let code = errno
            guard code == EEXIST else { throw Self.failure("cannot create \(database)", code) }
            return try restrict()
        }
        // Nothing was written, so there is nothing that a failed close could lose.
        Glibc.close(descriptor)
        try Self.sync(path)
    }

    /// Writes 64 KiB into a file of the directory, and removes it.
    ///
    /// - throws: `.full`, `.readOnly`, or `.cannotOpen`.
    func tryWriting() throws(StoreError) {
        let file = path + "/wajubd.probe"
        let descriptor = Glibc.open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot create \(file)", errno) }
        let bytes = [UInt8](repeating: 0, count: 65_536)
        let written = write(descriptor, bytes, bytes.count)
        // A write that stops short does so for want of room, and sets no error.
        let code = written < 0 ? errno : written < bytes.count ? ENOSPC : fsync(descriptor) == 0 ? 0 : errno
        // What was written is thrown away, so nothing depends on these two.
        Glibc.close(descriptor)
        unlink(file)
        if code != 0 { throw Self.failure("cannot write \(file)", code) }
    }

    /// Why a write failed, when SQLite does not say.
    ///
    /// It knows `ENOSPC` alone, and keeps no `errno` of a failed COMMIT: a write of our own finds a read-only disk or a
    /// used-up quota.
    func cause(of error: StoreError) -> StoreError {
        guard case .io(let code, _) = error, code & 0xFF == SQLITE_IOERR else { return error }
        do throws(StoreError) {
            try tryWriting()
        } catch .full {
            return .full
        } catch .readOnly {
            return .readOnly
        } catch {
            // Another failure explains nothing.
        }
        return error
    }

    /// The bytes of a file, 0 when there is none.
    func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Takes the rights of group and others away, which a copy or a restored backup may have.
    private func restrict() throws(StoreError) {
        for file in [database, log, database + "-shm"] {
            var status = stat()
            guard stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
            guard chmod(file, 0o600) == 0 else { throw Self.failure("cannot restrict \(file)", errno) }
        }
    }

    private static func make(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 { return try sync(parent(of: path)) }
        switch errno {
        case EEXIST:
            return
        case ENOENT where parent(of: path) != path:
            try make(parent(of: path))
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("cannot create \(path)", errno) }
            try sync(parent(of: path))
        case let code:
            // Some read-only file systems answer EROFS for a directory that is there.
            guard access(path, F_OK) == 0 else { throw failure("cannot create \(path)", code) }
        }
    }

    private static func parent(of path: String) -> String {
        var path = Substring(path)
        while path.count > 1, path.last == "/" { path.removeLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes new names in the directory durable.
    private static func sync(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("cannot open \(path)", errno) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("cannot sync \(path)", errno) }
    }

    fileprivate static func failure(_ what: String, _ code: Int32) -> StoreError {
        if let error = StoreError(systemError: code) { return error }
        return .cannotOpen(reason: "\(what): \(String(cString: strerror(code)))")
    }
}

/// The hold of one daemon on its state directory, until it is released by its last owner.
///
/// It is on the directory itself: a lock file can be deleted under its holder, and cannot be made on a read-only disk.
/// `flock` belongs to this open descriptor alone, so no other descriptor's closing drops it, and `O_CLOEXEC` keeps it
/// from being inherited.
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// - throws: `.locked` when another has it.
    init(_ directory: StateDirectory) throws(StoreError) {
        descriptor = Glibc.open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StateDirectory.failure("cannot open \(directory.path)", errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            throw code == EWOULDBLOCK ? .locked : StateDirectory.failure("cannot lock \(directory.path)", code)
        }
    }

    deinit {
        // A descriptor with -1 is only met after a failed open, and nothing written hangs on it.
        if descriptor >= 0 { Glibc.close(descriptor) }
    }
}
