internal import Glibc

/// Reads a token, which no error repeats.
enum SecretInput {
    /// The longest token that is read, in bytes: the daemon takes no longer requests either.
    static let limit = 65_536

    /// One line of standard input; from a terminal, without its echo.
    ///
    /// - throws: `noInput`.
    static func standardInput() throws(ControlFailure) -> String {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return try line(of: STDIN_FILENO, named: "standard input") }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Ctrl-C ends the line instead of the process, so that the echo comes back in any case.
        let interrupt: UInt8 = 3
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else {
            throw unreadable("standard input", "its echo cannot be turned off")
        }
        prompt("Token (not shown): ")
        let read = Result { () throws(ControlFailure) in
            try bytes(of: STDIN_FILENO, named: "standard input", endingAt: interrupt)
        }
        // Nothing can be done about a terminal that does not take its settings back.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
        prompt("\n")
        let typed = try read.get()
        if typed.last == interrupt {
            // To the process: this thread may be one of the pool's, which block every signal. Where it is ignored, the
            // failure ends the tool.
            kill(getpid(), SIGINT)
            throw unreadable("standard input", "interrupted")
        }
        return try token(typed, named: "standard input")
    }

    /// The first line of a file.
    ///
    /// - throws: `noInput`.
    static func file(_ path: String) throws(ControlFailure) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        return try line(of: descriptor, named: path)
    }

    static func line(of descriptor: Int32, named name: String) throws(ControlFailure) -> String {
        try token(try bytes(of: descriptor, named: name, endingAt: nil), named: name)
    }

    private static func token(_ line: [UInt8], named name: String) throws(ControlFailure) -> String {
        let isSpace = { (byte: UInt8) in byte <= UInt8(ascii: " ") }
        let trimmed = line.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard let token = String(validating: trimmed, as: UTF8.self) else { throw unreadable(name, "it is no text") }
        guard !token.isEmpty else { throw unreadable(name, "there is no token") }
        return token
    }

    /// All up to the first line break, to `terminator` (which is kept), or to the end.
    private static func bytes(
        of descriptor: Int32, named name: String, endingAt terminator: UInt8?
    ) throws(ControlFailure) -> [UInt8] {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count <= limit {
            switch read(descriptor, &byte, 1) {
            case 0: return line
            case 1 where byte == UInt8(ascii: "\n"): return line
            case 1:
                line.append(byte)
                if byte == terminator { return line }
            case _:
                let code = errno
                guard code == EINTR else { throw unreadable(name, String(cString: strerror(code))) }
            }
        }
        throw unreadable(name, "its first line is longer than any token")
    }

    private static func unreadable(_ name: String, _ reason: String) -> ControlFailure {
        ControlFailure(status: .noInput, message: "no token from \(name): \(reason)")
    }

    /// To standard error: standard output is for the answer.
    private static func prompt(_ text: String) {
        let bytes = Array(text.utf8)
        // A prompt that cannot be shown is no reason to stop.
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
