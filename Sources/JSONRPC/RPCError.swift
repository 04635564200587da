package import JSON

/// The codes of JSON-RPC 2.0 (section 5.1), and the one that everything of the daemon's own has (protocol.md,
/// "Errors").
package struct RPCErrorCode: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A line is not JSON.
    package static let parseError = RPCErrorCode(rawValue: -32700)
    /// JSON, but no request.
    package static let invalidRequest = RPCErrorCode(rawValue: -32600)
    /// No such method.
    package static let methodNotFound = RPCErrorCode(rawValue: -32601)
    /// Params that the method does not take; `data.param` names which.
    package static let invalidParams = RPCErrorCode(rawValue: -32602)
    /// A fault of the server's own.
    package static let internalError = RPCErrorCode(rawValue: -32603)
    /// Everything else: `data` says what, `data.code` by name.
    package static let serverError = RPCErrorCode(rawValue: -32000)
}

/// The error answer to a request. Goes over the wire as it is: no part of it may hold a secret.
package struct RPCError: Error, Hashable, Sendable {
    package var code: RPCErrorCode
    /// For a person.
    package var message: String
    package var data: JSONValue?

    package init(_ code: RPCErrorCode, _ message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// `-32602`, naming the param that is missing or wrong.
    package static func invalidParam(_ name: String, _ message: String) -> RPCError {
        RPCError(.invalidParams, "\(name): \(message)", data: ["param": .string(name)])
    }

    /// `-32601`. The name is the client's own text and is not repeated.
    package static let methodNotFound = RPCError(.methodNotFound, "no such method")
}

// MARK: What the transport itself answers

extension RPCError {
    /// As the contract's catalogue words them; this target does not know it.
    private static func unavailable(_ code: String, _ message: String) -> RPCError {
        let data: JSONValue = [
            "type": "api_error", "code": .string(code), "message": .string(message), "retryable": true,
        ]
        return RPCError(.serverError, message, data: data)
    }

    static let tooManyClients = unavailable("too_many_clients", "Too many clients are connected.")
    static let shuttingDown = unavailable("shutting_down", "The daemon is stopping.")
    static func tooLarge(limit: Int) -> RPCError {
        RPCError(
            .invalidRequest, "a request is longer than \(limit) bytes", data: ["code": "message_too_large"])
    }

    static let batch = RPCError(.invalidRequest, "batches are not taken: one request a line")
}
