internal import CLinux
internal import Glibc

/// What the process gives up at its start, so that no token leaves by a core dump (design.md, promise 4).
enum Hardening {
    /// No core dumps, no reading of its memory by others of its user, and new files for its user alone.
    ///
    /// Giving up cannot fail by prctl(2) and setrlimit(2); where something forbids even that, the process ends before
    /// it has seen a token.
    static func apply() {
        // Both: a core pattern with a pipe does not look at the limit.
        precondition(CLinux_forbid_dumps() == 0, "PR_SET_DUMPABLE could not be cleared")
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        let code = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        precondition(code == 0, "RLIMIT_CORE could not be lowered")
        umask(0o077)
    }
}
