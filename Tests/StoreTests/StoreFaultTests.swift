import CSQLite
import FoundationEssentials
import Glibc
import StoreTestSupport
import Testing

@testable import Store

@Suite("Store: a disk that fails", .timeLimit(.minutes(10)))
struct StoreFaultTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let faults: [(FaultyDisk.Fault, StoreError, StorageHealth)] = [
        (.full, .full, .full), (.readOnly, .readOnly, .readOnly),
    ]

    @Test(
        "A disk that takes nothing fails the commit, reads go on, and what waited is saved later without a gap in seq",
        arguments: faults)
    func refused(fault: FaultyDisk.Fault, error: StoreError, health: StorageHealth) async throws {
        let disk = FaultyDisk()
        let store = try openStore(directory, disk: disk)
        try await store.commit(Change(record: record(1), events: [event("accepted")]))
        disk.fault = fault
        let waiting = Change(
            record: record(2), events: [event("accepted")], notes: [NewNote(at: start, what: "a", detail: "")])
        for _ in 0..<3 { await #expect(throws: error) { try await store.commit(waiting) } }
        #expect(store.health == health)
        #expect(await store.probe() == health)
        #expect(try store.payment(id: "pay_1")?.lastSeq == 1)
        #expect(try store.payment(id: "pay_2") == nil)
        #expect(store.lastSeq == 1)
        disk.fault = nil
        #expect(await store.probe() == .ok)
        #expect(store.health == .ok)
        let events = try await store.commit(waiting)
        #expect(events.map(\.seq) == [2])
        await store.close()
        try await Store.reopened(directory) { store throws in
            #expect(try store.events(after: 0).map(\.seq) == [1, 2])
            #expect(try store.notes(payment: "pay_2").count == 1)
        }
    }

    @Test("A batch that the disk refuses fails whole")
    func refusedBatch() async throws {
        let disk = FaultyDisk()
        let store = try openStore(directory, disk: disk)
        disk.fault = .full
        await withTaskGroup(of: StoreError?.self) { group in
            for number in 0..<64 {
                group.addTask {
                    do throws(StoreError) {
                        try await store.commit(Change(record: record(number), events: [event("accepted")]))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            for await error in group { #expect(error == .full) }
        }
        #expect(try store.counts().payments == 0)
        #expect(store.transactions == 0)
        disk.fault = nil
        await store.close()
    }

    @Test("A failed fsync is a fault: told once, never retried, and nothing is written after it")
    func syncFailure() async throws {
        let disk = FaultyDisk()
        let faults = Recorder<StoreError>()
        let store = try openStore(directory, disk: disk) { faults.record([$0]) }
        try await store.commit(Change(record: record(1)))
        disk.fault = .syncFails
        let before = disk.syncs
        let failure = try #require(
            await #expect(throws: StoreError.self) { try await store.commit(Change(record: record(2))) })
        #expect(disk.syncs == before + 1)
        disk.fault = nil
        await #expect(throws: failure) { try await store.commit(Change(record: record(3))) }
        #expect(disk.syncs == before + 1)
        #expect(faults.values == [failure])
        #expect(failure.isFault)
        #expect(await store.probe() == .readOnly)
        guard case .syncFailed = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        await store.close()
        // Neither did the closing copy the log and remove it.
        #expect(disk.syncs == before + 1)
        #expect(directory.size(directory.log) > 0)
    }

    @Test("An fsync that fails at a checkpoint is a fault too")
    func syncFailureAtCheckpoint() async throws {
        let disk = FaultyDisk()
        let faults = Recorder<StoreError>()
        let store = try openStore(directory, disk: disk) { faults.record([$0]) }
        let machine = String(repeating: "x", count: 1_000_000)
        let count = Recorder<Int>()
        // The commit's own sync goes well, the ones of the checkpoint that its size brings about do not.
        for number in 0..<5 { try await store.commit(Change(record: record(number, machine: machine))) }
        disk.beforeSync {
            count.record([1])
            if count.values.count == 1 { disk.fault = .syncFails }
        }
        let failure = try #require(await #expect(throws: StoreError.self) { try await store.truncateLog() })
        #expect(faults.values == [failure])
        await #expect(throws: failure) { try await store.commit(Change(record: record(9))) }
        disk.beforeSync(nil)
        await store.close()
    }

    @Test("The log does not grow without end: it is copied into the database from time to time")
    func checkpoints() async throws {
        let store = try openStore(directory)
        let machine = String(repeating: "x", count: 1_000_000)
        for _ in 0..<60 { try await store.commit(Change(record: record(1, machine: machine))) }
        #expect(directory.size(directory.log) < 12_000_000)
        await store.close()
        #expect(directory.size(directory.log) == 0)
    }

    @Test("A store that a full disk opened for reading serves, and takes writes once there is room")
    func openedFull() async throws {
        let first = try openStore(directory)
        try await first.commit(Change(record: record(1), events: [event("accepted")]))
        await first.close()
        try Connection(path: directory.database, mode: .readWrite, vfs: nil).execute(
            script: "PRAGMA journal_mode = DELETE")
        let disk = FaultyDisk()
        disk.fault = .full
        let store = try openStore(directory, disk: disk)
        #expect(store.health == .full)
        #expect(try store.payment(id: "pay_1")?.lastSeq == 1)
        await #expect(throws: StoreError.readOnly) { try await store.commit(Change(record: record(2))) }
        disk.fault = nil
        #expect(await store.probe() == .ok)
        let events = try await store.commit(Change(record: record(2), events: [event("accepted")]))
        #expect(events.map(\.seq) == [2])
        #expect(try store.counts().payments == 2)
        await store.close()
    }

    @Test("No store and a disk that takes no writes: it cannot be opened")
    func nothingToOpen() throws {
        let disk = FaultyDisk()
        disk.fault = .readOnly
        let error = #expect(throws: StoreError.self) { try openStore(directory, disk: disk) }
        guard case .cannotOpen = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

private let mayMount = {
    guard let directory = try? TemporaryDirectory() else { return false }
    defer { run("umount", "-l", directory.path) }
    return run("mount", "-t", "tmpfs", "tmpfs", directory.path) == 0
}()

/// Real mounts, where the tests may make them.
@Suite("Store: mounted disks", .enabled(if: mayMount), .timeLimit(.minutes(10)))
struct StoreMountTests {
    @Test(
        "On a read-only disk a cleanly closed store is served, and written once the disk is writable",
        arguments: [true, false])
    func readOnly(cleanly: Bool) async throws {
        let directory = try TemporaryDirectory()
        let source = try TemporaryDirectory()
        let store = try openStore(source)
        try await store.commit(Change(record: record(1), events: [event("accepted")]))
        if cleanly { await store.close() }
        try #require(run("mount", "-t", "tmpfs", "tmpfs", directory.path) == 0)
        defer { run("umount", "-l", directory.path) }
        run("sh", "-c", "cp -a \(source.path)/. \(directory.path)/")
        if !cleanly { await store.close() }
        try #require(run("mount", "-o", "remount,ro", directory.path) == 0)

        let readOnly = try openStore(directory)
        #expect(readOnly.health == .readOnly)
        #expect(try readOnly.payment(id: "pay_1")?.lastSeq == 1)
        #expect(try readOnly.events(after: 0).count == 1)
        #expect(try readOnly.payments(limit: 5).records.count == 1)
        #expect(throws: StoreError.locked) { try openStore(directory) }
        await #expect(throws: StoreError.readOnly) { try await readOnly.commit(Change(record: record(2))) }
        #expect(await readOnly.probe() == .readOnly)
        #expect(try readOnly.counts().payments == 1)
        try #require(run("mount", "-o", "remount,rw", directory.path) == 0)
        #expect(await readOnly.probe() == .ok)
        let events = try await readOnly.commit(Change(record: record(2), events: [event("accepted")]))
        #expect(events.map(\.seq) == [2])
        #expect(try readOnly.counts().payments == 2)
        await readOnly.close()
    }

    @Test("An I/O error on a disk that has become read-only is that, and otherwise stays what it was")
    func cause() throws {
        let directory = try TemporaryDirectory()
        let failure = StoreError.io(code: SQLITE_IOERR | (3 << 8), detail: "disk I/O error")
        #expect(StateDirectory(path: directory.path).cause(of: failure) == failure)
        try #require(run("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", directory.path) == 0)
        defer { run("umount", "-l", directory.path) }
        #expect(StateDirectory(path: directory.path).cause(of: failure) == .readOnly)
        #expect(StateDirectory(path: directory.path).cause(of: .busy) == .busy)
    }

    @Test("Damage is found on a read-only disk as well")
    func damagedReadOnly() throws {
        let directory = try TemporaryDirectory()
        try #require(run("mount", "-t", "tmpfs", "tmpfs", directory.path) == 0)
        defer { run("umount", "-l", directory.path) }
        try Data(repeating: 7, count: 9_000).write(to: URL(filePath: directory.database))
        try #require(run("mount", "-o", "remount,ro", directory.path) == 0)
        let error = #expect(throws: StoreError.self) { try openStore(directory) }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A disk that really fills up refuses, keeps what it has, and goes on once there is room")
    func full() async throws {
        let directory = try TemporaryDirectory()
        try #require(run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory.path) == 0)
        defer { run("umount", "-l", directory.path) }
        run("fallocate", "-l", "300k", directory.path + "/ballast")
        let store = try openStore(directory)
        var saved = 0
        var failure: StoreError?
        while failure == nil, saved < 1_000 {
            do throws(StoreError) {
                let machine = String(repeating: "x", count: 10_000)
                try await store.commit(Change(record: record(saved, machine: machine), events: [event("accepted")]))
                saved += 1
            } catch {
                failure = error
            }
        }
        #expect(failure == .full)
        #expect(store.health == .full)
        #expect(try store.counts().payments == saved)
        run("rm", directory.path + "/ballast")
        #expect(await store.probe() == .ok)
        let events = try await store.commit(Change(record: record(saved), events: [event("accepted")]))
        #expect(events.map(\.seq) == [Int64(saved) + 1])
        await store.close()
    }
}
