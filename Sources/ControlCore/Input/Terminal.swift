internal import Glibc

/// A terminal with a person at it.
struct Terminal {
    let input: Int32
    /// Where questions are shown: standard error, as standard output is for the answer.
    let prompts: Int32

    /// The next line that is typed, of a secret without its echo.
    ///
    /// - returns: `nil` once the question is taken back; what was typed by then is dropped.
    /// - throws: `noInput`.
    func answer(_ question: Question, until withdrawal: Withdrawal) throws(ControlFailure) -> String? {
        question.isSecret ? try typedUnseen(question, withdrawal) : try typed(question, withdrawal)
    }

    private func typed(_ question: Question, _ withdrawal: Withdrawal) throws(ControlFailure) -> String? {
        prompt(question.prompt + ": ")
        guard try isLineTyped(question, withdrawal) else {
            prompt("\n")
            return nil
        }
        do throws(ControlFailure) {
            return try LineInput.text(
                of: LineInput.bytes(of: input, question, "the terminal"), question, "the terminal")
        } catch {
            // Ctrl-D leaves the cursor behind the question.
            prompt("\n")
            throw error
        }
    }

    private func typedUnseen(_ question: Question, _ withdrawal: Withdrawal) throws(ControlFailure) -> String? {
        var before = termios()
        guard tcgetattr(input, &before) == 0 else {
            throw LineInput.unreadable(question, "the terminal", String(cString: strerror(errno)))
        }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Ctrl-C ends the line instead of the process, so that the echo comes back in any case.
        let interrupt: UInt8 = 3
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VEOL)] = interrupt }
        guard tcsetattr(input, TCSAFLUSH, &silent) == 0 else {
            throw LineInput.unreadable(question, "the terminal", "its echo cannot be turned off")
        }
        prompt(question.prompt + ": ")
        let read = Result { () throws(ControlFailure) in
            guard try isLineTyped(question, withdrawal) else { return [UInt8]?.none }
            return try LineInput.bytes(of: input, question, "the terminal", endingAt: interrupt)
        }
        // Nothing can be done about a terminal that does not take its settings back.
        tcsetattr(input, TCSAFLUSH, &before)
        prompt("\n")
        guard let line = try read.get() else { return nil }
        if line.last == interrupt {
            // To the process: this thread blocks every signal. Where it is ignored, the failure ends the tool.
            kill(getpid(), SIGINT)
            throw LineInput.unreadable(question, "the terminal", "interrupted")
        }
        return try LineInput.text(of: line, question, "the terminal")
    }

    /// Waits for a whole line, or for the question to be taken back.
    private func isLineTyped(_ question: Question, _ withdrawal: Withdrawal) throws(ControlFailure) -> Bool {
        guard let wake = Wake() else {
            throw LineInput.unreadable(question, "the terminal", String(cString: strerror(errno)))
        }
        withdrawal.onWithdrawn { wake.write() }
        var watched = [input, wake.readEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&watched, nfds_t(watched.count), -1) < 0 {
            let code = errno
            guard code == EINTR else {
                throw LineInput.unreadable(question, "the terminal", String(cString: strerror(code)))
            }
        }
        guard watched[1].revents != 0 else { return true }
        // Half a line must not begin the next answer.
        tcflush(input, TCIFLUSH)
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

    private func prompt(_ text: String) {
        let bytes = Array(text.utf8)
        // A prompt that cannot be shown is no reason to stop.
        _ = write(prompts, bytes, bytes.count)
    }
}
