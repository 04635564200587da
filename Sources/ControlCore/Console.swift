internal import Glibc

/// Where the tool writes, and whether a person reads it.
package struct Console: Sendable {
    let output: @Sendable (String) -> Void
    let complaint: @Sendable (String) -> Void
    /// Whether the output is a terminal.
    let isTerminal: Bool

    /// - parameter output: takes text as it is; `complaint` takes one line without its ending.
    package init(
        isTerminal: Bool, output: @escaping @Sendable (String) -> Void, complaint: @escaping @Sendable (String) -> Void
    ) {
        self.output = output
        self.complaint = complaint
        self.isTerminal = isTerminal
    }

    /// Standard output and standard error. Where the output cannot be written, the process ends (74): a script must not
    /// take half an answer for a whole one.
    package static var standard: Console {
        Console(isTerminal: isatty(STDOUT_FILENO) == 1) { text in
            guard !write(text, to: STDOUT_FILENO) else { return }
            let reason = String(cString: strerror(errno))
            // Nobody is left to tell where standard error is gone too.
            _ = write("wajubctl: standard output cannot be written: \(reason)\n", to: STDERR_FILENO)
            exit(ExitCode.noOutput.rawValue)
        } complaint: { text in
            _ = write("wajubctl: \(text)\n", to: STDERR_FILENO)
        }
    }

    func line(_ text: String) { output(text + "\n") }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno != EINTR { return false }
            rest = rest.dropFirst(max(count, 0))
        }
        return true
    }
}
