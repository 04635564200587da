internal import Glibc

/// One connection as the server's thread sees it.
final class ServerChannel {
    let connection: RPCConnection
    let descriptor: Int32
    var framer: LineFramer
    /// Whether the socket may hold bytes: it was told, and `read` has not said otherwise since.
    var mayRead = false
    /// The client has shut its side, or is gone.
    var hasInputEnded = false
    /// Nobody reads the answers; what the client asked for before is still done.
    var isAbandoned = false
    /// Whether the socket's room to write is waited for.
    var awaitsRoom = false
    var isScheduled = false

    init(connection: RPCConnection, descriptor: Int32, requestBytes: Int) {
        self.connection = connection
        self.descriptor = descriptor
        framer = LineFramer(limit: requestBytes)
    }
}

extension ServerLoop {
    /// Lines and reads of one connection before the next has its turn.
    private static let stepsPerTurn = 32

    /// Reads, answers and writes what can be without waiting, within one turn's bounds.
    func serve(_ channel: ServerChannel) throws(SystemError) {
        guard channels[channel.connection.id] != nil else { return }
        let isDrained = takeRequests(of: channel)
        try flush(channel)
        let load = channel.connection.load
        guard isDrained else {
            // Paused: the socket's room, or an answer, brings it back.
            if !load.isPaused { schedule(channel) }
            return
        }
        let isDone = channel.isAbandoned || load.isIdle
        if isDone && (channel.hasInputEnded || isStopping) { close(channel) }
    }

    /// Nobody reads this connection's answers any more.
    func abandon(_ channel: ServerChannel) {
        channel.isAbandoned = true
        channel.connection.close()
    }

    func close(_ channel: ServerChannel) {
        channels[channel.connection.id] = nil
        channel.connection.close()
        // Ends its registration too: nobody else holds the descriptor.
        SystemError.closeDescriptor(channel.descriptor)
        descriptorFreed()
        context.handler.connectionClosed(channel.connection)
    }

    /// Whether the client has nothing more to be read at present.
    private func takeRequests(of channel: ServerChannel) -> Bool {
        var steps = 0
        while steps < Self.stepsPerTurn, !channel.connection.load.isPaused {
            steps += 1
            if let frame = channel.framer.next() {
                take(frame, of: channel)
            } else if channel.mayRead {
                read(channel)
            } else {
                return true
            }
        }
        return false
    }

    private func read(_ channel: ServerChannel) {
        let count = chunk.withUnsafeMutableBytes { Glibc.read(channel.descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            chunk.withUnsafeBytes { channel.framer.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            return
        }
        let code = errno
        if count < 0 && code == EINTR { return }
        channel.mayRead = false
        if count < 0 && code == EAGAIN { return }
        channel.hasInputEnded = true
        if count == 0 {
            channel.framer.finish()
        } else {
            // Reset: an unfinished line stays unfinished.
            abandon(channel)
        }
    }

    private func take(_ frame: LineFramer.Frame, of channel: ServerChannel) {
        switch frame {
        case .tooLong: answer(.failure(.tooLarge(limit: context.limits.requestBytes)), id: .null, to: channel)
        case .line(let line):
            do throws(RPCRejection) {
                take(try RPCRequest(parsing: line), of: channel)
            } catch {
                answer(.failure(error.error), id: error.id, to: channel)
            }
        }
    }

    private func take(_ request: RPCRequest, of channel: ServerChannel) {
        let connection = channel.connection
        if isStopping {
            answer(.failure(.shuttingDown), id: request.id, to: channel)
        } else if let outcome = context.handler.handleNow(request, on: connection) {
            answer(outcome, id: request.id, to: channel)
        } else {
            connection.requestStarted()
            // Refused only after `run()` was cancelled, which has stopped this loop without grace.
            context.jobs.yield(ServerJob(request: request, connection: connection))
        }
    }

    private func answer(_ outcome: RPCOutcome, id: RPCID?, to channel: ServerChannel) {
        if let id { channel.connection.queue(RPCLine.answer(outcome, id: id)) }
        if case .success(let result) = outcome { result.afterAnswer?() }
    }

    private func flush(_ channel: ServerChannel) throws(SystemError) {
        let isFlushed: Bool
        do throws(SystemError) {
            isFlushed = try channel.connection.flush(to: channel.descriptor)
        } catch {
            // EPIPE and ECONNRESET: the client's doing, and no fault of ours.
            return abandon(channel)
        }
        guard isFlushed == channel.awaitsRoom else { return }
        channel.awaitsRoom = !isFlushed
        let events = isFlushed ? Epoll.readable : Epoll.readableAndWritable
        try epoll.change(channel.descriptor, key: channel.connection.id, events: events)
    }
}
