import FoundationEssentials
import Glibc
import Testing

@testable import Store

@Suite("Store: after a crash", .timeLimit(.minutes(10)))
struct StoreCrashTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("The files as a kill leaves them open with everything that was committed", arguments: [true, false])
    func killed(withIndex: Bool) async throws {
        let store = try openStore(directory)
        for number in 0..<20 { try await store.commit(Change(record: record(number), events: [event("accepted")])) }
        let copy = try TemporaryDirectory()
        run("sh", "-c", "cp \(directory.path)/wajubd.* \(copy.path)/")
        if !withIndex { unlink(copy.database + "-shm") }
        await store.close()
        try await Store.reopened(copy) { store throws in
            #expect(try store.livePayments().map(\.id) == (0..<20).map { "pay_\($0)" })
            #expect(try store.events(after: 0).map(\.seq) == Array(1...20))
            let events = try await store.commit(Change(record: record(20), events: [event("accepted")]))
            #expect(events.map(\.seq) == [21])
        }
    }

    @Test(
        "A log torn at any place opens with whole commits up to there, each with its events",
        arguments: [0.05, 0.1, 0.33, 0.5, 0.77, 0.99])
    func torn(share: Double) async throws {
        let store = try openStore(directory)
        for number in 0..<20 {
            try await store.commit(
                Change(
                    record: record(number, machine: String(repeating: "x", count: 200 * number)),
                    events: [event("accepted"), event("ready")]))
        }
        let copy = try TemporaryDirectory()
        run("cp", directory.database, directory.log, copy.path)
        await store.close()
        truncate(copy.log, Int(Double(copy.size(copy.log)) * share))
        try await Store.reopened(copy) { store throws in
            let payments = try store.livePayments()
            #expect(payments.map(\.id) == (0..<payments.count).map { "pay_\($0)" })
            #expect(payments.count < 20)
            #expect(store.lastSeq == Int64(2 * payments.count))
            #expect(try store.events(after: 0).map(\.seq) == Array((1...).prefix(2 * payments.count)))
            for payment in payments { #expect(try store.events(after: 0, payment: payment.id).count == 2) }
        }
    }

    @Test("Files copied while 64 clients commit hold every commit that was answered before the copy")
    func copiedUnderLoad() async throws {
        let store = try openStore(directory)
        let answered = Recorder<Int64>()
        let copy = try TemporaryDirectory()
        let before = try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<64 {
                group.addTask {
                    for step in 0..<10 {
                        let change = Change(record: record(client * 10 + step), events: [event("accepted")])
                        answered.record(try await store.commit(change).map(\.seq))
                    }
                }
            }
            for _ in 0..<20 { try await group.next() }
            let before = answered.values
            run("cp", directory.database, directory.log, copy.path)
            try await group.waitForAll()
            return before
        }
        #expect(before.count >= 200)
        #expect(answered.values.sorted() == Array(1...640))
        await store.close()
        try await Store.reopened(copy) { store throws in
            let seqs = try store.events(after: 0).map(\.seq)
            #expect(seqs == Array((1...).prefix(seqs.count)))
            #expect(Set(seqs).isSuperset(of: before))
            #expect(try store.counts().payments == seqs.count)
        }
    }

    @Test("A store that is let go of without close saves what was put in, and lets go of the directory")
    func abandoned() async throws {
        var store: Store? = try openStore(directory)
        try await store?.commit(Change(record: record(1)))
        store = nil
        #expect(run("flock", "-w", "30", directory.path, "true") == 0)
        let count = try await Store.reopened(directory) { try $0.counts().payments }
        #expect(count == 1)
    }
}
