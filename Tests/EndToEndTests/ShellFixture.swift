import FoundationEssentials
import Glibc
import Platform
import PlatformTestSupport
import StageSupport

/// A service manager's end of `sd_notify`: what the daemon tells it, message by message.
struct NotifySocket: Sendable {
    let path: String
    let messages: AsyncStream<String>

    init(path: String) throws {
        let descriptor = try UnixSocket.bound(path, type: SOCK_DGRAM)
        let (messages, continuation) = AsyncStream<String>.makeStream()
        (self.path, self.messages) = (path, messages)
        try OwnedThread.start {
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { break }
                let message = String(decoding: buffer[..<count], as: UTF8.self)
                // The test's own word that nobody sends any more.
                if message == "end" { break }
                continuation.yield(message)
            }
            close(descriptor)
            continuation.finish()
        }
    }

    /// Ends the messages.
    func end() throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(descriptor) }
        try UnixSocket.withAddress(path) { address, length in
            guard connect(descriptor, address, length) == 0, send(descriptor, "end", 3, 0) == 3 else {
                throw Stage.StageError("the notify socket took no end: \(errno)")
            }
        }
    }

    /// The next message that begins like this; those before it are dropped.
    func next(_ beginning: String) async -> String? {
        await messages.first { $0.hasPrefix(beginning) }
    }
}

/// Sockets as a service manager makes them.
enum UnixSocket {
    static func withAddress<Value>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> Value
    ) throws -> Value {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Stage.StageError("\(path) is too long")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return try withUnsafePointer(to: address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func bound(_ path: String, type: __socket_type) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try withAddress(path) { address, length in
            guard descriptor >= 0, bind(descriptor, address, length) == 0 else {
                throw Stage.StageError("\(path) cannot be bound: \(errno)")
            }
        }
        return descriptor
    }

    static func listening(_ path: String) throws -> Int32 {
        let descriptor = try bound(path, type: SOCK_STREAM)
        guard listen(descriptor, 16) == 0 else { throw Stage.StageError("\(path) does not listen: \(errno)") }
        return descriptor
    }
}

extension Stage {
    /// A stage for the time of `body`.
    static func run(_ body: (Stage) async throws -> Void) async throws {
        let stage = try Stage()
        do {
            try await body(stage)
        } catch {
            try stage.clear()
            throw error
        }
        try stage.clear()
    }

    /// The arguments of a daemon that has this stage to itself and nobody to talk to.
    var alone: [String] {
        [
            "--api-origin", "http://127.0.0.1:1", "--state-directory", state, "--socket", socket, "--config",
            configuration,
        ]
    }

    var configuration: String { directory + "/wajubd.conf" }

    func configure(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: configuration))
    }

    /// Starts the daemon as a service manager does, with its own process number in `LISTEN_PID`.
    func activate(passing descriptor: Int32, count: Int = 1, environment: [String: String] = [:]) throws -> ChildProcess
    {
        let script = "export LISTEN_PID=$$ LISTEN_FDS=\(count); exec \"$0\" \"$@\""
        return try ChildProcess(
            "/bin/sh", ["-c", script, binaries + "/wajubd"] + alone, environment: environment, passed: descriptor)
    }
}
