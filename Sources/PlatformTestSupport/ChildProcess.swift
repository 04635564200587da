internal import CLinux
internal import Glibc
internal import Platform
internal import Synchronization

/// A program run for a test or a measurement: its output as lines to wait for, its end to wait for.
package final class ChildProcess: Sendable {
    /// How a process ended.
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(by: Int32)
    }

    /// What could not be started, and the error number.
    package struct SpawnError: Error {
        package let path: String
        package let code: Int32
    }

    private struct State {
        var ending: Ending?
        var watchers: [CheckedContinuation<Ending, Never>] = []
    }

    package let pid: Int32
    package let output: OutputLines
    package let errors: OutputLines
    private let state = Mutex(State())

    /// Starts `path` with exactly this environment, and nothing on its standard input.
    ///
    /// - parameter passed: becomes the child's descriptor 3, as in socket activation; stays the caller's to close.
    package init(_ path: String, _ arguments: [String], environment: [String: String] = [:], passed: Int32? = nil)
        throws
    {
        var (output, errors): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard CLinux_pipe(&output) == 0, CLinux_pipe(&errors) == 0 else {
            throw SpawnError(path: path, code: errno)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output[1], 1)
        posix_spawn_file_actions_adddup2(&actions, errors[1], 2)
        // After the pipes: one of their ends may be 3 itself.
        if let passed { posix_spawn_file_actions_adddup2(&actions, passed, 3) }

        var argv: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + variables).forEach { free($0) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, path, &actions, nil, &argv, &variables)
        close(output[1])
        close(errors[1])
        guard code == 0 else {
            close(output[0])
            close(errors[0])
            throw SpawnError(path: path, code: code)
        }
        self.pid = pid
        self.output = try OutputLines(reading: output[0])
        self.errors = try OutputLines(reading: errors[0])
        try OwnedThread.start { self.waitForEnd() }
    }

    private func waitForEnd() {
        var status: Int32 = 0
        // Seen as ended before it is reaped: a signal is never sent to a number that belongs to somebody else.
        var seen = siginfo_t()
        while waitid(P_PID, id_t(pid), &seen, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        let watchers = state.withLock { state in
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            state.ending = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(by: signal)
            defer { state.watchers = [] }
            return state.watchers.map { ($0, state.ending) }
        }
        for (watcher, ending) in watchers { if let ending { watcher.resume(returning: ending) } }
    }

    /// Sends a signal; nothing happens where the process has ended.
    package func signal(_ number: Int32) {
        state.withLock { state in
            if state.ending == nil { _ = kill(pid, number) }
        }
    }

    /// Waits for the end.
    @discardableResult
    package func ended() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state in
                if state.ending == nil { state.watchers.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    package var hasEnded: Bool { state.withLock { $0.ending != nil } }
}

/// The lines that a process writes to one of its outputs, kept to be waited for and looked at.
package final class OutputLines: Sendable {
    private struct State {
        var lines: [String] = []
        var isComplete = false
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Reads a descriptor to its end on a thread of its own, and closes it.
    init(reading descriptor: Int32) throws {
        try OwnedThread.start { self.read(descriptor) }
    }

    private func read(_ descriptor: Int32) {
        var rest: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest += chunk[..<count]
            var lines: [String] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
            add(lines, isComplete: false)
        }
        close(descriptor)
        add(rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)], isComplete: true)
    }

    private func add(_ lines: [String], isComplete: Bool) {
        let watchers = state.withLock { state in
            state.lines += lines
            state.isComplete = isComplete
            defer { state.watchers = [] }
            return state.watchers
        }
        watchers.forEach { $0.resume() }
    }

    /// All lines so far.
    package var lines: [String] { state.withLock { $0.lines } }

    /// The first line that is wanted, past and future; nil when the output ended without one.
    package func first(where isWanted: (String) -> Bool) async -> String? {
        while true {
            let (found, isComplete, count) = state.withLock { state in
                (state.lines.first(where: isWanted), state.isComplete, state.lines.count)
            }
            if found != nil || isComplete { return found }
            await withCheckedContinuation { continuation in
                let hasMore = state.withLock { state in
                    if state.lines.count > count || state.isComplete { return true }
                    state.watchers.append(continuation)
                    return false
                }
                if hasMore { continuation.resume() }
            }
        }
    }
}
