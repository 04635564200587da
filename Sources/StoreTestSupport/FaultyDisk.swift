internal import CSQLite
internal import Glibc
internal import Synchronization

/// A disk that fails when a test says so: a SQLite file system over the real one, to be named at `Store.open`.
package final class FaultyDisk: Sendable {
    /// What the disk does to everything that is written to it.
    package enum Fault: Sendable {
        /// No room: `ENOSPC`.
        case full
        /// Made for reading alone.
        case readOnly
        /// Bytes are taken, but `fsync` fails.
        case syncFails
    }

    private struct State {
        var fault: Fault?
        var syncs = 0
        var whenSynced: (@Sendable () -> Void)?
    }

    /// The file system's name, for `vfs:`.
    package let name: String
    private let state = Mutex(State())

    package init() {
        name = FileSystems.register()
        FileSystems.shared.withLock { [name] in $0.disks[name] = self }
    }

    package var fault: Fault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// How often a file was synced.
    package var syncs: Int { state.withLock { $0.syncs } }

    /// Called on the syncing thread before each sync: a test can hold the disk up there.
    package func beforeSync(_ hook: (@Sendable () -> Void)?) {
        state.withLock { $0.whenSynced = hook }
    }

    fileprivate func willWrite() -> Int32 {
        switch fault {
        case .full:
            return SQLITE_FULL
        case .readOnly:
            return SQLITE_READONLY
        case .syncFails, nil:
            return SQLITE_OK
        }
    }

    fileprivate func willSync() -> Int32 {
        let (fault, hook) = state.withLock { state in
            state.syncs += 1
            return (state.fault, state.whenSynced)
        }
        hook?()
        guard case .syncFails = fault else { return SQLITE_OK }
        return SQLITE_IOERR | (4 << 8)  // SQLITE_IOERR_FSYNC
    }
}

/// The registered file systems and their open files, by what SQLite's callbacks get: a name, or a file's address.
///
/// File systems stay registered until the process ends: a connection may outlive its test's disk.
private enum FileSystems {
    struct Registry {
        var disks: [String: FaultyDisk] = [:]
        var files: [UInt: OpenFile] = [:]
        var count = 0
    }

    static let shared = Mutex(Registry())

    static func register() -> String {
        let number = shared.withLock { registry in
            registry.count += 1
            return registry.count
        }
        let name = "faulty-\(number)"
        guard let real = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no file system") }
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        copy.initialize(to: real.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(strdup(name))
        copy.pointee.xOpen = open
        let code = sqlite3_vfs_register(copy, 0)
        precondition(code == SQLITE_OK, "SQLite took no file system: \(code)")
        return name
    }

    static func file(_ pointer: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile {
        let file = shared.withLock { $0.files[UInt(bitPattern: pointer)] }
        guard let file else { preconditionFailure("SQLite uses a file that it has not opened") }
        return file
    }

    /// Opens with the real file system, then puts our functions before the real ones.
    private static let open:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
            UnsafeMutablePointer<Int32>?
        ) -> Int32 = { system, path, file, flags, flagsOut in
            guard let real = sqlite3_vfs_find(nil), let system, let file else { return SQLITE_ERROR }
            let disk = FileSystems.shared.withLock { $0.disks[String(cString: system.pointee.zName)] }
            guard let disk, let code = real.pointee.xOpen?(real, path, file, flags, flagsOut) else {
                return SQLITE_ERROR
            }
            guard code == SQLITE_OK, let methods = file.pointee.pMethods else { return code }
            let opened = OpenFile(disk: disk, real: methods)
            FileSystems.shared.withLock { $0.files[UInt(bitPattern: file)] = opened }
            file.pointee.pMethods = UnsafePointer(opened.ours)
            return SQLITE_OK
        }
}

/// An open file of a faulty disk: the real functions, and the copy with ours.
///
/// `@unchecked Sendable`: both pointers are only read once they are made.
private final class OpenFile: @unchecked Sendable {
    let disk: FaultyDisk
    let real: UnsafePointer<sqlite3_io_methods>
    let ours: UnsafeMutablePointer<sqlite3_io_methods>

    init(disk: FaultyDisk, real: UnsafePointer<sqlite3_io_methods>) {
        self.disk = disk
        self.real = real
        ours = .allocate(capacity: 1)
        ours.initialize(to: real.pointee)
        ours.pointee.xClose = { file in
            let opened = FileSystems.file(file)
            FileSystems.shared.withLock { $0.files[UInt(bitPattern: file)] = nil }
            return opened.real.pointee.xClose?(file) ?? SQLITE_ERROR
        }
        ours.pointee.xWrite = { file, bytes, count, offset in
            let opened = FileSystems.file(file)
            let code = opened.disk.willWrite()
            guard code == SQLITE_OK else { return code }
            return opened.real.pointee.xWrite?(file, bytes, count, offset) ?? SQLITE_ERROR
        }
        ours.pointee.xSync = { file, flags in
            let opened = FileSystems.file(file)
            let code = opened.disk.willSync()
            guard code == SQLITE_OK else { return code }
            return opened.real.pointee.xSync?(file, flags) ?? SQLITE_ERROR
        }
    }

    deinit {
        ours.deallocate()
    }
}
