internal import Platform
internal import Synchronization

/// A line that a person or a script is asked for.
struct Question: Hashable, Sendable {
    /// What errors call it: `token`.
    let name: String
    /// What a person reads, without a colon.
    let prompt: String
    /// Whether it is typed without its echo.
    let isSecret: Bool

    init(_ name: String, prompt: String? = nil, isSecret: Bool = false) {
        self.name = name
        self.prompt = prompt ?? name.prefix(1).uppercased() + name.dropFirst() + (isSecret ? " (not shown)" : "")
        self.isSecret = isSecret
    }
}

/// Where answers come from.
struct Input: Sendable {
    /// Whether a person can be asked: standard input and standard error are terminals.
    let isTerminal: Bool
    /// The next line without the space around it, maybe empty; from a terminal the question is asked. `nil` once the
    /// question is taken back.
    ///
    /// Throws `noInput`, where no line comes any more.
    let read: @Sendable (Question, Withdrawal) async throws(ControlFailure) -> String?

    /// Standard input.
    static var standard: Input {
        Input(isTerminal: LineInput.isTerminal) { (question, withdrawal) async throws(ControlFailure) in
            // On a thread of its own: a person takes their time, and the pool has few.
            let result: Result<String?, ControlFailure> = await withCheckedContinuation { continuation in
                do throws(OwnedThread.StartError) {
                    try OwnedThread.start {
                        continuation.resume(
                            returning: Result { () throws(ControlFailure) in
                                try LineInput.standardInput(question, until: withdrawal)
                            })
                    }
                } catch {
                    let reason = "no thread can be had: error \(error.code)"
                    continuation.resume(returning: .failure(LineInput.unreadable(question, "standard input", reason)))
                }
            }
            return try result.get()
        }
    }
}

/// Takes a question back while it stands, because what it asks for is not wanted any more.
final class Withdrawal: Sendable {
    private struct State {
        var isWithdrawn = false
        var listener: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func withdraw() {
        let listener = state.withLock { state in
            state.isWithdrawn = true
            defer { state.listener = nil }
            return state.listener
        }
        listener?()
    }

    /// Calls `listener` once, at once where it has happened already. There is one listener: who waits for the answer.
    func onWithdrawn(_ listener: @escaping @Sendable () -> Void) {
        let isWithdrawn = state.withLock { state in
            if !state.isWithdrawn { state.listener = listener }
            return state.isWithdrawn
        }
        if isWithdrawn { listener() }
    }
}
