/// A log of constant sentences with the data as fields.
///
/// Where it ends (journald, a terminal, nowhere) is the sink's choice. A function logs an error or throws it, never both.
package struct Log: Sendable {
    /// How much a line matters. A fault is this program's own bug.
    package enum Level: Int, Sendable, CaseIterable, Comparable {
        case fault, error, notice, info, debug

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Takes one line: level, sentence, fields in order. Field names are lower-case with underscores.
    package typealias Sink = @Sendable (Level, StaticString, [(String, String)]) -> Void

    private let threshold: Level
    private let fields: [(String, String)]
    private let sink: Sink

    /// A log that drops what is less important than `threshold`.
    package init(threshold: Level, sink: @escaping Sink) {
        self.init(threshold: threshold, fields: [], sink: sink)
    }

    private init(threshold: Level, fields: [(String, String)], sink: @escaping Sink) {
        self.threshold = threshold
        self.fields = fields
        self.sink = sink
    }

    /// A log that keeps nothing.
    package static let none = Log(threshold: .fault) { _, _, _ in }

    /// The same log with a field on every line.
    package func with(_ name: String, _ value: String) -> Log {
        Log(threshold: threshold, fields: fields + [(name, value)], sink: sink)
    }

    package func fault(_ sentence: StaticString, _ fields: (String, String)...) { write(.fault, sentence, fields) }
    package func error(_ sentence: StaticString, _ fields: (String, String)...) { write(.error, sentence, fields) }
    package func notice(_ sentence: StaticString, _ fields: (String, String)...) { write(.notice, sentence, fields) }
    package func info(_ sentence: StaticString, _ fields: (String, String)...) { write(.info, sentence, fields) }
    package func debug(_ sentence: StaticString, _ fields: (String, String)...) { write(.debug, sentence, fields) }

    private func write(_ level: Level, _ sentence: StaticString, _ more: [(String, String)]) {
        guard level <= threshold else { return }
        sink(level, sentence, fields + more)
    }
}
