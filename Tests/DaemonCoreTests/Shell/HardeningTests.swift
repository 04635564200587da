import CLinux
import Glibc
import Testing

@testable import DaemonCore

@Suite("Hardening")
struct HardeningTests {
    @Test("No core dump is written, others of the user cannot look in, and new files are for the user alone")
    func apply() async {
        await #expect(processExitsWith: .success) {
            try Hardening.apply()
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            #expect(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
            #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
            #expect(Glibc.umask(0) == 0o077)
            #expect(CLinux_dumps_allowed() == 0)
        }
    }

    @Test("Exit codes are those of the protocol")
    func exitCodes() {
        #expect(ExitCode.ended.rawValue == 0)
        #expect(ExitCode.usage.rawValue == 64)
        #expect(ExitCode.cannotCreate.rawValue == 73)
        #expect(ExitCode.heldElsewhere.rawValue == 75)
        #expect(ExitCode.badStore.rawValue == 78)
    }
}
