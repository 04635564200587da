internal import CLinux
internal import Glibc

/// What the process gives up at its start, so that no token leaves by a core dump (design.md, promise 4).
enum Hardening {
    static func apply() {
        _ = CLinux_forbid_dumps()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        umask(0o077)
    }
}
