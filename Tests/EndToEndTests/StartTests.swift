import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension EndToEnd {
    /// What the daemon does with the place it is given: options, socket, store.
    @Suite struct Starts {
        private struct Refusal: Hashable {
            let ending: ChildProcess.Ending
            let line: String
        }

        /// Runs a daemon that is expected not to start: how it ended, and the one line it wrote.
        private func refusal(_ stage: Stage, _ arguments: [String], _ environment: [String: String] = [:]) async throws
            -> Refusal
        {
            let process = try stage.runDaemon(arguments, environment: environment)
            let ending = await process.ended()
            _ = await process.errors.first { _ in false }
            let lines = process.errors.lines.filter { $0.hasPrefix("wajubd: ") }
            #expect(lines.count == 1, "\(process.errors.lines)")
            return Refusal(ending: ending, line: lines.first ?? "")
        }

        private func onStage(_ body: (Stage) async throws -> Void) async throws {
            let stage = try Stage()
            defer { #expect(throws: Never.self) { try stage.clear() } }
            try await body(stage)
        }

        private func places(_ stage: Stage) -> [String] {
            ["--socket", stage.socket, "--state-directory", stage.state]
        }

        @Test(
            "A bad option ends it with 64 and one line that names the option",
            arguments: [
                (["--api-origin", "http://example.com"], "--api-origin"),
                (["--api-origin", "ftp://127.0.0.1"], "--api-origin"),
                (["--api-origin", "https://user@example.com"], "--api-origin"), (["--speed", "2"], "--speed"),
                (["--api-origin", "https://example.com", "--speed", "2"], "--speed"),
                (["--socet", "/tmp/x"], "--socket"),
                (["--log-level", "loud"], "--log-level"), (["--retention-days", "0"], "--retention-days"),
                (["--ca-file", "/nowhere"], "--ca-file"), (["--realtime", "http://a:1"], "--realtime"),
                (["--socket"], "--socket"),
                (["--follow-up-seconds", "-1"], "--follow-up-seconds"), (["now"], "now"),
            ] as [([String], String)])
        func badOptions(arguments: [String], named: String) async throws {
            try await onStage { stage in
                let refusal = try await refusal(stage, arguments)
                #expect(refusal.ending == .exited(64))
                #expect(refusal.line.contains(named))
            }
        }

        @Test("A bad value in the environment names its variable or option")
        func badEnvironment() async throws {
            try await onStage { stage in
                let refusal = try await refusal(stage, [], ["WAJUBD_API_ORIGIN": "http://example.com"])
                #expect(refusal.ending == .exited(64))
                #expect(refusal.line.contains("WAJUBD_API_ORIGIN") || refusal.line.contains("--api-origin"))
            }
        }

        @Test(
            "--version and --help say so and end well",
            arguments: [("--version", "wajubd "), ("--help", "--api-origin")])
        func tells(option: String, words: String) async throws {
            try await onStage { stage in
                let process = try stage.runDaemon([option])
                #expect(await process.ended() == .exited(0))
                _ = await process.output.first { _ in false }
                #expect(process.output.lines.contains { $0.contains(words) })
                #expect(process.errors.lines.isEmpty)
            }
        }

        @Test("--check ends well with good options, and touches no socket")
        func checks() async throws {
            try await onStage { stage in
                let process = try stage.runDaemon(places(stage) + ["--check"])
                #expect(await process.ended() == .exited(0))
                #expect(!FileManager.default.fileExists(atPath: stage.socket))
                #expect(try await refusal(stage, ["--check", "--speed", "0"]).ending == .exited(64))
            }
        }

        @Test("A second daemon on the same state directory ends with 75, and the first goes on")
        func secondDaemon() async throws {
            try await Scene.with { scene in
                try await scene.start()
                let arguments = ["--socket", scene.stage.socket + "2", "--state-directory", scene.stage.state]
                #expect(try await refusal(scene.stage, arguments).ending == .exited(75))
                #expect(try await scene.stage.till().call("daemon.info")["name"] == "wajubd")
            }
        }

        @Test("A second daemon on a living socket ends with 73, and the first goes on")
        func livingSocket() async throws {
            try await Scene.with { scene in
                try await scene.start()
                let arguments = ["--socket", scene.stage.socket, "--state-directory", scene.stage.state + "2"]
                #expect(try await refusal(scene.stage, arguments).ending == .exited(73))
                #expect(try await scene.stage.till().call("daemon.info")["name"] == "wajubd")
            }
        }

        @Test("A socket path that is a file ends it with 73, and the file is still there")
        func fileInTheWay() async throws {
            try await onStage { stage in
                let text = Data("not a socket".utf8)
                try text.write(to: URL(filePath: stage.socket))
                #expect(try await refusal(stage, places(stage)).ending == .exited(73))
                #expect(try Data(contentsOf: URL(filePath: stage.socket)) == text)
            }
        }

        @Test("A socket path that no socket can have ends it with 73 and says so")
        func longPath() async throws {
            try await onStage { stage in
                let path = stage.directory + "/" + String(repeating: "a", count: 108 - stage.directory.utf8.count - 1)
                #expect(path.utf8.count == 108)
                let refusal = try await refusal(stage, ["--socket", path, "--state-directory", stage.state])
                #expect(refusal.ending == .exited(73))
                #expect(refusal.line.contains("107"))
            }
        }

        @Test("A socket that a killed daemon left is replaced, with mode 0660")
        func staleSocket() async throws {
            try await Scene.with { scene in
                let first = try await scene.start()
                await scene.kill(first)
                var status = stat()
                #expect(stat(scene.stage.socket, &status) == 0)
                try await scene.start()
                #expect(try await scene.stage.till().call("daemon.info")["name"] == "wajubd")
                #expect(stat(scene.stage.socket, &status) == 0)
                #expect(status.st_mode == S_IFSOCK | 0o660)
            }
        }

        @Test("The socket is where WAJUBD_SOCKET says, else in RUNTIME_DIRECTORY; the store is in STATE_DIRECTORY")
        func places() async throws {
            try await onStage { stage in
                let directories = ["RUNTIME_DIRECTORY": stage.directory, "STATE_DIRECTORY": stage.state]
                let named = ["WAJUBD_SOCKET": stage.directory + "/named.sock"]
                for (environment, socket) in [
                    (directories, stage.socket), (directories.merging(named) { $1 }, stage.directory + "/named.sock"),
                ] {
                    let daemon = try stage.runDaemon(["--api-origin", "http://127.0.0.1:1"], environment: environment)
                    #expect(await daemon.errors.first { $0.contains(": ready") } != nil)
                    let till = try RPCClient(path: socket)
                    #expect(try await till.call("daemon.info")["api_origin"] == "http://127.0.0.1:1")
                    daemon.signal(SIGTERM)
                    #expect(await daemon.ended() == .exited(0))
                    #expect(FileManager.default.fileExists(atPath: stage.state))
                }
            }
        }

        /// The database of a daemon that ran once and ended in order.
        private func database(_ stage: Stage) async throws -> String {
            let daemon = try await stage.startDaemon(origin: "http://127.0.0.1:1")
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
            let names = try FileManager.default.contentsOfDirectory(atPath: stage.state)
            for name in names {
                let path = stage.state + "/" + name
                if try Data(contentsOf: URL(filePath: path)).starts(with: Array("SQLite format 3\0".utf8)) {
                    return path
                }
            }
            throw Stage.StageError("no database among \(names)")
        }

        @Test("A damaged store ends it with 78, is left as it was, and --check finds it", arguments: [true, false])
        func damagedStore(whole: Bool) async throws {
            try await onStage { stage in
                let path = try await database(stage)
                var bytes = try Data(contentsOf: URL(filePath: path))
                for index in (whole ? 0 : 100)..<bytes.count {
                    bytes[index] = UInt8(truncatingIfNeeded: index &* 31 &+ 7)
                }
                try bytes.write(to: URL(filePath: path))
                let refusal = try await refusal(stage, places(stage))
                #expect(refusal.ending == .exited(78))
                #expect(refusal.line.contains("damaged"))
                #expect(try await self.refusal(stage, places(stage) + ["--check"]).ending == .exited(78))
                #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
            }
        }

        @Test("A store of a newer version ends it with 78 and is left as it was")
        func newerStore() async throws {
            try await onStage { stage in
                let path = try await database(stage)
                // SQLite keeps `user_version` big-endian at offset 60 (fileformat2.html, "The Database Header").
                var bytes = try Data(contentsOf: URL(filePath: path))
                bytes.replaceSubrange(60..<64, with: [0, 0, 0x27, 0x0F])
                try bytes.write(to: URL(filePath: path))
                let refusal = try await refusal(stage, places(stage))
                #expect(refusal.ending == .exited(78))
                #expect(refusal.line.contains("9999"))
                #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
            }
        }
    }
}
