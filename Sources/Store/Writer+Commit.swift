internal import FoundationEssentials
internal import Synchronization

extension Writer {
    /// Saves all changes in one transaction. A change that is at fault itself fails alone; a failure of the disk fails
    /// all.
    func commit(_ batch: [Job.Commit]) {
        if let fault { return batch.forEach { $0.reply.resume(returning: .failure(fault)) } }
        let before = seq
        let results: [Result<[StoredEvent], StoreError>]
        do throws(StoreError) {
            let outcome = try save(batch)
            results = outcome.results
            if outcome.erases { scheduleErasure() }
        } catch {
            connection.rollBack()
            seq = before
            let cause = report(error)
            return batch.forEach { $0.reply.resume(returning: .failure(cause)) }
        }
        let saved = results.compactMap { result in
            switch result {
            case .success(let events): events
            case .failure: nil
            }
        }
        let sink = shared.state.withLock { state in
            // A transaction that saved nothing says nothing about the disk.
            if !saved.isEmpty {
                state.health = .ok
                state.transactions += 1
            }
            state.lastSeq = seq
            return state.sink
        }
        for (commit, result) in zip(batch, results) {
            if case .success(let events) = result { commit.onStored(events) }
        }
        let events = saved.flatMap { $0 }
        if !events.isEmpty { sink?(events) }
        for (commit, result) in zip(batch, results) { commit.reply.resume(returning: result) }
    }

    private typealias Outcome = (results: [Result<[StoredEvent], StoreError>], erases: Bool)

    /// Saves all changes, without a savepoint for each at first: SQLite copies every page that two of them touch. When
    /// one is at fault, which is rare, all is undone and done again with savepoints.
    private func save(_ batch: [Job.Commit]) throws(StoreError) -> Outcome {
        let before = seq
        do throws(StoreError) {
            return try transact(batch) { change throws(StoreError) in
                .success(try connection.save(change, bootID: settings.bootID, seq: &seq))
            }
        } catch  where error.concernsOneChange {
            connection.rollBack()
            seq = before
        }
        return try transact(batch) { change throws(StoreError) in
            let mark = seq
            try connection.run("SAVEPOINT change")
            let result: Result<Connection.Saved, StoreError>
            do throws(StoreError) {
                result = .success(try connection.save(change, bootID: settings.bootID, seq: &seq))
            } catch  where error.concernsOneChange {
                seq = mark
                try connection.run("ROLLBACK TO change")
                result = .failure(error)
            }
            try connection.run("RELEASE change")
            return result
        }
    }

    private func transact(
        _ batch: [Job.Commit], each save: (Change) throws(StoreError) -> Result<Connection.Saved, StoreError>
    ) throws(StoreError) -> Outcome {
        var outcome: Outcome = ([], false)
        try connection.run("BEGIN IMMEDIATE")
        for commit in batch {
            let result = try save(commit.change)
            outcome.results.append(result.map(\.events))
            if case .success(let saved) = result, saved.erases { outcome.erases = true }
        }
        try connection.run("COMMIT")
        return outcome
    }

    /// Deletes the oldest settled payments, with all that hangs on them.
    func prune(before cutoff: Int64) -> Result<Int, StoreError> {
        if let fault { return .failure(fault) }
        do throws(StoreError) {
            try connection.run("BEGIN IMMEDIATE")
            try connection.run(
                """
                DELETE FROM payments WHERE number IN (
                  SELECT number FROM payments WHERE settled = 1 AND settled_at < ?1
                  AND (live = 0 OR NOT EXISTS (SELECT 1 FROM tokens WHERE payment = payments.number))
                  ORDER BY settled_at LIMIT ?2)
                """, .integer(cutoff), .integer(Int64(Self.pruneLimit)))
            let count = connection.changes
            // The last event may be among those deleted.
            if count > 0 {
                try connection.run("UPDATE meta SET value = ? WHERE key = 'pruned_seq'", .integer(seq))
            }
            try connection.run("COMMIT")
            // One that ended `processing` may still have had its token.
            if count > 0 { scheduleErasure() }
            return .success(count)
        } catch {
            connection.rollBack()
            return .failure(report(error))
        }
    }

    /// Writes 64 KiB, more than any change needs, and deletes them again: what is left is room for the next changes.
    func probe() -> StorageHealth {
        if fault == nil {
            do throws(StoreError) {
                if !isWritable { try reopen() }
                try connection.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('probe', ?)", .zeros(65_536))
                try connection.run("DELETE FROM meta WHERE key = 'probe'")
                shared.state.withLock { $0.health = .ok }
            } catch {
                connection.rollBack()
                report(error)
            }
        }
        return shared.state.withLock { $0.health }
    }

    /// A store that was opened for reading is opened again: for writing, if the disk takes writes now.
    private func reopen() throws(StoreError) {
        try settings.directory.tryWriting()
        // Everything is closed first: an immutable connection knows no locks, and when it closes its descriptor of the
        // file the system drops those of the others.
        try shared.openReaders(settings.directory.database, vfs: settings.vfs) { () throws(StoreError) in
            connection.close()
            let database = try Database.open(
                in: settings.directory, vfs: settings.vfs, randomness: settings.randomness)
            connection = database.connection
            isWritable = database.isWritable
            return database.readMode
        }
    }
}
