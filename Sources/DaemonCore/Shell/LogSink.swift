internal import CSystemd
internal import FoundationEssentials
internal import Glibc
internal import Platform
internal import Synchronization

/// Where the log ends: journald with structured fields when standard error is the journal, else plain lines.
final class LogSink: Sendable {
    private let threshold: Mutex<Log.Level>
    private let journal: Bool
    private let isTerminal: Bool

    init(threshold: Log.Level, environment: [String: String]) {
        self.threshold = Mutex(threshold)
        journal = Self.isJournal(environment["JOURNAL_STREAM"])
        isTerminal = isatty(2) == 1
    }

    /// Changes how much is told, at once (SIGHUP).
    func set(_ level: Log.Level) { threshold.withLock { $0 = level } }

    /// The log that ends here.
    var log: Log {
        Log(threshold: .debug) { [self] level, sentence, fields in
            guard level <= threshold.withLock({ $0 }) else { return }
            if journal { toJournal(level, sentence, fields) } else { toStandardError(level, sentence, fields) }
        }
    }

    /// systemd names the journal's socket by device and inode: standard error is it, unless it was redirected since.
    private static func isJournal(_ stream: String?) -> Bool {
        var status = stat()
        guard let stream, fstat(2, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private func toJournal(_ level: Log.Level, _ sentence: StaticString, _ fields: [(String, String)]) {
        let entries = Self.journalFields(level, sentence, fields)
        let memory = entries.map { entry in
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: entry.utf8.count)
            _ = buffer.initialize(fromContentsOf: entry.utf8)
            return buffer
        }
        defer { memory.forEach { $0.deallocate() } }
        var vectors = memory.map { iovec(iov_base: UnsafeMutableRawPointer($0.baseAddress), iov_len: $0.count) }
        if sd_journal_sendv(&vectors, Int32(vectors.count)) < 0 { toStandardError(level, sentence, fields) }
    }

    /// The fields of one journal entry: the sentence alone is the message, so that it can be searched for.
    static func journalFields(_ level: Log.Level, _ sentence: StaticString, _ fields: [(String, String)]) -> [String] {
        let tail = fields.map { " \($0.0)=\(quoted($0.1))" }.joined()
        return ["MESSAGE=\(sentence)\(tail)", "PRIORITY=\(priority(level))", "SYSLOG_IDENTIFIER=wajubd"]
            + fields.map { "WAJUB_\($0.0.uppercased())=\($0.1)" }
    }

    static func priority(_ level: Log.Level) -> Int {
        switch level {
        case .fault: 2
        case .error: 3
        case .notice: 5
        case .info: 6
        case .debug: 7
        }
    }

    private func toStandardError(_ level: Log.Level, _ sentence: StaticString, _ fields: [(String, String)]) {
        let time = isTerminal ? Date().formatted(.iso8601) + " " : ""
        let line = Array((time + Self.line(level, sentence, fields) + "\n").utf8)
        // Where standard error is gone there is nobody left to tell.
        _ = write(2, line, line.count)
    }

    /// One line, whatever the values hold.
    static func line(_ level: Log.Level, _ sentence: StaticString, _ fields: [(String, String)]) -> String {
        "\(level): \(sentence)" + fields.map { " \($0.0)=\(quoted($0.1))" }.joined()
    }

    private static func quoted(_ value: String) -> String {
        let isPlain = !value.isEmpty && value.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3D }
        return isPlain ? value : value.debugDescription
    }
}
