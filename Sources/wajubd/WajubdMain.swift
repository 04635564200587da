import DaemonCore
import Glibc

@main
struct WajubdMain {
    static func main() async {
        exit(await Program.run(Array(CommandLine.arguments.dropFirst()), environment: variables()))
    }

    private static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return variables
    }
}
