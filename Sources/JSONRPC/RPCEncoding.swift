internal import FoundationEssentials
package import JSON

/// The result of a method, as JSON on one line.
package struct RPCResult: Sendable {
    let json: [UInt8]
    /// Runs once the answer stands in the connection's outbound queue; what is sent from here on comes after it. Must
    /// not block.
    package var afterAnswer: (@Sendable () -> Void)?

    /// A result that was encoded elsewhere: one JSON value without a line break.
    package init(json: [UInt8], afterAnswer: (@Sendable () -> Void)? = nil) {
        self.json = json
        self.afterAnswer = afterAnswer
    }

    package init(_ value: JSONValue, afterAnswer: (@Sendable () -> Void)? = nil) {
        self.init(json: value.encoded, afterAnswer: afterAnswer)
    }

    /// - throws: the encoder's error.
    package init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(json: Array(try encoder.encode(value)))
    }
}

/// What answers a request.
package typealias RPCOutcome = Result<RPCResult, RPCError>

/// Lines of the wire, each with its newline.
package enum RPCLine {
    /// A notification, of the daemon to a client; `params` is one JSON object without a line break.
    package static func notification(_ method: String, params: [UInt8]) -> [UInt8] {
        var line = Array("{\"jsonrpc\":\"2.0\",\"method\":".utf8)
        line.reserveCapacity(line.count + method.utf8.count + params.count + 16)
        line.appendJSON(method)
        line.append(contentsOf: ",\"params\":".utf8)
        line.append(contentsOf: params)
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    /// A request; without an id it is a notification of the client.
    package static func request(_ request: RPCRequest) -> [UInt8] {
        var line = Array("{\"jsonrpc\":\"2.0\"".utf8)
        if let id = request.id {
            line.append(contentsOf: ",\"id\":".utf8)
            id.write(into: &line)
        }
        line.append(contentsOf: ",\"method\":".utf8)
        line.appendJSON(request.method)
        if !request.params.isEmpty {
            line.append(contentsOf: ",\"params\":".utf8)
            JSONValue.object(request.params).write(into: &line)
        }
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    /// An answer.
    static func answer(_ outcome: RPCOutcome, id: RPCID) -> [UInt8] {
        var line = Array("{\"jsonrpc\":\"2.0\",\"id\":".utf8)
        switch outcome {
        case .success(let result):
            line.reserveCapacity(line.count + result.json.count + 64)
            id.write(into: &line)
            line.append(contentsOf: ",\"result\":".utf8)
            line.append(contentsOf: result.json)
        case .failure(let error):
            id.write(into: &line)
            line.append(contentsOf: ",\"error\":".utf8)
            error.json.write(into: &line)
        }
        line.append(contentsOf: "}\n".utf8)
        return line
    }
}

extension RPCID {
    func write(into bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .integer(let value):
            // The shorter type formats several times faster.
            let text = Int(exactly: value).map { String($0) } ?? String(value)
            bytes.append(contentsOf: text.utf8)
        case .string(let text): bytes.appendJSON(text)
        }
    }
}

extension RPCError {
    /// The `error` member of an answer.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "code": .integer(code.rawValue), "message": .string(message),
        ]
        members["data"] = data
        return .object(members)
    }
}
