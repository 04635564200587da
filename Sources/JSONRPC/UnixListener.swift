internal import CLinux
internal import Glibc
internal import Synchronization

/// Why there is no socket to listen on (exit code 73).
package enum UnixListenerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More bytes than a socket's address carries (107).
    case pathTooLong(path: String, limit: Int)
    /// A living process answers there.
    case taken(path: String)
    /// Something that is no socket stands there; it is never removed.
    case notSocket(path: String)
    /// The descriptor passed by socket activation is no listening Unix stream socket.
    case notListener(descriptor: Int32)
    case system(SystemError, path: String)

    package var description: String {
        switch self {
        case .pathTooLong(let path, let limit): "\(path): longer than the \(limit) bytes of a socket's path"
        case .taken(let path): "\(path): a living process listens there already"
        case .notSocket(let path): "\(path): is no socket, and is left alone"
        case .notListener(let descriptor): "descriptor \(descriptor) is no listening Unix stream socket"
        case .system(let error, let path): "\(path): \(error)"
        }
    }
}

/// A listening Unix stream socket, and the path it was bound to if that was us.
package final class UnixListener: Sendable {
    /// The file that a bound socket appears as.
    struct File: Hashable {
        let path: String
        let device: UInt64
        let inode: UInt64
    }

    private struct State {
        var descriptor: Int32
        var file: File?
    }

    /// Why the group could not be given the socket: it works, for its owner alone. `nil` where it could, or where
    /// there is no such group.
    package let groupFailure: SystemError?

    private let state: Mutex<State>

    init(descriptor: Int32, file: File?, groupFailure: SystemError?) {
        state = Mutex(State(descriptor: descriptor, file: file))
        self.groupFailure = groupFailure
    }

    deinit { close() }

    /// Takes a descriptor that listens already (socket activation); its path is its maker's and stays.
    ///
    /// - throws: `notListener`.
    package convenience init(inherited descriptor: Int32) throws(UnixListenerError) {
        guard CLinux_is_unix_listener(descriptor) == 1, CLinux_make_nonblocking(descriptor) == 0 else {
            throw .notListener(descriptor: descriptor)
        }
        self.init(descriptor: descriptor, file: nil, groupFailure: nil)
    }

    /// The open descriptor; -1 once closed.
    var descriptor: Int32 { state.withLock { $0.descriptor } }

    /// Where it listens, as the kernel tells it; empty for a socket without a path, or once closed.
    package var path: String {
        let (limit, descriptor) = (CLinux_unix_path_max(), descriptor)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit) { buffer in
            let count = CLinux_unix_path(descriptor, buffer.baseAddress, limit)
            return String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self)
        }
    }

    /// Stops listening, and removes the path if we bound it and it is still ours.
    package func close() {
        let closed = state.withLock { state in
            defer { state = State(descriptor: -1, file: nil) }
            return state
        }
        guard closed.descriptor >= 0 else { return }
        // First the name, then the socket: nobody meets a name that refuses.
        if let file = closed.file, File(at: file.path) == file { unlink(file.path) }
        SystemError.closeDescriptor(closed.descriptor)
    }
}

extension UnixListener.File {
    /// The file at `path`; `nil` where it cannot be looked at.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(path: path, device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
