import FoundationEssentials
import Platform
import PlatformTestSupport
import StoreTestSupport
import Testing

@testable import Store

@Suite("Store: erasure and pruning", .timeLimit(.minutes(10)))
struct StoreErasureTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func holds(_ number: Int) throws -> Bool {
        try directory.tokens().contains(number)
    }

    private func erased(_ number: Int) -> PaymentRecord {
        var erased = record(number, settledAt: start, live: false)
        erased.token = nil
        return erased
    }

    @Test("An erased token is in none of the files once the log was cut; its digest still finds the payment")
    func erased() async throws {
        let store = try openStore(directory)
        try await store.commit(Change(record: record(1)))
        try await store.commit(Change(record: record(2)))
        #expect(try holds(1))
        try await store.commit(Change(record: erased(1)))
        try await store.truncateLog()
        #expect(try !holds(1))
        #expect(try holds(2))
        let read = try #require(try store.payment(tokenDigest: record(1).tokenDigest))
        #expect(read.token == nil)
        await store.close()
        #expect(try !holds(1))
    }

    /// SQLite leaves copies of rows behind when it balances pages: without the schema's padding each of these seeds
    /// finds a token that was erased.
    @Test(
        "Of thousands of tokens of all lengths, no erased one is left and no other is lost",
        arguments: [1, 2, 3] as [UInt64])
    func erasedOfMany(seed: UInt64) async throws {
        try await openStore(directory).close()
        let random = SeededRandomness(seed: seed)
        let count = 2_000
        var numbers = Array(0..<count)
        for index in numbers.indices { numbers.swapAt(index, Int(random.next() % UInt64(count))) }
        let gone = numbers.prefix(count * 3 / 4)
        let connection = try Connection(path: directory.database, mode: .readWrite, vfs: nil)
        try connection.execute(script: "PRAGMA secure_delete = ON; BEGIN")
        var seq: Int64 = 0
        for number in 0..<count {
            var new = record(number)
            new.token = String(repeating: "-", count: Int(random.next() % 300)) + token(number)
            _ = try connection.save(Change(record: new), bootID: .init("b"), seq: &seq)
        }
        for number in gone {
            _ = try connection.save(Change(record: erased(number)), bootID: .init("b"), seq: &seq)
        }
        try connection.execute(script: "COMMIT")
        connection.close()
        #expect(try directory.tokens() == Set(0..<count).subtracting(gone))
    }

    @Test(
        "The log is cut by itself after an erasure, at once or after the delay",
        arguments: [Duration.zero, .milliseconds(1)])
    func lazily(delay: Duration) async throws {
        let disk = FaultyDisk()
        let store = try openStore(directory, disk: disk, erasureDelay: delay)
        try await store.commit(Change(record: record(1)))
        let (syncs, synced) = AsyncStream<Void>.makeStream()
        disk.beforeSync { synced.yield() }
        try await store.commit(Change(record: erased(1)))
        // The commit's sync, then at least the log's and the database's of the checkpoint.
        var count = 0
        for await _ in syncs {
            count += 1
            if count == 3 { break }
        }
        // Its answer comes after the checkpoint, and it writes nothing.
        try await store.prune(settledBefore: .distantPast)
        #expect(directory.size(directory.log) == 0)
        #expect(try !holds(1))
        await store.close()
    }

    @Test("A token that was erased just before a crash is gone once the store is open again")
    func erasedBeforeCrash() async throws {
        let store = try openStore(directory)
        try await store.commit(Change(record: record(1)))
        try await store.commit(Change(record: erased(1)))
        let copy = try TemporaryDirectory()
        run("sh", "-c", "cp \(directory.path)/wajubd.* \(copy.path)/")
        #expect(try copy.tokens() == [1])
        let reopened = try openStore(copy)
        #expect(try copy.tokens().isEmpty)
        await reopened.close()
        await store.close()
    }

    @Test("Pruning takes old settled payments with all that is theirs, leaves the rest, and seq goes on")
    func pruning() async throws {
        let store = try openStore(directory)
        let old = start - 100
        let settled = record(1, reference: "till", settledAt: old, live: false)
        try await store.commit(
            Change(
                record: settled, events: [event("accepted")], notes: [NewNote(at: start, what: "read", detail: "")],
                attempts: [attempt(1, key: "k1")]))
        var followed = record(2, settledAt: old, live: true)
        try await store.commit(Change(record: followed, events: [event("accepted")]))
        try await store.commit(Change(record: record(3), events: [event("accepted")]))
        try await store.commit(Change(record: record(4, settledAt: start, live: false), events: [event("accepted")]))
        #expect(try await store.prune(settledBefore: start) == 1)
        #expect(try store.payments(limit: 9).records.map(\.id) == ["pay_4", "pay_3", "pay_2"])
        #expect(try store.events(after: 0).map(\.seq) == [2, 3, 4])
        #expect(try store.notes(payment: "pay_1").isEmpty)
        try await store.truncateLog()
        #expect(try !holds(1))
        // The reference and the key are free again.
        try await store.commit(
            Change(record: record(5, reference: "till"), events: [event("accepted")], attempts: [attempt(1, key: "k1")])
        )
        followed.token = nil
        try await store.commit(Change(record: followed))
        #expect(try await store.prune(settledBefore: start) == 1)
        await store.close()
        try await Store.reopened(directory) { store throws in
            #expect(store.lastSeq == 5)
            #expect(try await store.prune(settledBefore: start + 1) == 1)
            #expect(try store.lastStoredSeq() == 5)
            #expect(try store.lastStoredSeq(payment: "pay_4") == 0)
            let events = try await store.commit(Change(record: record(6), events: [event("accepted")]))
            #expect(events.map(\.seq) == [6])
            #expect(try store.lastStoredSeq() == 6)
            #expect(try store.lastStoredSeq(payment: "pay_3") == 3)
        }
    }

    @Test("When all is pruned, seq and the install id stay")
    func pruneAll() async throws {
        let store = try openStore(directory)
        let count = 2 * Writer.pruneLimit + 1
        for number in 0..<count {
            let settled = record(number, settledAt: start, live: false)
            try await store.commit(Change(record: settled, events: [event("accepted"), event("complete")]))
        }
        #expect(try await store.prune(settledBefore: start + 1) == count)
        await store.close()
        try await Store.reopened(directory) { reopened in
            let counts = try reopened.counts()
            #expect(counts.payments == 0)
            #expect(reopened.lastSeq == Int64(2 * count))
            #expect(try reopened.lastStoredSeq() == 0)
            #expect(reopened.installID == store.installID)
        }
    }
}
