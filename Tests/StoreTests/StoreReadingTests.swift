import FoundationEssentials
import Testing

@testable import Store

@Suite("Store: reads", .timeLimit(.minutes(10)))
struct StoreReadingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("A payment is found by token, by the till's reference before Wajub's, and by Wajub's id")
    func lookups() async throws {
        let store = try openStore(directory)
        try await store.commit(Change(record: record(1, reference: "A", wajubReference: "B")))
        try await store.commit(Change(record: record(2, wajubReference: "A")))
        try await store.commit(Change(record: record(3, wajubReference: "B")))
        #expect(try store.payment(tokenDigest: record(2).tokenDigest)?.id == "pay_2")
        #expect(try store.payments(reference: "A").map(\.id) == ["pay_1"])
        #expect(try store.payments(reference: "B").map(\.id) == ["pay_3", "pay_1"])
        #expect(try store.payments(wajubID: "tx_3").map(\.id) == ["pay_3"])
        #expect(try store.payments(reference: "C").isEmpty)
        #expect(try store.payment(id: "pay_4") == nil)
        #expect(try store.payment(tokenDigest: []) == nil)
        await store.close()
    }

    @Test("Pages show each payment once, newest first, although all have the same time and new ones come in between")
    func pages() async throws {
        let store = try openStore(directory)
        for number in 0..<25 { try await store.commit(Change(record: record(number))) }
        var seen: [String] = []
        var cursor: PageCursor?
        repeat {
            let page = try store.payments(limit: 10, before: cursor)
            seen += page.records.map(\.id)
            cursor = try page.next.map { try #require(PageCursor($0.text)) }
            try await store.commit(Change(record: record(100 + seen.count)))
        } while cursor != nil
        #expect(seen == (0..<25).reversed().map { "pay_\($0)" })
        await store.close()
    }

    @Test("A page that holds the last payment has no next", arguments: [(3, 3), (4, 3), (1, 1)])
    func lastPage(limit: Int, shown: Int) async throws {
        let store = try openStore(directory)
        for number in 0..<3 { try await store.commit(Change(record: record(number))) }
        let page = try store.payments(limit: limit)
        #expect(page.records.count == shown)
        #expect((page.next == nil) == (limit >= 3))
        await store.close()
    }

    @Test("Lists and counts tell settled from unsettled, live from still")
    func filters() async throws {
        let store = try openStore(directory)
        try await store.commit(Change(record: record(1, settledAt: start, live: false)))
        try await store.commit(Change(record: record(2)))
        try await store.commit(Change(record: record(3, settledAt: start, live: true)))
        #expect(try store.payments(settled: true, limit: 9).records.map(\.id) == ["pay_3", "pay_1"])
        #expect(try store.payments(settled: false, limit: 9).records.map(\.id) == ["pay_2"])
        #expect(try store.livePayments().map(\.id) == ["pay_2", "pay_3"])
        #expect(try store.counts() == PaymentCounts(payments: 3, unsettled: 1, live: 2))
        await store.close()
    }

    @Test("Events come after a seq, in order, up to a limit, of all payments or of one")
    func events() async throws {
        let store = try openStore(directory)
        for kind in ["accepted", "ready", "state"] {
            try await store.commit(Change(record: record(1), events: [event(kind)]))
            try await store.commit(Change(record: record(2), events: [event(kind)]))
        }
        #expect(try store.events(after: 2).map(\.seq) == [3, 4, 5, 6])
        #expect(try store.events(after: 2, limit: 2).map(\.seq) == [3, 4])
        #expect(try store.events(after: 1, payment: "pay_1").map(\.seq) == [3, 5])
        #expect(try store.events(after: 0, payment: "pay_2", limit: 1).map(\.kind) == ["accepted"])
        #expect(try store.events(after: 6).isEmpty)
        #expect(try store.events(after: 0, payment: "pay_9").isEmpty)
        await store.close()
    }

    @Test("A timeline is in order and each note tells the last seq of its change")
    func notes() async throws {
        let store = try openStore(directory)
        let notes = ["hand-off", "read", "signal"].map { NewNote(at: start, what: $0, detail: "{}") }
        try await store.commit(Change(record: record(1), events: [event("accepted")], notes: [notes[0], notes[1]]))
        try await store.commit(Change(record: record(2), events: [event("accepted")]))
        try await store.commit(Change(record: record(1), notes: [notes[2]]))
        let read = try store.notes(payment: "pay_1")
        #expect(read.map(\.what) == ["hand-off", "read", "signal"])
        #expect(read.map(\.seq) == [1, 1, 1])
        #expect(read.first == Note(at: start, what: "hand-off", detail: "{}", seq: 1))
        await store.close()
    }

    @Test("A cursor that no page gave is refused", arguments: ["", "x", "-1", "0", "9999999999999999999"])
    func badCursor(text: String) {
        #expect(PageCursor(text) == nil)
    }

    @Test("No description or dump of a record carries its token, its digest, its machine or a key")
    func redaction() {
        let change = Change(
            record: record(1, machine: "+237670000000"), attempts: [attempt(1, key: "IDEMPOTENCY-KEY")])
        var dumped = ""
        dump(change, to: &dumped)
        dump(change.record, to: &dumped)
        for text in ["\(change)", "\(change.record)", String(reflecting: change), dumped, "\(change.attempts)"] {
            for secret in [token(1), "IDEMPOTENCY-KEY", "237670000000", "tokenDigest"] {
                #expect(!text.contains(secret))
            }
        }
    }
}
