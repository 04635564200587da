internal import CLinux
internal import Glibc

extension UnixListener {
    /// Makes a listening socket at `path`.
    ///
    /// A socket that nobody answers at is replaced. `group` gets it where that group exists and we may give it away.
    /// The umask is the whole process's, so this belongs before other threads make files. Two daemons that both find
    /// a dead socket at the same moment are kept apart by the lock on the state directory, not here.
    ///
    /// - throws: ``UnixListenerError``; nothing is left behind then.
    package static func bind(
        path: String, mode: UInt32 = 0o660, group: String? = "wajub"
    ) throws(UnixListenerError) -> UnixListener {
        let limit = CLinux_unix_path_max()
        guard path.utf8.count <= limit else { throw .pathTooLong(path: path, limit: limit) }
        try clear(path)
        do throws(SystemError) {
            return try makeListener(path: path, mode: mode, group: group)
        } catch {
            throw .system(error, path: path)
        }
    }

    /// Removes a dead socket at `path`, and nothing else.
    private static func clear(_ path: String) throws(UnixListenerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let error = SystemError(call: "lstat", code: errno)
            if error.code == ENOENT { return }
            throw .system(error, path: path)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notSocket(path: path) }
        guard let refusal = try connectionRefusal(path) else { throw .taken(path: path) }
        switch refusal.code {
        case ENOENT: return
        case ECONNREFUSED:
            guard unlink(path) == 0 || errno == ENOENT else {
                throw .system(SystemError(call: "unlink", code: errno), path: path)
            }
        // Somebody listens whose queue is full, or who speaks datagrams.
        case EAGAIN, EPROTOTYPE: throw .taken(path: path)
        case _: throw .system(refusal, path: path)
        }
    }

    /// Why nobody can be reached at `path`; `nil` where somebody is.
    private static func connectionRefusal(_ path: String) throws(UnixListenerError) -> SystemError? {
        do throws(SystemError) {
            let probe = try SystemError.check("socket") { CLinux_unix_socket(1) }
            defer { SystemError.closeDescriptor(probe) }
            do throws(SystemError) {
                try SystemError.check("connect") { CLinux_unix_connect(probe, path) }
                return nil
            } catch {
                return error
            }
        } catch {
            throw .system(error, path: path)
        }
    }

    private static func makeListener(
        path: String, mode: UInt32, group: String?
    ) throws(SystemError) -> UnixListener {
        let descriptor = try SystemError.check("socket") { CLinux_unix_socket(1) }
        var isBound = false
        do throws(SystemError) {
            // From its first moment nobody but those in `mode` can connect.
            let mask = umask(~mode & 0o777)
            defer { umask(mask) }
            try SystemError.check("bind") { CLinux_unix_bind(descriptor, path) }
            isBound = true
            let groupFailure = try group.flatMap { group throws(SystemError) in try giveSocket(at: path, to: group) }
            try SystemError.check("listen") { listen(descriptor, SOMAXCONN) }
            return UnixListener(descriptor: descriptor, file: File(at: path), groupFailure: groupFailure)
        } catch {
            if isBound { unlink(path) }
            SystemError.closeDescriptor(descriptor)
            throw error
        }
    }

    /// Why `group` could not be given the socket; `nil` where it was, or where there is no such group.
    private static func giveSocket(at path: String, to group: String) throws(SystemError) -> SystemError? {
        guard let identifier = try groupIdentifier(group) else { return nil }
        do throws(SystemError) {
            try SystemError.check("lchown") { lchown(path, uid_t.max, identifier) }
            return nil
        } catch {
            return error
        }
    }

    /// The number of a group; `nil` where there is none of that name.
    private static func groupIdentifier(_ name: String) throws(SystemError) -> gid_t? {
        var entry = group()
        var found: UnsafeMutablePointer<group>?
        // ERANGE asks for more room, for a group of very many members (getgrnam_r(3)).
        for size in [1_024, 65_536, 1_048_576] {
            var buffer = [CChar](repeating: 0, count: size)
            let code = getgrnam_r(name, &entry, &buffer, size, &found)
            switch code {
            case 0: return found == nil ? nil : entry.gr_gid
            // What the manual lists for "not found".
            case ENOENT, ESRCH, EBADF, EPERM: return nil
            case ERANGE: continue
            case _: throw SystemError(call: "getgrnam_r", code: code)
            }
        }
        throw SystemError(call: "getgrnam_r", code: ERANGE)
    }
}
