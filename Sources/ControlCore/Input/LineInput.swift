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
        return question.isSecret ? try typedUnseen(question, withdrawal) : try typed(question, withdrawal)
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

    private static func text(
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
    private static func bytes(
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

// MARK: Terminals

extension LineInput {
    private static func typed(_ question: Question, _ withdrawal: Withdrawal) throws(ControlFailure) -> String? {
        prompt(question.prompt + ": ")
        guard try isLineTyped(question, withdrawal) else {
            prompt("\n")
            return nil
        }
        do throws(ControlFailure) {
            return try text(of: bytes(of: STDIN_FILENO, question, "the terminal"), question, "the terminal")
        } catch {
            // Ctrl-D leaves the cursor behind the question.
            prompt("\n")
            throw error
        }
    }

    private static func typedUnseen(_ question: Question, _ withdrawal: Withdrawal) throws(ControlFailure) -> String? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else {
            throw unreadable(question, "the terminal", String(cString: strerror(errno)))
        }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Ctrl-C ends the line instead of the process, so that the echo comes back in any case.
        let interrupt: UInt8 = 3
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else {
            throw unreadable(question, "the terminal", "its echo cannot be turned off")
        }
        prompt(question.prompt + ": ")
        let read = Result { () throws(ControlFailure) in
            guard try isLineTyped(question, withdrawal) else { return [UInt8]?.none }
            return try bytes(of: STDIN_FILENO, question, "the terminal", endingAt: interrupt)
        }
        // Nothing can be done about a terminal that does not take its settings back.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
        prompt("\n")
        guard let line = try read.get() else { return nil }
        if line.last == interrupt {
            // To the process: this thread blocks every signal. Where it is ignored, the failure ends the tool.
            kill(getpid(), SIGINT)
            throw unreadable(question, "the terminal", "interrupted")
        }
        return try text(of: line, question, "the terminal")
    }

    /// Waits for a whole line, or for the question to be taken back.
    private static func isLineTyped(_ question: Question, _ withdrawal: Withdrawal) throws(ControlFailure) -> Bool {
        guard let wake = Wake() else { throw unreadable(question, "the terminal", String(cString: strerror(errno))) }
        withdrawal.onWithdrawn { wake.write() }
        var watched = [STDIN_FILENO, wake.readEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&watched, nfds_t(watched.count), -1) < 0 {
            let code = errno
            guard code == EINTR else { throw unreadable(question, "the terminal", String(cString: strerror(code))) }
        }
        guard watched[1].revents != 0 else { return true }
        // Half a line must not begin the next answer.
        tcflush(STDIN_FILENO, TCIFLUSH)
        return false
    }

    /// A pipe that ends a `poll`.
    private final class Wake: Sendable {
        let readEnd: Int32
        private let writeEnd: Int32

        init?() {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return nil }
            (readEnd, writeEnd) = (ends[0], ends[1])
        }

        deinit {
            close(readEnd)
            close(writeEnd)
        }

        func write() {
            var byte: UInt8 = 1
            // The pipe is empty: it takes one byte.
            Glibc.write(writeEnd, &byte, 1)
        }
    }

    /// To standard error: standard output is for the answer.
    private static func prompt(_ text: String) {
        let bytes = Array(text.utf8)
        // A prompt that cannot be shown is no reason to stop.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
