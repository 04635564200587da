internal import FoundationEssentials
internal import Glibc
internal import JSON
package import JSONRPC
package import PlatformTestSupport
internal import Transport

/// The real programs in a directory of their own, for end-to-end tests and measurements: a sandbox, a daemon that may be killed and
/// started again, a till.
package final class Stage: Sendable {
    /// What kept a program from doing its part.
    package struct StageError: Error, CustomStringConvertible {
        package let description: String

        package init(_ description: String) {
            self.description = description
        }
    }

    package let directory: String
    /// Where the programs were built.
    package let binaries: String

    /// A new directory; `binaries` defaults to where the running program lies.
    package init(binaries: String? = nil) throws {
        directory = FileManager.default.temporaryDirectory.path + "/wajub-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        self.binaries = try binaries ?? Self.ownDirectory()
    }

    private static func ownDirectory() throws -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { throw StageError("no /proc") }
        let own = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // A test bundle lies beside the programs; the test runner of the toolchain is told where by its first argument.
        let candidates = [own] + CommandLine.arguments
        for candidate in candidates {
            let directory = candidate.lastIndex(of: "/").map { String(candidate[..<$0]) } ?? "."
            if FileManager.default.isExecutableFile(atPath: directory + "/wajubd") { return directory }
        }
        throw StageError("wajubd was not found beside \(own)")
    }

    /// Removes the directory.
    package func clear() throws {
        try FileManager.default.removeItem(atPath: directory)
    }

    package var socket: String { directory + "/wajubd.sock" }
    package var state: String { directory + "/state" }

    /// Starts `wajub-sandbox`, and waits until it listens; `caFile` is what its TLS certificate is trusted by.
    package func startSandbox(_ arguments: [String] = [], caFile: String? = nil) async throws -> Sandbox {
        let process = try ChildProcess(binaries + "/wajub-sandbox", arguments)
        guard let line = await process.output.first(where: { $0.hasPrefix("{") }),
            let addresses = try? JSONValue(parsing: Array(line.utf8)[...]),
            let origin = addresses["api_origin"]?.string
        else { throw StageError("wajub-sandbox did not start: \(process.errors.lines)") }
        return try Sandbox(
            process: process, origin: origin, realtime: addresses["realtime"]?.string ?? "", caFile: caFile)
    }

    /// Starts `wajubd` on this stage's socket and state directory, and waits until it is ready.
    ///
    /// - parameter wrapper: a program and its arguments that run the daemon in their place (`prlimit`, say).
    package func startDaemon(
        origin: String, _ arguments: [String] = [], environment: [String: String] = [:], wrapper: [String] = []
    ) async throws -> ChildProcess {
        let command =
            wrapper + [binaries + "/wajubd", "--api-origin", origin, "--socket", socket, "--state-directory", state]
            + arguments
        let process = try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
        guard await process.errors.first(where: { $0.contains("ready") }) != nil else {
            throw StageError("wajubd did not start: \(process.errors.lines)")
        }
        return process
    }

    /// Starts `wajubd` with exactly these arguments.
    package func runDaemon(_ arguments: [String], environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(binaries + "/wajubd", arguments, environment: environment)
    }

    /// Starts `wajubctl` on this stage's socket.
    package func runControl(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess(binaries + "/wajubctl", ["--socket", socket] + arguments)
    }

    /// A till's connection.
    package func till() throws -> RPCClient {
        try RPCClient(path: socket)
    }
}
