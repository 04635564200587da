internal import Glibc

/// Where the tool writes, and whether a person reads it.
package struct Console: Sendable {
    let output: @Sendable (String) -> Void
    let complain: @Sendable (String) -> Void
    /// Whether a line may be rewritten in place.
    let isLive: Bool

    package init(
        output: @escaping @Sendable (String) -> Void, complain: @escaping @Sendable (String) -> Void, isLive: Bool
    ) {
        self.output = output
        self.complain = complain
        self.isLive = isLive
    }

    /// Standard output and standard error.
    package static var standard: Console {
        Console(
            output: { text in
                print(text, terminator: "")
                fflush(nil)
            },
            complain: { text in
                let line = Array("wajubctl: \(text)\n".utf8)
                // Nobody is left to tell where standard error is gone.
                _ = write(2, line, line.count)
            }, isLive: isatty(1) == 1)
    }

    func line(_ text: String) { output(text + "\n") }

    /// Rewrites the live line; an empty text clears it.
    func live(_ text: String) {
        if isLive { output("\r\u{1B}[K" + text) }
    }
}
