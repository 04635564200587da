import CSQLite
import FoundationEssentials
import Testing

@testable import Store

@Suite("Store: migrations", .timeLimit(.minutes(10)))
struct StoreMigrationTests {
    let directory: TemporaryDirectory
    let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        try Data().write(to: URL(filePath: directory.database))
        connection = try Connection(path: directory.database, mode: .readWrite, vfs: nil)
    }

    private func version() throws -> Int64? { try connection.first("PRAGMA user_version") { $0.integer(0) } }

    @Test("Each released version's store opens with what is in it", arguments: ReleasedStore.allCases)
    func released(version: ReleasedStore) async throws {
        try connection.execute(script: version.script)
        connection.close()
        try await Store.reopened(directory) { store throws in
            #expect(store.installID == "910a2dec89025cc1beeb8da1658eec67")
            #expect(store.lastSeq == 3)
            let watched = try #require(try store.payments(reference: "till-1").first)
            #expect(watched.token == token(1))
            #expect((watched.id, watched.settled, watched.live, watched.lastSeq) == ("pay_1", false, true, 2))
            #expect(try store.attempts(payment: "pay_1") == [attempt(1, key: "key-1", phase: "sent", tries: 1)])
            #expect(try store.notes(payment: "pay_1") == [Note(at: start, what: "hand-off", detail: "{}", seq: 2)])
            #expect(try store.events(after: 0).map(\.kind) == ["accepted", "ready", "accepted"])
            let settled = try #require(try store.payments(wajubID: "tx_2").first)
            #expect((settled.token, settled.settledAt, settled.live) == (nil, start, false))
        }
        #expect(try Connection(path: directory.database, mode: .readOnly, vfs: nil).exists("PRAGMA quick_check"))
    }

    @Test("A migrated store has the schema of a new one", arguments: ReleasedStore.allCases)
    func sameSchema(version: ReleasedStore) async throws {
        func schema(_ path: String) throws -> [String] {
            try Connection(path: path, mode: .readOnly, vfs: nil).rows(
                "SELECT type || name || coalesce(sql, '') FROM sqlite_schema ORDER BY 1"
            ) { row throws(StoreError) in try row.text(0) }
        }
        try connection.execute(script: version.script)
        connection.close()
        try await openStore(directory).close()
        let new = try TemporaryDirectory()
        try await openStore(new).close()
        #expect(try schema(directory.database) == schema(new.database))
    }

    @Test("Migrations already applied are not applied again, new ones are")
    func onlyOnce() throws {
        let first = "CREATE TABLE one (a INTEGER)"
        try connection.migrate([first])
        try connection.migrate([first])
        #expect(try version() == 1)
        try connection.migrate([first, "CREATE TABLE two (b INTEGER)"])
        #expect(try version() == 2)
        #expect(try connection.exists("SELECT 1 FROM sqlite_schema WHERE name = 'two'"))
    }

    @Test("A migration that fails is undone whole, and the one before it stays")
    func failing() throws {
        let broken = "CREATE TABLE two (b INTEGER); INSERT INTO nowhere VALUES (1)"
        #expect(throws: StoreError.self) { try connection.migrate(["CREATE TABLE one (a INTEGER)", broken]) }
        #expect(try version() == 1)
        #expect(try !connection.exists("SELECT 1 FROM sqlite_schema WHERE name = 'two'"))
    }

    @Test("A migration that leaves a reference to nothing is undone")
    func dangling() throws {
        let tables = """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent INTEGER REFERENCES parent (id));
            INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1);
            """
        #expect(throws: StoreError.self) { try connection.migrate([tables, "DELETE FROM parent"]) }
        #expect(try version() == 1)
        #expect(try connection.exists("SELECT 1 FROM parent"))
    }
}
