import Contract
import Dispatch
import FoundationEssentials
import Platform
import StoreTestSupport
import Testing

@testable import Store

@Suite("Store: commits", .timeLimit(.minutes(10)))
struct StoreCommitTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("A committed payment is read back as it was, with the boot and its last seq")
    func roundTrip() async throws {
        let store = try openStore(directory)
        let new = record(1, reference: "till-7", wajubReference: "W-1", machine: #"{"a":[1,2]}"#)
        let events = try await store.commit(Change(record: new, events: [event("accepted"), event("ready")]))
        #expect(events.map(\.seq) == [1, 2])
        let read = try #require(try store.payment(id: "pay_1"))
        #expect(read.bootID == BootID("boot-1"))
        #expect(read.lastSeq == 2)
        var expected = new
        expected.bootID = read.bootID
        expected.lastSeq = 2
        #expect(read == expected)
        #expect(try store.events(after: 0) == events)
        await store.close()
    }

    @Test("An empty machine, an empty digest and texts with quotes and NULs survive the way through the database")
    func oddValues() async throws {
        let store = try openStore(directory)
        var odd = record(1, reference: "it's \"odd\" \u{0} 🥭", machine: "")
        odd.tokenDigest = []
        odd.token = ""
        try await store.commit(Change(record: odd))
        let read = try #require(try store.payments(reference: "it's \"odd\" \u{0} 🥭").first)
        #expect((read.machine, read.tokenDigest, read.token) == (Data(), [], ""))
        await store.close()
    }

    @Test("A second commit replaces the payment, keeps its creation, and takes the later boot")
    func update() async throws {
        let first = try openStore(directory)
        try await first.commit(Change(record: record(1), events: [event("accepted")]))
        await first.close()
        try await Store.reopened(directory, boot: "boot-2") { store throws in
            var changed = record(1, reference: "later", machine: "{2}", settledAt: start + 5, live: false)
            changed.createdAt = start + 99
            changed.checkpoint = Instant(nanoseconds: 77)
            try await store.commit(Change(record: changed))
            let read = try #require(try store.payment(id: "pay_1"))
            #expect(read.reference == "later")
            #expect(read.machine == Data("{2}".utf8))
            #expect((read.settled, read.live, read.settledAt) == (true, false, start + 5))
            #expect((read.createdAt, read.checkpoint) == (start, Instant(nanoseconds: 77)))
            #expect((read.bootID, read.lastSeq) == (BootID("boot-2"), 1))
        }
    }

    @Test("seq goes on where it was after the store is opened again")
    func seqSurvives() async throws {
        let first = try openStore(directory)
        try await first.commit(Change(record: record(1), events: [event("accepted")]))
        await first.close()
        try await Store.reopened(directory) { store throws in
            #expect(store.lastSeq == 1)
            let events = try await store.commit(Change(record: record(1), events: [event("ready")]))
            #expect(events.map(\.seq) == [2])
        }
    }

    @Test("A taken reference, token or key fails that change alone, and leaves no gap in seq")
    func violations() async throws {
        let store = try openStore(directory)
        try await store.commit(
            Change(record: record(1, reference: "till"), events: [event("accepted")], attempts: [attempt(1, key: "k1")])
        )
        await #expect(throws: StoreError.referenceTaken) {
            try await store.commit(Change(record: record(2, reference: "till"), events: [event("accepted")]))
        }
        var sameToken = record(3)
        sameToken.tokenDigest = record(1).tokenDigest
        let taken = sameToken
        await #expect(throws: StoreError.tokenTaken) { try await store.commit(Change(record: taken)) }
        await #expect(throws: StoreError.keyTaken) {
            try await store.commit(Change(record: record(4), attempts: [attempt(1, key: "k1")]))
        }
        await #expect(throws: StoreError.keyTaken) {
            try await store.commit(Change(record: record(1), attempts: [attempt(1, key: "k2")]))
        }
        #expect(try store.counts().payments == 1)
        let next = try await store.commit(Change(record: record(5), events: [event("accepted")]))
        #expect(next.map(\.seq) == [2])
        #expect(store.health == .ok)
        await store.close()
    }

    @Test("An attempt is updated under its number and its key may be carried by a later one")
    func attempts() async throws {
        let store = try openStore(directory)
        try await store.commit(Change(record: record(1), attempts: [attempt(1, key: "k1")]))
        let sent = [attempt(1, key: "k1", phase: "sent", tries: 2), attempt(2, key: "k1")]
        try await store.commit(Change(record: record(1), attempts: sent))
        #expect(try store.attempts(payment: "pay_1") == sent)
        #expect(try store.attempts(payment: "pay_2") == [])
        await store.close()
    }

    @Test("Changes that wait while the disk syncs are saved in one transaction, and the bad one fails alone")
    func groupCommit() async throws {
        let disk = FaultyDisk()
        let store = try openStore(directory, disk: disk)
        try await store.commit(Change(record: record(1, reference: "till")))
        let (syncing, entered) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        disk.beforeSync {
            disk.beforeSync(nil)
            entered.yield()
            release.wait()
        }
        async let held = store.commit(Change(record: record(2)))
        for await _ in syncing { break }
        let before = (transactions: store.transactions, syncs: disk.syncs)
        let (waiting, arrived) = AsyncStream<Void>.makeStream()
        let failures = try await withThrowingTaskGroup(of: Result<[StoredEvent], StoreError>.self) { group in
            for number in 3..<67 {
                let reference = number == 40 ? "till" : nil
                let change = Change(record: record(number, reference: reference), events: [event("accepted")])
                group.addTask {
                    await withCheckedContinuation { reply in
                        #expect(throws: Never.self) {
                            try store.inbox.put(.commit(Job.Commit(change: change, onStored: { _ in }, reply: reply)))
                        }
                        arrived.yield()
                    }
                }
            }
            var count = 0
            for await _ in waiting {
                count += 1
                if count == 64 { break }
            }
            release.signal()
            return try await group.reduce(into: [StoreError]()) { failures, result in
                if case .failure(let error) = result { failures.append(error) }
            }
        }
        _ = try await held
        #expect(failures == [.referenceTaken])
        // The held one and the 64 together: two transactions, a sync each, of which the first had begun.
        #expect(store.transactions - before.transactions == 2)
        #expect(disk.syncs - before.syncs == 1)
        #expect(try store.counts().payments == 65)
        #expect(try store.events(after: 0).map(\.seq) == Array(1...63))
        await store.close()
    }

    @Test("The sink is told of all events in the order of seq, each once durable and before its commit returns")
    func sinkOrder() async throws {
        let store = try openStore(directory)
        let told = Recorder<Int64>()
        store.setEventSink { events in
            #expect(store.lastSeq >= events.last?.seq ?? 0)
            let durable = Result { () throws(StoreError) in
                try store.events(after: events[0].seq - 1, limit: events.count)
            }
            #expect(durable == .success(events))
            told.record(events.map(\.seq))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    for kind in ["accepted", "ready", "state"] {
                        let events = try await store.commit(
                            Change(record: record(number), events: [event(kind), event("progress")]))
                        #expect(Set(told.values).isSuperset(of: events.map(\.seq)))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(told.values == Array(1...384))
        #expect(store.lastSeq == 384)
        store.setEventSink(nil)
        await store.close()
    }

    @Test("Everything that was put in before close is saved; what comes later is refused")
    func closing() async throws {
        let store = try openStore(directory)
        let (waiting, arrived) = AsyncStream<Void>.makeStream()
        async let early = withCheckedContinuation { (reply: Job.Reply<[StoredEvent]>) in
            #expect(throws: Never.self) {
                try store.inbox.put(
                    .commit(Job.Commit(change: Change(record: record(1)), onStored: { _ in }, reply: reply)))
            }
            arrived.yield()
        }
        for await _ in waiting { break }
        await store.close()
        await store.close()
        let saved = try await early.get()
        #expect(saved.isEmpty)
        await #expect(throws: StoreError.closed) { try await store.commit(Change(record: record(2))) }
        #expect(throws: StoreError.closed) { try store.payment(id: "pay_1") }
        #expect(await store.probe() == .ok)
        let count = try await Store.reopened(directory) { try $0.counts().payments }
        #expect(count == 1)
    }

    @Test("More waiting changes than the inbox takes are refused")
    func overload() async {
        let inbox = Inbox(capacity: 0)
        _ = await withCheckedContinuation { reply in
            #expect(throws: StoreError.overloaded) { try inbox.put(.probe(reply)) }
            reply.resume(returning: .ok)
        }
    }
}
