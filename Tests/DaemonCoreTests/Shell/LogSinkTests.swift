import FoundationEssentials
import Glibc
import Platform
import Synchronization
import Testing

@testable import DaemonCore

/// Keeps what a log wrote.
final class Written: Sendable {
    private let entries = Mutex<[[String]]>([])

    func add(_ entry: [String]) { entries.withLock { $0.append(entry) } }
    var all: [[String]] { entries.withLock { $0 } }
}

@Suite("The log's end")
struct LogSinkTests {
    private let journal = Written()
    private let lines = Written()

    private func sink(
        _ threshold: Log.Level = .debug, journalTakes: Bool? = nil, now: (@Sendable () -> Date)? = nil
    ) -> LogSink {
        let send = journalTakes.map { takes -> LogSink.Send in
            { [journal] entry in
                journal.add(entry)
                return takes
            }
        }
        return LogSink(
            threshold: threshold, journal: send, lines: LogSink.Lines(now: now) { [lines] in lines.add([$0]) })
    }

    @Test("The journal gets the sentence with its data, the priority, and each value as a field of its own")
    func journalFields() {
        sink(journalTakes: true).log.with("payment", "pay_1").notice("read answered", ("http_status", "200"))
        let entry = [
            "MESSAGE=read answered payment=pay_1 http_status=200", "PRIORITY=5", "SYSLOG_IDENTIFIER=wajubd",
            "WAJUB_PAYMENT=pay_1", "WAJUB_HTTP_STATUS=200",
        ]
        #expect(journal.all == [entry])
        #expect(lines.all == [])
    }

    @Test("What the journal does not take is a line on standard error")
    func journalGone() {
        sink(journalTakes: false).log.error("no answer", ("reason", "timeout"))
        #expect(journal.all.count == 1)
        #expect(lines.all == [["error: no answer reason=timeout\n"]])
    }

    @Test(
        "Levels are told as syslog's priorities",
        arguments: zip([Log.Level.fault, .error, .notice, .info, .debug], [2, 3, 5, 6, 7]))
    func priorities(level: Log.Level, priority: Int) {
        #expect(LogEntry.journalFields(level, "x", [])[1] == "PRIORITY=\(priority)")
    }

    @Test("What is less important than the level is not told, and a change of the level holds for logs made before")
    func levels() {
        let sink = sink(.notice)
        let log = sink.log.with("part", "store")
        log.info("one")
        log.notice("two")
        sink.set(.debug)
        log.debug("three")
        sink.set(.fault)
        log.error("four")
        log.fault("five")
        #expect(
            lines.all == [
                ["notice: two part=store\n"], ["debug: three part=store\n"], ["fault: five part=store\n"],
            ])
    }

    @Test("A terminal gets the time before each line")
    func terminal() {
        sink(now: { Date(timeIntervalSince1970: 1_800_000_000) }).log.notice("ready")
        #expect(lines.all == [["2027-01-15T08:00:00Z notice: ready\n"]])
    }

    @Test(
        "A value that is no plain word is quoted, and what would break the line or fool a terminal is escaped",
        arguments: [
            ("plain-1.2:/x", "plain-1.2:/x"), ("", "\"\""), ("two words", "\"two words\""), ("a=b", "\"a=b\""),
            ("say \"no\"", "\"say \\\"no\\\"\""), ("back\\slash", "\"back\\\\slash\""), ("é", "\"é\""),
            ("a\nb\r\tc", "\"a\\nb\\r\\tc\""), ("a\r\nb", "\"a\\r\\nb\""), ("\u{0}", "\"\\u{0}\""),
            ("\u{1B}[2J", "\"\\u{1B}[2J\""), ("\u{9B}2J", "\"\\u{9B}2J\""), ("a\u{85}b", "\"a\\u{85}b\""),
            ("a\u{2028}b\u{2029}", "\"a\\u{2028}b\\u{2029}\""), ("\u{202E}x", "\"\\u{202E}x\""),
        ])
    func quoting(value: String, written: String) {
        #expect(LogEntry.line(.info, "x", [("v", value)]) == "info: x v=" + written)
    }

    @Test("A value in the journal's own field keeps its quotes, and is one line too")
    func journalValue() {
        let entry = LogEntry.journalFields(.info, "x", [("reason", "say \"no\"\nPRIORITY=0")])
        #expect(entry.last == "WAJUB_REASON=say \"no\"\\nPRIORITY=0")
        #expect(entry.allSatisfy { !$0.contains { $0.isNewline } })
    }

    @Test("A very long value is cut off, and says so")
    func longValue() {
        let longest = String(repeating: "x", count: LogEntry.longestValue)
        #expect(LogEntry.line(.info, "x", [("v", longest)]) == "info: x v=" + longest)
        #expect(LogEntry.line(.info, "x", [("v", longest + "y")]) == "info: x v=\"" + longest + "…\"")
    }

    @Test("Standard error is the journal only where systemd's variable names that very descriptor")
    func journalStream() throws {
        try Scratch.withPipe { read, write in
            var status = stat()
            #expect(fstat(write, &status) == 0)
            let name = "\(status.st_dev):\(status.st_ino)"
            #expect(LogSink.isJournal(name, descriptor: write))
            #expect(!LogSink.isJournal("\(status.st_dev):\(status.st_ino + 1)", descriptor: write))
            #expect(!LogSink.isJournal("", descriptor: write))
            #expect(!LogSink.isJournal(nil, descriptor: write))
            #expect(!LogSink.isJournal(name, descriptor: -1))
            #expect(read >= 0)
        }
    }

    @Test("A line arrives whole at the descriptor, and nothing happens where that is closed")
    func writeLine() throws {
        try Scratch.withPipe { read, write in
            LogSink.writeLine("notice: ready\n", to: write)
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = Glibc.read(read, &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == "notice: ready\n")
        }
        LogSink.writeLine("nobody hears\n", to: -1)
    }
}
