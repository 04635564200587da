internal import Glibc

/// Reads lines that may be secrets: no error repeats any of them.
enum LineInput {
    /// The longest line that is read, in bytes: the daemon takes no longer requests either.
    static let limit = 65_536

    /// Whether a person sees questions and can answer them.
    static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// The next line of standard input; from a terminal, after the question, and of a secret without its echo.
    ///
    /// - returns: `nil` once it is taken back; what was typed by then is dropped.
    /// - throws: `noInput`.
    static func standardInput(_ question: Question, until withdrawal: Withdrawal) throws(ControlFailure) -> String? {
        guard isatty(STDIN_FILENO) == 1 else {
            return try text(of: bytes(of: STDIN_FILENO, question, "standard input"), question, "standard input")
        }
        return try Terminal(input: STDIN_FILENO, prompts: STDERR_FILENO).answer(question, until: withdrawal)
    }

    /// The first line of a file.
    ///
    /// - throws: `noInput`, also where it is empty.
    static func file(_ path: String, _ question: Question) throws(ControlFailure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(question, path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        return try line(of: descriptor, question, path)
    }

    /// The next line of a descriptor.
    ///
    /// - throws: `noInput`, also where it is empty.
    static func line(of descriptor: Int32, _ question: Question, _ source: String) throws(ControlFailure) -> String {
        let line = try text(of: bytes(of: descriptor, question, source), question, source)
        guard !line.isEmpty else { throw missing(question, source) }
        return line
    }

    static func unreadable(_ question: Question, _ source: String, _ reason: String) -> ControlFailure {
        ControlFailure(status: .noInput, message: "no \(question.name) from \(source): \(reason)")
    }

    static func missing(_ question: Question, _ source: String) -> ControlFailure {
        unreadable(question, source, "there is no \(question.name)")
    }

    /// A line without the space around it.
    ///
    /// - throws: `noInput`, where it is no UTF-8.
    static func text(
        of line: [UInt8], _ question: Question, _ source: String
    ) throws(ControlFailure) -> String {
        let isSpace = { (byte: UInt8) in byte <= UInt8(ascii: " ") }
        let trimmed = line.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard let text = String(validating: trimmed, as: UTF8.self) else {
            throw unreadable(question, source, "it is no text")
        }
        return text
    }

    /// All up to the first line break, to `terminator` (which is kept), or to the end.
    ///
    /// - throws: `noInput`, also where the end is all there is.
    static func bytes(
        of descriptor: Int32, _ question: Question, _ source: String, endingAt terminator: UInt8? = nil
    ) throws(ControlFailure) -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= limit {
            switch read(descriptor, &byte, 1) {
            case 0 where line.isEmpty: throw missing(question, source)
            case 0: return line
            case 1 where byte == UInt8(ascii: "\n"): return line
            case 1:
                line.append(byte)
                if byte == terminator { return line }
            case _:
                let code = errno
                guard code == EINTR else { throw unreadable(question, source, String(cString: strerror(code))) }
            }
        }
        throw unreadable(question, source, "its first line is longer than any \(question.name)")
    }
}
