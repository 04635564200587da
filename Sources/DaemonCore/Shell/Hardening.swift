internal import CLinux
internal import Glibc

/// What the process gives up at its start, so that no token leaves by a core dump (design.md, promise 4).
enum Hardening {
    /// No core dumps, no reading of its memory by others of its user, and new files for its user alone.
    ///
    /// - throws: ``StartFailure`` where something, a system call filter say, forbids even giving up: no token is seen then.
    static func apply() throws(StartFailure) {
        // Both: a core pattern with a pipe does not look at the limit.
        guard CLinux_forbid_dumps() == 0 else { throw failure("PR_SET_DUMPABLE") }
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0 else { throw failure("RLIMIT_CORE") }
        umask(0o077)
    }

    private static func failure(_ what: String) -> StartFailure {
        StartFailure(.faulted, "core dumps cannot be forbidden (\(what)): \(String(cString: strerror(errno)))")
    }
}
