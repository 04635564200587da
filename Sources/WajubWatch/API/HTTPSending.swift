package import Transport

/// Whoever sends HTTP requests: ``Transport/Transport``, or a test's own.
package protocol HTTPSending: Sendable {
    /// Sends a request and waits for the whole answer; any status is a success.
    func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure>
}

extension Transport: HTTPSending {}
