internal import CLinux
internal import Glibc
internal import Synchronization

/// The process on the other end, as it was when it connected.
package struct PeerCredentials: Hashable, Sendable {
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32
}

/// One client of a server. Its methods may be called on any thread, and do nothing once it is closed.
///
/// The outbound queue is bounded by what feeds it: notifications are refused past the limit, and past it no further
/// request is read, so that on top of the limit stand at most the answers in flight and one last line per stream.
package final class RPCConnection: Sendable {
    private struct State {
        var outbound = OutboundQueue()
        var inFlight = 0
        var isClosed = false
        var drainWatchers: [CheckedContinuation<Void, Never>] = []
        /// Whether the server's thread knows already that there is something to do.
        var isTouched = false
    }

    /// Counts the connections of a server, from 1.
    package let id: UInt64
    /// `nil` where the kernel did not tell.
    package let peer: PeerCredentials?

    private let limits: RPCServerLimits
    private let inbox: ServerInbox
    private let state = Mutex(State())

    init(id: UInt64, peer: PeerCredentials?, limits: RPCServerLimits, inbox: ServerInbox) {
        self.id = id
        self.peer = peer
        self.limits = limits
        self.inbox = inbox
    }

    /// Queues a whole line (``RPCLine/notification(_:params:)``), unless that takes the queue past its limit.
    ///
    /// - returns: `false` where it was not queued: the stream must end, with ``sendFinal(_:)``. Also once closed.
    package func trySend(notification line: [UInt8]) -> Bool {
        send(line) { $0.outbound.count + line.count <= limits.outboundBytes }
    }

    /// Queues the one line that tells a stream's end, whatever the queue holds.
    package func sendFinal(_ line: [UInt8]) {
        _ = send(line) { _ in true }
    }

    /// Returns once the queue is half empty, or the connection closed: a long stream keeps the client's pace with it.
    package func drained() async {
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if state.isClosed || state.outbound.count <= limits.outboundBytes / 2 { return true }
                state.drainWatchers.append(continuation)
                return false
            }
            if isDrained { continuation.resume() }
        }
    }

    private func send(_ line: [UInt8], if allowed: (borrowing State) -> Bool) -> Bool {
        let (isQueued, isNews) = state.withLock { state in
            guard !state.isClosed, allowed(state) else { return (false, false) }
            state.outbound.append(line)
            defer { state.isTouched = true }
            return (true, !state.isTouched)
        }
        if isNews { inbox.touch(id) }
        return isQueued
    }
}

// MARK: For the server

extension RPCConnection {
    /// What the server's thread goes by.
    struct Load {
        let isPaused: Bool
        let isIdle: Bool
    }

    var load: Load {
        state.withLock { state in
            Load(
                isPaused: state.inFlight >= limits.requestsInFlight || state.outbound.count > limits.outboundBytes,
                isIdle: state.inFlight == 0 && state.outbound.count == 0)
        }
    }

    /// Queues a line from the server's thread, which flushes after its turn.
    func queue(_ line: [UInt8]) {
        state.withLock { state in
            if !state.isClosed { state.outbound.append(line) }
        }
    }

    func requestStarted() {
        state.withLock { $0.inFlight += 1 }
        inbox.requestStarted()
    }

    /// The answer of a handler that worked off the thread; `nil` where the client wants none.
    func requestEnded(_ answer: [UInt8]?) {
        let isNews = state.withLock { state in
            state.inFlight -= 1
            if let answer, !state.isClosed { state.outbound.append(answer) }
            // A closed connection too: requests of a client that left may wait to be read.
            defer { state.isTouched = true }
            return !state.isTouched
        }
        if isNews { inbox.touch(id) }
        inbox.requestEnded()
    }

    /// The server's thread has been told of news.
    func touchTaken() {
        state.withLock { $0.isTouched = false }
    }

    /// Writes what the socket takes. Whether everything is gone.
    func flush(to descriptor: Int32) throws(SystemError) -> Bool {
        let (isEmpty, watchers) = try state.withLock { state throws(SystemError) in
            let isEmpty = try state.outbound.flush(to: descriptor)
            guard state.outbound.count <= limits.outboundBytes / 2 else {
                return (isEmpty, [CheckedContinuation<Void, Never>]())
            }
            defer { state.drainWatchers = [] }
            return (isEmpty, state.drainWatchers)
        }
        watchers.forEach { $0.resume() }
        return isEmpty
    }

    /// From here on nothing is queued.
    func close() {
        let watchers = state.withLock { state in
            state.isClosed = true
            state.outbound.removeAll()
            defer { state.drainWatchers = [] }
            return state.drainWatchers
        }
        watchers.forEach { $0.resume() }
    }
}

extension PeerCredentials {
    init?(of descriptor: Int32) {
        var (processID, userID, groupID) = (pid_t(), uid_t(), gid_t())
        guard CLinux_peer_credentials(descriptor, &processID, &userID, &groupID) == 0 else { return nil }
        self.init(processID: processID, userID: userID, groupID: groupID)
    }
}
