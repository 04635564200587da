internal import Glibc
package import JSON
internal import Platform

/// A running sandbox: Wajub's API and a Pusher server on 127.0.0.1.
package final class Sandbox: Sendable {
    /// The API's origin, `http://127.0.0.1:PORT` or `https://…`.
    package let apiOrigin: String
    /// The Pusher server's, `ws://127.0.0.1:PORT` or `wss://…`.
    package let realtime: String
    private let driver: SandboxDriver
    private let api: HTTPServer
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
        driver = try SandboxDriver(core: SandboxCore(seed: seed, clock: clock), time: time)
        webSockets = try WebSocketServer(driver: driver, port: options.webSocketPort, tls: options.tls)
        do throws(SandboxStartError) {
            api = try HTTPServer(port: options.port, tls: options.tls, driver: driver)
        } catch {
            driver.stop()
            webSockets.join()
            throw error
        }
        let secure = options.tls == nil ? "" : "s"
        apiOrigin = "http\(secure)://127.0.0.1:\(api.port)"
        realtime = "ws\(secure)://127.0.0.1:\(webSockets.port)"
        let addresses = SandboxModel.Addresses(
            api: apiOrigin, realtimeHost: "ws\(secure)://127.0.0.1", realtimePort: Int(webSockets.port))
        driver.perform { core, _ in core.model.addresses = addresses }
    }

    /// The line the program prints once it listens.
    package var announcement: String {
        JSONValue.fields(["api_origin": .string(apiOrigin), "realtime": .string(realtime)]).text
    }

    /// Asks the sandbox from inside its process, as over HTTP: `/payments`, `/sandbox/…`, `/pay/…`.
    ///
    /// - returns: `nil` when a fault drops the request, or the sandbox stops.
    package func request(
        _ method: String, _ path: String, query: [String: String] = [:], headers: [String: String] = [:],
        json body: JSONValue? = nil
    ) async -> SandboxAnswer? {
        await driver.answer(
            SandboxRequest(
                method: method, path: path, query: query, headers: headers,
                body: body?.encoded ?? []))
    }

    /// Closes every connection and ends the threads; returns once nothing runs any more. To be called once.
    package func stop() async {
        end()
    }

    /// As ``stop()``, for a program without tasks.
    func end() {
        api.quiesce()
        driver.stop()
        webSockets.join()
        api.stop()
    }
}
