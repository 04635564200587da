import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

@Suite("The daemon under a service manager", .timeLimit(.minutes(10)))
struct ShellServiceManagerTests {
    @Test func `It tells that it is ready, how it is, that it reloads, and that it stops`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let manager = try NotifySocket(path: stage.directory + "/notify")
            let daemon = try stage.runDaemon(stage.alone, environment: ["NOTIFY_SOCKET": manager.path])
            #expect(await manager.next("") == "READY=1")
            #expect(await manager.next("") == "STATUS=Watching 0 of 0 payments, realtime 0 connected, storage ok")
            var before = timespec()
            clock_gettime(CLOCK_MONOTONIC, &before)
            daemon.signal(SIGHUP)
            let reloading = try #require(await manager.next("RELOADING=1\nMONOTONIC_USEC="))
            let moment = try #require(Int(reloading.split(separator: "=").last ?? ""))
            var after = timespec()
            clock_gettime(CLOCK_MONOTONIC, &after)
            #expect(
                (before.tv_sec * 1_000_000 + before.tv_nsec / 1000...after.tv_sec * 1_000_000 + after.tv_nsec / 1000)
                    .contains(moment))
            #expect(await manager.next("READY") == "READY=1")
            daemon.signal(SIGTERM)
            #expect(await manager.next("STOPPING") == "STOPPING=1\nSTATUS=Stopping")
            #expect(await daemon.ended() == .exited(0))
            try manager.end()
        }
    }

    @Test func `It proves its life where there is a watchdog for it, and only there`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let manager = try NotifySocket(path: stage.directory + "/notify")
            let daemon = try stage.runDaemon(
                stage.alone, environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
            for _ in 0..<3 { #expect(await manager.next("WATCHDOG") == "WATCHDOG=1") }
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
            try manager.end()
        }
        try await Stage.run { stage in
            try stage.configure("")
            let manager = try NotifySocket(path: stage.directory + "/notify")
            let daemon = try stage.runDaemon(
                stage.alone,
                environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000", "WATCHDOG_PID": "1"])
            #expect(await manager.next("STATUS") != nil)
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
            try manager.end()
            #expect(await manager.next("WATCHDOG") == nil)
        }
    }

    @Test func `It serves a socket that was passed, and leaves its path when it ends`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let listener = try UnixSocket.listening(stage.socket)
            defer { close(listener) }
            // Before the daemon is there: a till waits, and is not refused.
            let till = try stage.till()
            let daemon = try stage.activate(passing: listener)
            let info = try await till.call("daemon.info")
            #expect(info["pid"]?.int == Int(daemon.pid))
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
            #expect(FileManager.default.fileExists(atPath: stage.socket))
            let next = try stage.till()
            let restarted = try stage.activate(passing: listener)
            #expect(try await next.call("daemon.info")["pid"]?.int == Int(restarted.pid))
            restarted.signal(SIGTERM)
            #expect(await restarted.ended() == .exited(0))
        }
    }

    @Test func `Its log names the passed socket, not the one it would have made`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let passed = stage.directory + "/passed"
            let listener = try UnixSocket.listening(passed)
            defer { close(listener) }
            let daemon = try stage.activate(passing: listener)
            let ready = await daemon.errors.first { $0.contains("ready") }
            #expect(ready?.contains("socket=\(passed)") == true)
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
        }
    }

    @Test func `A passed descriptor that is no listening Unix stream socket is refused with 73`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let file = open("/dev/null", O_RDONLY)
            let datagram = try UnixSocket.bound(stage.directory + "/datagram", type: SOCK_DGRAM)
            let silent = try UnixSocket.bound(stage.directory + "/silent", type: SOCK_STREAM)
            let internet = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #expect(listen(internet, 1) == 0)
            for descriptor in [file, datagram, silent, internet] {
                let daemon = try stage.activate(passing: descriptor)
                #expect(await daemon.ended() == .exited(73))
                let line = await daemon.errors.first { $0.hasPrefix("wajubd: ") }
                #expect(line == "wajubd: no socket: the passed socket is no listening Unix stream socket")
                close(descriptor)
            }
            let listener = try UnixSocket.listening(stage.socket)
            let daemon = try stage.activate(passing: listener, count: 2)
            #expect(await daemon.ended() == .exited(73))
            #expect(await daemon.errors.first { $0.hasPrefix("wajubd: no socket: ") } != nil)
            close(listener)
        }
    }

    @Test func `Sockets for another process are not taken`() async throws {
        try await Stage.run { stage in
            try stage.configure("")
            let daemon = try ChildProcess(
                stage.binaries + "/wajubd", stage.alone, environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"])
            #expect(await daemon.errors.first { $0.contains("ready") } != nil)
            #expect(try await stage.till().call("daemon.info")["pid"]?.int == Int(daemon.pid))
            daemon.signal(SIGTERM)
            #expect(await daemon.ended() == .exited(0))
            #expect(!FileManager.default.fileExists(atPath: stage.socket))
        }
    }
}
