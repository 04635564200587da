internal import CSystemd
internal import FoundationEssentials
internal import Glibc
internal import Platform
internal import Synchronization

/// Where the log ends: journald with structured fields when standard error is the journal, else plain lines.
final class LogSink: Sendable {
    /// Whether what was given arrived.
    typealias Send = @Sendable (_ entry: [String]) -> Bool

    /// Where the lines go that the journal does not take.
    struct Lines: Sendable {
        /// Each line begins with the time: a person looks on.
        let now: (@Sendable () -> Date)?
        let write: @Sendable (String) -> Void
    }

    private let threshold: Mutex<Log.Level>
    private let journal: Send?
    private let lines: Lines

    /// - parameter journal: sends one entry of `NAME=value` fields; nil where there is no journal. What it does not take
    ///   goes to `lines`.
    init(threshold: Log.Level, journal: Send?, lines: Lines) {
        self.threshold = Mutex(threshold)
        self.journal = journal
        self.lines = lines
    }

    /// The process's own: the journal if standard error is it, else standard error.
    convenience init(threshold: Log.Level, environment: [String: String]) {
        let journal: Send = { Self.sendToJournal($0) }
        let now: @Sendable () -> Date = { Date() }
        let isJournal = Self.isJournal(environment["JOURNAL_STREAM"], descriptor: 2)
        let lines = Lines(now: isatty(2) == 1 ? now : nil) { Self.writeLine($0, to: 2) }
        self.init(threshold: threshold, journal: isJournal ? journal : nil, lines: lines)
    }

    /// Changes how much is told, at once (SIGHUP).
    func set(_ level: Log.Level) { threshold.withLock { $0 = level } }

    /// The log that ends here.
    var log: Log {
        // The threshold is here, not in the log: logs are values, and many parts hold one.
        Log(threshold: .debug) { [self] level, sentence, fields in
            guard level <= threshold.withLock({ $0 }) else { return }
            if let journal, journal(LogEntry.journalFields(level, sentence, fields)) { return }
            let time = lines.now.map { $0().formatted(.iso8601) + " " } ?? ""
            lines.write(time + LogEntry.line(level, sentence, fields) + "\n")
        }
    }
}

// MARK: The process's own ends

extension LogSink {
    /// systemd names the journal's socket by device and inode: the descriptor is it, unless it was redirected since.
    static func isJournal(_ stream: String?, descriptor: Int32) -> Bool {
        var status = stat()
        guard let stream, fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private static func sendToJournal(_ entry: [String]) -> Bool {
        let memory = entry.map { field in
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: field.utf8.count)
            _ = buffer.initialize(fromContentsOf: field.utf8)
            return buffer
        }
        defer { memory.forEach { $0.deallocate() } }
        var vectors = memory.map { iovec(iov_base: UnsafeMutableRawPointer($0.baseAddress), iov_len: $0.count) }
        return sd_journal_sendv(&vectors, Int32(vectors.count)) >= 0
    }

    /// In one piece where the descriptor takes it, so that lines of two threads do not mix.
    static func writeLine(_ line: String, to descriptor: Int32) {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Where standard error is gone there is nobody left to tell.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
