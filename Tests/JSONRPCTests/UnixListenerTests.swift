import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import Testing

private func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
}

@Suite("Binding the socket")
struct UnixListenerTests {
    @Test("the socket is for its owner and its group alone")
    func mode() async throws {
        try await withDirectory { directory in
            let listener = try UnixListener.bind(path: directory + "/s", group: "no-such-group")
            #expect(status(directory + "/s")?.st_mode == S_IFSOCK | 0o660)
            #expect(status(directory + "/s")?.st_gid == getegid())
            #expect(listener.groupFailure == nil)
        }
    }

    @Test("the group gets the socket where we may give it away, and the reason is told where not")
    func group() async throws {
        try await withDirectory { directory in
            let listener = try UnixListener.bind(path: directory + "/s", group: "daemon")
            let daemon = try #require(getgrnam("daemon")).pointee.gr_gid
            #expect((status(directory + "/s")?.st_gid == daemon) == (listener.groupFailure == nil))
            #expect(getuid() != 0 || listener.groupFailure == nil)
        }
    }

    @Test("a socket nobody answers at is replaced")
    func stale() async throws {
        try await withDirectory { directory in
            let old = try UnixListener.bind(path: directory + "/old", group: nil)
            #expect(rename(directory + "/old", directory + "/s") == 0)
            old.close()
            let dead = try #require(status(directory + "/s"))
            let listener = try UnixListener.bind(path: directory + "/s", group: nil)
            _ = try LineChannel(path: directory + "/s")
            #expect(dead.st_mode & S_IFMT == S_IFSOCK)
            listener.close()
        }
    }

    @Test("a socket somebody answers at is left to them")
    func taken() async throws {
        try await withDirectory { directory in
            let living = try UnixListener.bind(path: directory + "/s", group: nil)
            #expect(throws: UnixListenerError.taken(path: directory + "/s")) {
                try UnixListener.bind(path: directory + "/s", group: nil)
            }
            _ = try LineChannel(path: directory + "/s")
            living.close()
        }
    }

    @Test("what is no socket is never removed")
    func notSocket() async throws {
        try await withDirectory { directory in
            let file = directory + "/file"
            try Data("precious".utf8).write(to: URL(filePath: file))
            #expect(symlink("nowhere", directory + "/link") == 0)
            for path in [file, directory + "/link", directory] {
                #expect(throws: UnixListenerError.notSocket(path: path)) {
                    try UnixListener.bind(path: path, group: nil)
                }
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
            #expect(status(directory + "/link") != nil)
        }
    }

    @Test("a path of 107 bytes is taken, a longer one is refused by name")
    func length() async throws {
        try await withDirectory { directory in
            let path = directory + "/" + String(repeating: "p", count: 107 - directory.utf8.count - 1)
            try UnixListener.bind(path: path, group: nil).close()
            #expect(throws: UnixListenerError.pathTooLong(path: path + "p", limit: 107)) {
                try UnixListener.bind(path: path + "p", group: nil)
            }
        }
    }

    @Test("a directory that is not there is an error that says so")
    func noDirectory() async throws {
        try await withDirectory { directory in
            #expect {
                try UnixListener.bind(path: directory + "/none/s", group: nil)
            } throws: {
                "\($0)" == "\(directory)/none/s: bind: No such file or directory"
            }
        }
    }

    @Test("closing removes the path while it is ours, and leaves another's alone")
    func removal() async throws {
        try await withDirectory { directory in
            let path = directory + "/s"
            let first = try UnixListener.bind(path: path, group: nil)
            first.close()
            #expect(status(path) == nil)
            let second = try UnixListener.bind(path: path, group: nil)
            #expect(rename(path, directory + "/aside") == 0)
            let third = try UnixListener.bind(path: path, group: nil)
            second.close()
            #expect(status(path) != nil)
            third.close()
        }
    }

    @Test("a descriptor passed by socket activation is served, and its path stays")
    func inherited() async throws {
        try await withDirectory { directory in
            let path = directory + "/s"
            let descriptor = try listeningSocket(at: path)
            let handler = TestHandler()
            let server = try RPCServer(listener: UnixListener(inherited: descriptor), handler: handler)
            async let running: Void = server.run()
            try await Wire(channel: LineChannel(path: path)).ping()
            server.stop(grace: .zero)
            try await running
            #expect(status(path) != nil)
        }
    }

    @Test("a descriptor that does not listen is refused")
    func notListener() throws {
        let null = open("/dev/null", O_RDONLY)
        defer { close(null) }
        #expect(throws: UnixListenerError.notListener(descriptor: null)) { try UnixListener(inherited: null) }
    }

    private func listeningSocket(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { bind(descriptor, $0.baseAddress, socklen_t(bytes.count)) }
        }
        try #require(isBound == 0 && listen(descriptor, 8) == 0)
        return descriptor
    }
}
