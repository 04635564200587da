import ControlCore
import Glibc

@main
struct WajubctlMain {
    static func main() async {
        // A token passes through this process: no core dump may carry it. Where the limit is not taken, none is written
        // either unless the administrator asked for it.
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        exit(await ControlProgram.run(Array(CommandLine.arguments.dropFirst()), in: .process).rawValue)
    }
}
