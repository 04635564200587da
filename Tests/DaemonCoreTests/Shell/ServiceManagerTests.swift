import Glibc
import Platform
import Testing

@testable import DaemonCore

/// systemd's end of the conversation, in a process of the test's own, since it is told by the environment.
enum FakeManager {
    /// Makes the socket and names it in the environment.
    static func listen() throws -> Int32 {
        let descriptor = try bound("notify", SOCK_DGRAM)
        setenv("NOTIFY_SOCKET", "@" + name("notify"), 1)
        return descriptor
    }

    /// A Unix socket with an abstract name (unix(7)): it goes with the process, and leaves nothing on disk.
    static func bound(_ label: String, _ type: __socket_type) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(type.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = [0] + Array(name(label).utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + path.count }
        let length = socklen_t(try #require(size))
        let code = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(code == 0)
        return descriptor
    }

    private static func name(_ label: String) -> String { "wajubd-test-\(getpid())-\(label)" }

    /// The next message.
    static func message(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Puts sockets where systemd does, from descriptor 3 on, and what was there back afterwards.
    static func passing<Result>(_ sockets: [Int32], _ body: () throws -> Result) rethrows -> Result {
        let places = sockets.indices.map { Int32($0) + 3 }
        // High above, since the test's own talk with its parent may be among the first.
        let before = places.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        let moved = sockets.map { fcntl($0, F_DUPFD_CLOEXEC, 200) }
        for (place, socket) in zip(places, moved) { dup2(socket, place) }
        setenv("LISTEN_PID", "\(getpid())", 1)
        setenv("LISTEN_FDS", "\(sockets.count)", 1)
        defer { for (place, old) in zip(places, before) where old >= 0 { dup2(old, place) } }
        return try body()
    }

    static func failure(_ sockets: [Int32]) -> String? {
        passing(sockets) {
            do {
                _ = try ServiceManager().passedSocket()
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
}

@Suite("The service manager", .timeLimit(.minutes(10)))
struct ServiceManagerTests {
    @Test("systemd is told what the daemon does, a message each")
    func messages() async {
        await #expect(processExitsWith: .success) {
            let socket = try FakeManager.listen()
            let manager = ServiceManager()
            manager.ready()
            #expect(FakeManager.message(socket) == "READY=1")
            manager.status("Watching 2 of 3 payments")
            #expect(FakeManager.message(socket) == "STATUS=Watching 2 of 3 payments")
            manager.status("one\nREADY=1\r\nrest")
            #expect(FakeManager.message(socket) == "STATUS=one READY=1 rest")
            manager.watchdog()
            #expect(FakeManager.message(socket) == "WATCHDOG=1")
            manager.reloading(at: 5)
            #expect(FakeManager.message(socket) == "RELOADING=1\nMONOTONIC_USEC=5")
            manager.stopping()
            #expect(FakeManager.message(socket) == "STOPPING=1\nSTATUS=Stopping")
        }
    }

    @Test("A reload begins at the moment of the clock that systemd looks at")
    func reloadClock() async {
        await #expect(processExitsWith: .success) {
            func now() -> UInt64 {
                var time = timespec()
                clock_gettime(CLOCK_MONOTONIC, &time)
                return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
            }
            let socket = try FakeManager.listen()
            let before = now()
            ServiceManager().reloading()
            let message = FakeManager.message(socket)
            let told = try #require(message.split(separator: "=").last.flatMap { UInt64($0) })
            #expect((before...now()).contains(told))
        }
    }

    @Test("Where there is no systemd nothing is said, nothing is passed and nobody watches")
    func noSystemd() async {
        await #expect(processExitsWith: .success) {
            for name in ["NOTIFY_SOCKET", "LISTEN_PID", "LISTEN_FDS", "WATCHDOG_USEC", "WATCHDOG_PID"] {
                unsetenv(name)
            }
            let written = Written()
            let manager = ServiceManager(log: Log(threshold: .debug) { _, sentence, _ in written.add(["\(sentence)"]) })
            manager.ready()
            manager.reloading()
            manager.stopping()
            #expect(manager.watchdogInterval == nil)
            let passed = try manager.passedSocket()
            #expect(passed == nil)
            #expect(written.all == [])
        }
    }

    @Test("A systemd that cannot be reached is an error in the log, and no more")
    func unreachable() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nowhere/notify", 1)
            let written = Written()
            let log = Log(threshold: .debug) { written.add(["\($0)", "\($1)"] + $2.map { "\($0.0)=\($0.1)" }) }
            ServiceManager(log: log).ready()
            let entry = ["error", "systemd could not be told", "message=READY=1", "reason=No such file or directory"]
            #expect(written.all == [entry])
        }
    }

    @Test("The watchdog is due twice in the time that systemd allows, if it is this process that is watched")
    func watchdogInterval() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "30000000", 1)
            #expect(ServiceManager().watchdogInterval == .seconds(15))
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            #expect(ServiceManager().watchdogInterval == .seconds(15))
            setenv("WATCHDOG_PID", "1", 1)
            #expect(ServiceManager().watchdogInterval == nil)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            setenv("WATCHDOG_USEC", "soon", 1)
            #expect(ServiceManager().watchdogInterval == nil)
        }
    }

    @Test("One listening Unix stream socket is taken, closed for programs started later, its variables taken away")
    func activation() async {
        await #expect(processExitsWith: .success) {
            let socket = try FakeManager.bound("s", SOCK_STREAM)
            #expect(Glibc.listen(socket, 1) == 0)
            try FakeManager.passing([socket]) {
                let passed = try ServiceManager().passedSocket()
                #expect(passed == 3)
                #expect(fcntl(3, F_GETFD) == FD_CLOEXEC)
                #expect(getenv("LISTEN_FDS") == nil)
                #expect(getenv("LISTEN_PID") == nil)
                let again = try ServiceManager().passedSocket()
                #expect(again == nil)
            }
        }
    }

    @Test("Sockets that are for another process are not taken")
    func otherProcess() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "1", 1)
            setenv("LISTEN_FDS", "1", 1)
            let passed = try ServiceManager().passedSocket()
            #expect(passed == nil)
        }
    }

    @Test("Two sockets, one that does not listen, one of datagrams, one of the Internet, and a file are refused")
    func badActivation() async {
        await #expect(processExitsWith: .success) {
            let listening = try FakeManager.bound("a", SOCK_STREAM)
            #expect(Glibc.listen(listening, 1) == 0)
            let internet = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #expect(Glibc.listen(internet, 1) == 0)
            let refused = "the passed socket is no listening Unix stream socket"
            #expect(FakeManager.failure([listening, listening]) == "2 sockets were passed, not one")
            #expect(FakeManager.failure([try FakeManager.bound("b", SOCK_STREAM)]) == refused)
            #expect(FakeManager.failure([try FakeManager.bound("c", SOCK_DGRAM)]) == refused)
            #expect(FakeManager.failure([internet]) == refused)
            #expect(FakeManager.failure([open("/dev/null", O_RDONLY)]) == refused)
        }
    }
}
