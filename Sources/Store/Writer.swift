internal import FoundationEssentials
internal import Glibc
internal import Platform
internal import Synchronization

/// The one writer: a thread that takes all waiting changes at once and saves them in one transaction, so that they
/// share one `fsync`.
///
/// Not thread-safe: made on the thread that opens the store, then used on its own thread alone.
final class Writer {
    /// The changes of one transaction at most, so that the first does not wait for a whole backlog.
    static let batchLimit = 512
    /// The log is copied into the database at this many pages (4 MiB).
    static let pagesBeforeCheckpoint = 1_000
    /// The payments of one transaction of pruning at most.
    static let pruneLimit = 100
    /// How long a checkpoint that has to wait for readers holds up the writer at most.
    static let checkpointTimeoutMilliseconds: Int32 = 100

    struct Settings {
        let directory: StateDirectory
        let vfs: String?
        let bootID: BootID
        let randomness: any Randomness
        let erasureDelay: Duration
        let onFault: @Sendable (StoreError) -> Void
    }

    let settings: Settings
    let inbox: Inbox
    let shared: Shared
    var connection: Connection
    var isWritable: Bool
    /// The last `seq` given out in the open transaction, or committed.
    var seq: Int64
    /// When an erased token has to be out of the log, on the monotonic clock.
    var erasureDue: timespec?
    /// Why nothing is written any more.
    var fault: StoreError?
    private var lock: DirectoryLock?

    init(
        _ connection: Connection, isWritable: Bool, seq: Int64, inbox: Inbox, shared: Shared, lock: DirectoryLock,
        settings: Settings
    ) {
        self.connection = connection
        self.isWritable = isWritable
        self.seq = seq
        self.inbox = inbox
        self.shared = shared
        self.lock = lock
        self.settings = settings
    }

    /// Starts the thread, which ends when the inbox is closed.
    ///
    /// - throws: `.cannotOpen` when the system gives no thread.
    static func start(_ writer: sending Writer) throws(StoreError) {
        do throws(OwnedThread.StartError) {
            try OwnedThread.start { writer.run() }
        } catch {
            throw .cannotOpen(reason: "cannot start the writer: \(String(cString: strerror(error.code)))")
        }
    }

    private func run() {
        while true {
            switch inbox.take(until: erasureDue) {
            case .jobs(let jobs):
                if handle(jobs) == .closed { return }
            case .deadlinePassed:
                truncateLogIfDue()
            case .closed:
                // The store was let go of without `close()`.
                return shutDown()
            }
        }
    }

    private enum Progress { case open, closed }

    private func handle(_ jobs: [Job]) -> Progress {
        var batch: [Job.Commit] = []
        func flush() {
            if batch.isEmpty { return }
            commit(batch)
            batch.removeAll(keepingCapacity: true)
        }
        for job in jobs {
            if case .commit(let commit) = job {
                batch.append(commit)
                if batch.count == Self.batchLimit { flush() }
                continue
            }
            flush()
            switch job {
            case .commit: continue
            case .prune(let cutoff, let reply): reply.resume(returning: prune(before: cutoff))
            case .truncateLog(let reply): reply.resume(returning: truncateLog())
            case .probe(let reply): reply.resume(returning: probe())
            case .close(let reply):
                shutDown()
                reply.resume()
                return .closed
            }
        }
        flush()
        checkpointIfLong()
        truncateLogIfDue()
        return .open
    }

    /// Closes everything, the writer's connection last: the last to close removes the log.
    private func shutDown() {
        shared.closeReaders()
        if isWritable, fault == nil {
            do throws(StoreError) { try connection.checkpoint(.truncate) } catch { report(error) }
        }
        connection.close()
        lock = nil
    }

    /// Notes what a failed write says about the disk; where the store cannot be trusted any more, it ends here.
    ///
    /// - returns: the error, or the cause that was found for it.
    @discardableResult
    func report(_ error: StoreError) -> StoreError {
        let error = settings.directory.cause(of: error)
        if let health = StorageHealth(after: error) { shared.state.withLock { $0.health = health } }
        if error.isFault {
            fault = error
            // The log may be all there is: another try at the database could seem to go well.
            connection.keepLog()
            settings.onFault(error)
        }
        return error
    }
}
