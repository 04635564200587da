package import FoundationEssentials
package import Platform
internal import Synchronization

/// The daemon's memory: payments, their attempts and keys, events, timeline, and the id of the installation, in SQLite.
///
/// One thread writes, and a change is durable once ``commit(_:)`` returns; reads go past it and never wait for its
/// `fsync`. The rules are in design.md, Store.
package final class Store: Sendable {
    /// 128 random bits in hexadecimal, made when the store was.
    package let installID: String

    let shared: Shared
    let inbox: Inbox

    private init(installID: String, shared: Shared, inbox: Inbox) {
        self.installID = installID
        self.shared = shared
        self.inbox = inbox
    }

    deinit {
        // Without `close()`: the writer saves what is waiting and ends by itself.
        inbox.close()
    }

    /// Opens the store in `directory`, which is made if it is missing, and holds the directory until ``close()``.
    ///
    /// Reads the whole database through to find damage. On a disk that takes no writes it opens for reading, which
    /// ``health`` tells.
    ///
    /// - parameter bootID: the present boot; saved with each payment's checkpoint.
    /// - parameter vfs: the name of the SQLite file system to use; the default one when `nil`.
    /// - parameter erasureDelay: how long an erased token may stay in the write-ahead log.
    /// - parameter onFault: called on the writer's thread when the store cannot be trusted any more: an `fsync` failed,
    ///   or the database turned out to be damaged. It should end the process; if it returns, every commit fails.
    /// - throws: `.locked`, `.damaged`, `.newer`, `.cannotOpen`, `.busy`, `.io`, `.syncFailed`.
    package static func open(
        directory: String, bootID: BootID, randomness: any Randomness, vfs: String? = nil,
        erasureDelay: Duration = .seconds(2), onFault: @escaping @Sendable (StoreError) -> Void
    ) throws(StoreError) -> Store {
        let directory = StateDirectory(path: directory)
        try directory.make()
        let lock = try DirectoryLock(directory)
        let database = try Database.open(in: directory, vfs: vfs, randomness: randomness)
        let installID = database.installID
        let shared = Shared(health: database.health, lastSeq: database.lastSeq)
        try shared.openReaders(directory.database, vfs: vfs) { database.readMode }
        let inbox = Inbox()
        let settings = Writer.Settings(
            directory: directory, vfs: vfs, bootID: bootID, randomness: randomness, erasureDelay: erasureDelay,
            onFault: onFault)
        let writer = Writer(
            database.connection, isWritable: database.isWritable, seq: database.lastSeq, inbox: inbox, shared: shared,
            lock: lock, settings: settings)
        try Writer.start(writer)
        return Store(installID: installID, shared: shared, inbox: inbox)
    }

    /// Whether the disk takes writes, by the outcome of the last one.
    package var health: StorageHealth { shared.state.withLock { $0.health } }

    /// The `seq` of the last durable event of all payments; 0 before the first.
    package var lastSeq: Int64 { shared.state.withLock { $0.lastSeq } }

    /// How many transactions have saved changes since the opening: fewer than changes when they came together.
    package var transactions: Int { shared.state.withLock { $0.transactions } }

    /// Names who is told of events: on the writer's thread, in the order of their `seq`, once they are durable and
    /// before the `commit(_:)` they came with returns. It must not block.
    package func setEventSink(_ sink: (@Sendable ([StoredEvent]) -> Void)?) {
        shared.state.withLock { $0.sink = sink }
    }

    /// Saves a change whole, and returns its events once they are durable. Not cut short by cancellation.
    ///
    /// - parameter onStored: called on the writer's thread before the event sink is; it must not block.
    /// - throws: `.referenceTaken`, `.tokenTaken`, `.keyTaken` for this change alone; what the disk says;
    ///   `.overloaded`, `.closed`. Nothing was saved then. After `.syncFailed` alone it may turn out to have been.
    @discardableResult
    package func commit(_ change: Change, onStored: @escaping @Sendable ([StoredEvent]) -> Void = { _ in })
        async throws(StoreError) -> [StoredEvent]
    {
        try await result { .commit(Job.Commit(change: change, onStored: onStored, reply: $0)) }
    }

    /// Deletes settled payments that nothing will happen to any more, with their events, timeline, attempts and keys.
    ///
    /// In small transactions, between which changes are saved. `seq` goes on from where it was.
    ///
    /// - returns: how many payments were deleted.
    @discardableResult
    package func prune(settledBefore date: Date) async throws(StoreError) -> Int {
        var total = 0
        while true {
            let count = try await result { .prune(before: Millis.from(date), $0) }
            total += count
            // Each round deletes some, so this ends.
            if count == 0 { return total }
        }
    }

    /// Copies the write-ahead log into the database and cuts it to nothing, as happens by itself after an erasure.
    ///
    /// - throws: `.busy` when a reader is in the way; what the disk says.
    package func truncateLog() async throws(StoreError) {
        try await result { .truncateLog($0) }
    }

    /// Finds out by a write whether the disk takes writes (again), also where the store was opened for reading.
    ///
    /// - returns: the new ``health``.
    @discardableResult
    package func probe() async -> StorageHealth {
        await withCheckedContinuation { reply in
            // A closed store stays as it was.
            do throws(StoreError) { try inbox.put(.probe(reply)) } catch { reply.resume(returning: health) }
        }
    }

    /// Saves what is waiting, closes everything and lets go of the directory. The second call returns at once.
    package func close() async {
        await withCheckedContinuation { reply in
            if !inbox.close(last: .close(reply)) { reply.resume() }
        }
    }

    private func result<T: Sendable>(of job: (Job.Reply<T>) -> Job) async throws(StoreError) -> T {
        let result = await withCheckedContinuation { (reply: Job.Reply<T>) in
            do throws(StoreError) { try inbox.put(job(reply)) } catch { reply.resume(returning: .failure(error)) }
        }
        return try result.get()
    }
}
