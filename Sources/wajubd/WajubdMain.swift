import CExecutor
import DaemonCore
import Glibc
import Platform

// No `await` in main: the runtime would wait for it with libdispatch.
@main
struct WajubdMain {
    static func main() {
        CExecutor_install()
        let arguments = Array(CommandLine.arguments.dropFirst())
        Task.detached { exit(await Program.run(arguments, environment: ProcessEnvironment.variables)) }
        CExecutor_run()
    }
}
