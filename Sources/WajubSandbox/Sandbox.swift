internal import Contract
internal import Glibc
internal import Platform

/// A running sandbox: Wajub's API and a Pusher server on 127.0.0.1.
package final class Sandbox: Sendable {
    /// The API's origin, `http://127.0.0.1:PORT` or `https://…`.
    package let apiOrigin: String
    /// The Pusher server's, `ws://127.0.0.1:PORT` or `wss://…`.
    package let realtime: String
    private let driver: SandboxDriver
    private let servers: [HTTPServer]
    private let webSockets: WebSocketServer

    /// Starts listening.
    ///
    /// - throws: ``SandboxStartError`` when a port is taken, or the TLS files are unusable.
    package static func start(_ options: SandboxOptions = SandboxOptions()) async throws(SandboxStartError) -> Sandbox {
        try Sandbox(options)
    }

    /// As ``start(_:)``, for a program without tasks.
    init(_ options: SandboxOptions) throws(SandboxStartError) {
        // A client that is gone is an error of the write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let time = SystemTime(speed: options.speed)
        let clock = SandboxClock(start: time.now, wall: time.wallNow)
        let seed = options.seed ?? SystemRandomness().next()
        let driver = try SandboxDriver(core: SandboxCore(seed: seed, clock: clock), time: time)
        let webSockets = try WebSocketServer(driver: driver)
        do throws(SandboxStartError) {
            let api = try HTTPServer(port: options.port, tls: options.tls, handler: APIHandler(driver: driver))
            do throws(SandboxStartError) {
                let handler = RealtimeHandler(driver: driver, server: webSockets)
                servers = [api, try HTTPServer(port: options.webSocketPort, tls: options.tls, handler: handler)]
            } catch {
                api.stop()
                throw error
            }
        } catch {
            driver.stop()
            webSockets.join()
            throw error
        }
        self.driver = driver
        self.webSockets = webSockets
        let secure = options.tls == nil ? "" : "s"
        apiOrigin = "http\(secure)://127.0.0.1:\(servers[0].port)"
        realtime = "ws\(secure)://127.0.0.1:\(servers[1].port)"
        let addresses = SandboxModel.Addresses(
            api: apiOrigin, realtimeHost: "ws\(secure)://127.0.0.1", realtimePort: Int(servers[1].port))
        driver.perform { core, _ in core.model.addresses = addresses }
    }

    /// The line the program prints once it listens.
    package var announcement: String {
        JSON.fields(["api_origin": .string(apiOrigin), "realtime": .string(realtime)]).text
    }

    /// Asks the sandbox from inside its process, as over HTTP: `/payments`, `/sandbox/…`, `/pay/…`.
    ///
    /// - returns: `nil` when a fault drops the request, or the sandbox stops.
    package func request(
        _ method: String, _ path: String, query: [String: String] = [:], headers: [String: String] = [:],
        json body: JSON? = nil
    ) async -> SandboxAnswer? {
        await driver.answer(
            SandboxRequest(
                method: method, path: path, query: query, headers: headers,
                body: body.map { Array($0.text.utf8) } ?? []))
    }

    /// Closes every connection and ends the threads; returns once nothing runs any more. To be called once.
    package func stop() async {
        end()
    }

    /// As ``stop()``, for a program without tasks.
    func end() {
        for server in servers { server.quiesce() }
        driver.stop()
        webSockets.join()
        for server in servers { server.stop() }
    }
}

/// Serves the API's port.
private final class APIHandler: HTTPHandler {
    private let driver: SandboxDriver

    init(driver: SandboxDriver) {
        self.driver = driver
    }

    func received(_ exchange: HTTPExchange) -> SandboxCore.Delivery? {
        driver.receive(exchange)
    }

    func upgrade(_ exchange: HTTPExchange) -> WebSocketUpgrade? { nil }
}

/// Serves the Pusher server's port: `/app/<key>` and nothing else.
private final class RealtimeHandler: HTTPHandler {
    private let driver: SandboxDriver
    private let server: WebSocketServer

    init(driver: SandboxDriver, server: WebSocketServer) {
        self.driver = driver
        self.server = server
    }

    func received(_ exchange: HTTPExchange) -> SandboxCore.Delivery? {
        .answer(.error(exchange.refusedStatus ?? 426, nil, "This port serves WebSockets at /app/<key>."))
    }

    func upgrade(_ exchange: HTTPExchange) -> WebSocketUpgrade? {
        let request = exchange.request
        guard let upgrade = WebSocketUpgrade(request, server: server) else { return nil }
        exchange.refusedStatus = driver.perform { core, _ in core.realtime.refusal(path: request.path) }
        return exchange.refusedStatus == nil ? upgrade : nil
    }
}
