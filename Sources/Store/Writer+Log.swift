internal import Glibc

// The write-ahead log: copied into the database when it is long, cut to nothing after an erasure.
extension Writer {
    /// A token was erased: the log that still holds it has to be cut within ``Settings/erasureDelay``.
    func scheduleErasure() {
        if erasureDue == nil { erasureDue = Self.monotonic(in: settings.erasureDelay) }
    }

    func checkpointIfLong() {
        guard fault == nil, isWritable, connection.pagesInLog >= Self.pagesBeforeCheckpoint else { return }
        do throws(StoreError) { try connection.checkpoint(.passive) } catch { report(error) }
    }

    func truncateLogIfDue() {
        guard let due = erasureDue, Self.isPast(due) else { return }
        // Its failure is reported where it happens, and it stays due.
        _ = truncateLog()
    }

    /// Cuts the log to nothing. When a reader is in the way, or the disk, it is tried again after the delay.
    func truncateLog() -> Result<Void, StoreError> {
        if let fault {
            erasureDue = nil
            return .failure(fault)
        }
        guard isWritable else { return .failure(.readOnly) }
        do throws(StoreError) {
            try connection.checkpoint(.truncate, timeoutMilliseconds: Self.checkpointTimeoutMilliseconds)
            erasureDue = nil
            return .success(())
        } catch {
            let cause = report(error)
            erasureDue = fault == nil ? Self.monotonic(in: max(settings.erasureDelay, .seconds(1))) : nil
            return .failure(cause)
        }
    }

    private static func monotonic(in delay: Duration = .zero) -> timespec {
        var time = timespec()
        // Cannot fail: the clock exists and the pointer is valid.
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = Int64(time.tv_nsec) + delay.components.attoseconds / 1_000_000_000
        time.tv_sec += Int(delay.components.seconds + nanoseconds / 1_000_000_000)
        time.tv_nsec = Int(nanoseconds % 1_000_000_000)
        return time
    }

    private static func isPast(_ time: timespec) -> Bool {
        let now = monotonic()
        return (now.tv_sec, now.tv_nsec) >= (time.tv_sec, time.tv_nsec)
    }
}
