import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

@Suite("The daemon as a process", .timeLimit(.minutes(10)))
struct ShellProcessTests {
    private func started(_ stage: Stage, _ arguments: [String] = []) async throws -> ChildProcess {
        let daemon = try stage.runDaemon(stage.alone + arguments)
        try #require(await daemon.errors.first { $0.contains("ready") } != nil, "\(daemon.errors.lines)")
        return daemon
    }

    @Test
    func `SIGHUP reads the file again, tells what waits for a restart, and keeps the old one where the new is bad`()
        async throws
    {
        try await Stage.run { stage in
            try stage.configure("log-level = error\n")
            let manager = try NotifySocket(path: stage.directory + "/notify")
            let daemon = try stage.runDaemon(stage.alone, environment: ["NOTIFY_SOCKET": manager.path])
            #expect(await manager.next("READY") != nil)
            try stage.configure("log-level = notice\nrealtime = off\n")
            daemon.signal(SIGHUP)
            #expect(
                await daemon.errors.first { $0 == "notice: some changes wait for a restart options=realtime" } != nil)
            try stage.configure("log-level = loud\n")
            daemon.signal(SIGHUP)
            let refusal = await daemon.errors.first { $0.hasPrefix("error: configuration could not be read again") }
            #expect(refusal?.contains("line 1: log-level") == true)
            daemon.signal(SIGINT)
            #expect(await daemon.ended() == .exited(0))
            #expect(await daemon.errors.first { $0 == "notice: stopped" } != nil)
            #expect(await daemon.errors.first { $0.contains("ready") } == nil)
            try manager.end()
        }
    }

    @Test func `A second SIGTERM ends it no worse than the first`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let daemon = try await started(stage)
            daemon.signal(SIGTERM)
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
            let next = try await started(stage)
            next.signal(SIGTERM)
            #expect(await next.ended() == .exited(0))
        }
    }

    @Test(arguments: ["2>&-", "<&- >&- 2>&-"])
    func `Standard streams that are closed harm nothing, and no log reaches another file`(redirection: String)
        async throws
    {
        try await Stage.run { stage in
            try stage.configure("")
            let manager = try NotifySocket(path: stage.directory + "/notify")
            let daemon = try ChildProcess(
                "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(redirection)", stage.binaries + "/wajubd"] + stage.alone,
                environment: ["NOTIFY_SOCKET": manager.path])
            #expect(await manager.next("READY") != nil)
            #expect(
                try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(daemon.pid)/fd/2") == "/dev/null")
            // Each writes a line.
            daemon.signal(SIGHUP)
            #expect(await manager.next("READY") != nil)
            #expect(try await stage.till().call("daemon.info")["name"]?.string == "wajubd")
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
            try manager.end()
        }
    }

    @Test func `It can leave no core dump, and its files are its own`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let daemon = try await started(stage)
            let limits = try String(contentsOfFile: "/proc/\(daemon.pid)/limits", encoding: .utf8)
            let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
            #expect(core?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"])
            // The kernel gives to root what a process that cannot be dumped has in /proc. (Says nothing where root runs this.)
            var owner = stat()
            #expect(stat("/proc/\(daemon.pid)/environ", &owner) == 0)
            #expect(owner.st_uid == 0)
            for name in try FileManager.default.contentsOfDirectory(atPath: stage.state) {
                var status = stat()
                #expect(lstat(stage.state + "/" + name, &status) == 0)
                #expect(status.st_mode & 0o077 == 0, "\(name)")
            }
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
        }
    }

    @Test func `A bad option ends it with 64 and one line, and help comes without a good file`() async throws {
        try await Stage.run { stage in
            try stage.configure("nonsense\n")
            let daemon = try stage.runDaemon(stage.alone)
            #expect(await daemon.ended() == .exited(64))
            #expect(
                await daemon.errors.first { _ in true } == "wajubd: \(stage.configuration), line 1: is not name = value"
            )
            #expect(daemon.errors.lines.count == 1)
            let help = try stage.runDaemon(stage.alone + ["--help"])
            #expect(await help.ended() == .exited(0))
            #expect(await help.output.first { $0.contains("--state-directory") } != nil)
        }
    }
}
