import FoundationEssentials
import Glibc
import Platform
import Testing

@testable import Store

@Suite("Store: opening", .timeLimit(.minutes(10)))
struct StoreOpeningTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// What is left in the database when a fresh connection looks at it.
    private func connection() throws -> Connection {
        try Connection(path: directory.database, mode: .readWrite, vfs: nil)
    }

    private func value(_ sql: String) throws -> String? {
        try connection().first(sql) { row throws(StoreError) in try row.text(0) }
    }

    @Test("A missing directory is made for the owner alone, and so are all files")
    func modes() async throws {
        let path = directory.path + "/a b/state?#%"
        let store = try Store.open(directory: path, bootID: .init("b"), randomness: SystemRandomness()) { _ in }
        try await store.commit(Change(record: record(1)))
        for name in ["", "/..", "/wajubd.sqlite3", "/wajubd.sqlite3-wal", "/wajubd.sqlite3-shm"] {
            #expect(directory.mode(path + name) & 0o077 == 0, "\(name)")
            #expect(directory.mode(path + name) & 0o600 == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test("A database that a copy made readable for all is restricted again")
    func restricted() async throws {
        try await openStore(directory).close()
        chmod(directory.database, 0o644)
        try await openStore(directory).close()
        #expect(directory.mode(directory.database) == 0o600)
    }

    @Test("The database is in WAL mode, carries our id and the schema's version")
    func header() async throws {
        try await openStore(directory).close()
        #expect(try value("PRAGMA journal_mode") == "wal")
        #expect(try value("PRAGMA application_id") == "\(Schema.applicationID)")
        #expect(try value("PRAGMA user_version") == "\(Schema.version)")
        #expect(try value("PRAGMA integrity_check") == "ok")
    }

    @Test("The install id is random, made once, and stays")
    func installID() async throws {
        let first = try openStore(directory, seed: 1)
        await first.close()
        let second = try openStore(directory, seed: 2)
        await second.close()
        #expect(first.installID == second.installID)
        #expect(first.installID.count == 32)
        let elsewhere = try TemporaryDirectory()
        let other = try openStore(elsewhere, seed: 3)
        #expect(other.installID != first.installID)
        await other.close()
    }

    @Test("A second instance is locked out until the first has closed")
    func lock() async throws {
        let first = try openStore(directory)
        #expect(throws: StoreError.locked) { try openStore(directory) }
        try await first.commit(Change(record: record(1)))
        await first.close()
        try await openStore(directory).close()
    }

    @Test("Another process is locked out, and a child that was started does not keep the lock")
    func lockAcrossProcesses() async throws {
        let store = try openStore(directory)
        #expect(run("flock", "-n", directory.path, "true") != 0)
        var pid = pid_t()
        var arguments = [strdup("sleep"), strdup("600"), nil]
        #expect(posix_spawnp(&pid, "sleep", nil, nil, &arguments, environ) == 0)
        await store.close()
        #expect(run("flock", "-n", directory.path, "true") == 0)
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    @Test("A store from a newer version is refused and left alone")
    func newer() async throws {
        try await openStore(directory).close()
        try connection().execute(script: "PRAGMA user_version = 99")
        #expect(throws: StoreError.newer(found: 99, known: Schema.version)) { try openStore(directory) }
        #expect(try value("PRAGMA user_version") == "99")
    }

    @Test("A stranger's database is refused and left alone")
    func stranger() throws {
        try Data().write(to: URL(filePath: directory.database))
        try connection().execute(script: "CREATE TABLE bookmarks (url TEXT)")
        let before = try Data(contentsOf: URL(filePath: directory.database))
        expectDamaged()
        #expect(try Data(contentsOf: URL(filePath: directory.database)) == before)
    }

    enum Damage: CaseIterable { case randomBytes, garbageHeader, truncated, flippedPage, emptiedBesideLog }

    @Test("A damaged database is refused", arguments: Damage.allCases)
    func damaged(damage: Damage) async throws {
        let store = try openStore(directory)
        for number in 0..<50 { try await store.commit(Change(record: record(number), events: [event("accepted")])) }
        await store.close()
        let file = URL(filePath: directory.database)
        var bytes = try Data(contentsOf: file)
        switch damage {
        case .randomBytes: bytes = Data((0..<9_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        case .garbageHeader: bytes.replaceSubrange(0..<100, with: Data(repeating: 7, count: 100))
        case .truncated: bytes = bytes.prefix(bytes.count / 2)
        case .flippedPage:
            for page in 1..<bytes.count / 4_096 {
                bytes.replaceSubrange(page * 4_096..<page * 4_096 + 64, with: Data(repeating: 0xEE, count: 64))
            }
        case .emptiedBesideLog:
            bytes = Data()
            try Data(repeating: 1, count: 5_000).write(to: URL(filePath: directory.log))
        }
        try bytes.write(to: file)
        expectDamaged()
        // Nothing is repaired behind the operator's back.
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test("A crash right after the file was made leaves an empty one, which becomes a store")
    func emptyFile() async throws {
        try Data().write(to: URL(filePath: directory.database))
        try await openStore(directory).close()
    }

    @Test("A directory that cannot be made, or is a file, is said so")
    func noDirectory() throws {
        let file = directory.path + "/file"
        try Data().write(to: URL(filePath: file))
        for path in [file, file + "/below"] {
            let error = #expect(throws: StoreError.self) {
                try Store.open(directory: path, bootID: .init("b"), randomness: SystemRandomness()) { _ in }
            }
            guard case .cannotOpen = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    private func expectDamaged() {
        let error = #expect(throws: StoreError.self) { try openStore(directory) }
        guard case .damaged = error else {
            Issue.record("not damaged but \(String(describing: error))")
            return
        }
    }
}
