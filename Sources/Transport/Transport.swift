internal import CCurl
internal import Glibc
package import Platform
internal import Synchronization

/// HTTPS and WebSockets by libcurl's multi interface, on a thread of its own that sleeps while there is nothing to do.
///
/// TLS 1.2 or later with the host name verified, HTTP/1.1, no redirects, no cookies. At most 64 requests are on their way at
/// once, the rest wait in line; connections are kept and used again. Nothing is logged.
package final class Transport: Sendable {
    private let inbox: Inbox

    /// - throws: ``TransportError``: the CA file, libcurl or the thread is not to be had.
    package init(
        _ configuration: TransportConfiguration, randomness: any Randomness = SystemRandomness()
    ) throws(TransportError) {
        if let file = configuration.caFile {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .caFileUnreadable(errno: errno) }
            Glibc.close(descriptor)
        }
        guard Self.curlIsReady, let multi = curl_multi_init() else { throw .curlUnavailable }
        let handle = WakeHandle(multi: multi)
        let inbox = Inbox(wake: handle)
        self.inbox = inbox
        do throws(OwnedThread.StartError) {
            // No signal is delivered to it, nor to libcurl's look-up threads after it: OpenSSL writes without `MSG_NOSIGNAL`, and
            // SIGPIPE goes to the thread that wrote.
            try OwnedThread.start {
                Engine(multi: handle.multi, inbox: inbox, configuration: configuration, randomness: randomness).run()
            }
        } catch {
            inbox.close()
            curl_multi_cleanup(multi)
            throw .threadUnavailable(errno: error.code)
        }
    }

    deinit {
        inbox.submit(.stop)
    }

    /// Sends a request and waits for its whole answer; whatever its status, an answer is a success here. Cancelling the task
    /// ends the request.
    package func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure> {
        await submit { .request($0, request, .now, $1) }
    }

    /// Opens a WebSocket. Cancelling the task ends the attempt.
    package func openWebSocket(_ request: WebSocketRequest) async -> Result<WebSocketConnection, TransportFailure> {
        await submit { .open($0, request, .now, $1) }
    }

    /// Ends everything: requests and attempts fail as ``TransportFailure/Kind/cancelled``, WebSockets close with 1006. Returns
    /// when the thread has let go of all of it.
    package func shutdown() async {
        inbox.submit(.stop)
        await inbox.ended()
    }

    private typealias Reply<Answer> = CheckedContinuation<Result<Answer, TransportFailure>, Never>

    /// Hands a command over and waits for its reply, passing on a cancel, which may come before the command.
    private func submit<Answer: Sendable>(
        _ command: (UInt64, Reply<Answer>) -> Command
    ) async -> Result<Answer, TransportFailure> {
        let id = inbox.nextID()
        let stage = CommandStage()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                let command = command(id, reply)
                // The inbox takes the command under this lock, so that no cancel overtakes it.
                let submitted = stage.value.withLock { stage in
                    guard stage == .before else { return false }
                    stage = .submitted
                    inbox.submit(command)
                    return true
                }
                if !submitted { reply.resume(returning: .failure(.init(.cancelled, mayHaveReachedServer: false))) }
            }
        } onCancel: {
            stage.value.withLock { stage in
                if stage == .submitted { inbox.submit(.cancel(id)) }
                stage = .cancelled
            }
        }
    }

    /// `curl_global_init`, once in the process.
    private static let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// How far the way of a command into the inbox has come, when a cancel may arrive at any time.
private final class CommandStage: Sendable {
    enum Value {
        case before
        case submitted
        case cancelled
    }

    let value = Mutex(Value.before)
}
