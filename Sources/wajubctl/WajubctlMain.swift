import ControlCore
import Glibc
import Platform

@main
struct WajubctlMain {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        exit(await ControlProgram.run(arguments, environment: ProcessEnvironment.variables, console: .standard))
    }
}
