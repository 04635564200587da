import DaemonCore
import Glibc
import Platform

@main
struct WajubdMain {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(await Program.run(arguments, environment: ProcessEnvironment.variables))
    }
}
