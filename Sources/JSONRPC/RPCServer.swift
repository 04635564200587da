internal import Platform

/// Serves JSON-RPC 2.0 on a Unix stream socket (protocol.md, "Transport"): one thread of its own for the sockets, tasks
/// for the requests that take time. Idle, it never wakes up.
package final class RPCServer: Sendable {
    private let listener: UnixListener
    private let handler: any RPCHandler
    private let limits: RPCServerLimits
    private let inbox: ServerInbox

    /// - throws: `eventfd`'s error.
    package init(
        listener: UnixListener, handler: any RPCHandler, limits: RPCServerLimits = RPCServerLimits()
    ) throws(SystemError) {
        self.listener = listener
        self.handler = handler
        self.limits = limits
        inbox = try ServerInbox()
    }

    /// Serves until ``stop(grace:)``; to be called once. When it returns, every connection and the listener are closed
    /// and no handler runs. Cancelling its task is a stop without grace.
    ///
    /// - throws: what made serving impossible: no thread, no epoll, a broken listener.
    package func run() async throws(SystemError) {
        // Bounded by connections times requests in flight.
        let (jobs, queue) = AsyncStream.makeStream(of: ServerJob.self)
        let context = ServerLoop.Context(
            listener: listener, handler: handler, limits: limits, inbox: inbox, jobs: queue)
        let ended = OneShot<Result<Void, SystemError>>()
        try SystemError.startThread {
            ended.resolve(Result { () throws(SystemError) in try ServerLoop(context).run() })
            queue.finish()
        }
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await job in jobs {
                    group.addTask { [handler] in await job.run(handler) }
                }
                // The sockets are closed: the grace is over, or nothing is left to do.
                group.cancelAll()
            }
        } onCancel: {
            stop(grace: .zero)
        }
        try await ended.value.get()
    }

    /// Stops accepting, answers what is in flight, refuses what arrives with `shutting_down`, flushes, and closes each
    /// connection that is done; after `grace` (real time) all of them. Asked twice, the shorter grace holds.
    package func stop(grace: Duration) {
        inbox.stop(grace: grace)
    }
}

/// A request that its handler answers off the server's thread.
struct ServerJob: Sendable {
    let request: RPCRequest
    let connection: RPCConnection

    func run(_ handler: any RPCHandler) async {
        let outcome = await handler.handle(request, on: connection)
        connection.requestEnded(request.id.map { RPCLine.answer(outcome, id: $0) })
        if case .success(let result) = outcome { result.afterAnswer?() }
    }
}
