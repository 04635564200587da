internal import FoundationEssentials

/// What is handed to the writer's thread, with whoever waits for the answer.
enum Job: Sendable {
    typealias Reply<T> = CheckedContinuation<Result<T, StoreError>, Never>

    /// A change to be saved.
    struct Commit: Sendable {
        let change: Change
        /// Called with its events once they are durable, before anybody else is told of them.
        let onStored: @Sendable ([StoredEvent]) -> Void
        let reply: Reply<[StoredEvent]>
    }

    case commit(Commit)
    /// Deletes a bounded number of payments settled before that many milliseconds since 1970; answers with how many.
    case prune(before: Int64, Reply<Int>)
    /// Cuts the log to nothing.
    case truncateLog(Reply<Void>)
    /// Finds out whether the disk takes writes again.
    case probe(CheckedContinuation<StorageHealth, Never>)
    /// The last job: answered once everything is closed.
    case close(CheckedContinuation<Void, Never>)
}
