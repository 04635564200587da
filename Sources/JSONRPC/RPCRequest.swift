package import JSON

/// What a client matches an answer by.
package enum RPCID: Hashable, Sendable {
    case null
    /// A whole number; 128 bits, as some clients draw 64 unsigned ones.
    case integer(Int128)
    case string(String)
}

/// One call of a method.
package struct RPCRequest: Hashable, Sendable {
    /// `nil`: the client wants no answer (JSON-RPC 2.0, 4.1), and the method runs all the same.
    package let id: RPCID?
    package let method: String
    /// By name; empty where the request had none.
    package let params: [String: JSONValue]

    package init(id: RPCID?, method: String, params: [String: JSONValue] = [:]) {
        self.id = id
        self.method = method
        self.params = params
    }
}

/// Prints without its params, which hold tokens and numbers.
extension RPCRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "\(method) \(id.map { "\($0)" } ?? "without id")" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["method": method]) }
}

/// A line that holds no request: what to answer, and under which id; `nil` where JSON-RPC forbids an answer.
struct RPCRejection: Error, Equatable {
    let error: RPCError
    let id: RPCID?
}

extension RPCRequest {
    /// Reads one line.
    ///
    /// `"params": null` counts as absent, as many libraries write it.
    ///
    /// - throws: what to answer. A line that is not JSON, or has no usable id, is answered with id `null`.
    init(parsing line: ArraySlice<UInt8>) throws(RPCRejection) {
        let outcome: Result<RPCEnvelope, RPCError>
        do throws(JSONParseError) {
            var parser = JSONParser(line)
            if parser.peek() == UInt8(ascii: "{") {
                let envelope = try RPCEnvelope(&parser)
                try parser.end()
                outcome = .success(envelope)
            } else {
                let value = try JSONValue(parsing: line)
                let notObject = RPCError(.invalidRequest, "a request is a JSON object")
                outcome = .failure(value.array == nil ? notObject : .batch)
            }
        } catch {
            outcome = .failure(RPCError(.parseError, error.message))
        }
        switch outcome {
        case .success(let envelope): try self.init(envelope)
        case .failure(let error): throw RPCRejection(error: error, id: .null)
        }
    }

    private init(_ envelope: RPCEnvelope) throws(RPCRejection) {
        func invalid(_ message: String, id: RPCID) -> RPCRejection {
            RPCRejection(error: RPCError(.invalidRequest, message), id: id)
        }
        guard !envelope.hasWrongID else {
            throw invalid("id must be a string, a whole number of at most 38 digits, or null", id: .null)
        }
        let answerID = envelope.id ?? .null
        guard envelope.version == "2.0" else { throw invalid("jsonrpc must be \"2.0\"", id: answerID) }
        guard case .string(let method)? = envelope.method else {
            throw invalid("method must be a string", id: answerID)
        }
        switch envelope.params {
        case nil, .null: self.init(id: envelope.id, method: method)
        case .object(let members): self.init(id: envelope.id, method: method, params: members)
        case .array:
            let error = RPCError.invalidParam("params", "must be an object: methods take their params by name")
            // A request that is whole and has no id is a notification, which is not told of invalid params either.
            throw RPCRejection(error: error, id: envelope.id)
        case .bool, .number, .string: throw invalid("params must be an object", id: answerID)
        }
    }
}

/// The members of a request before they are judged; unknown ones are passed over.
private struct RPCEnvelope {
    var version: JSONValue?
    var id: RPCID?
    var hasWrongID = false
    var method: JSONValue?
    var params: JSONValue?

    /// Reads an object in one pass, at its brace.
    init(_ parser: inout JSONParser) throws(JSONParseError) {
        var read = (version: JSONValue?.none, id: RPCID?.none, hasWrongID: false, method: JSONValue?.none)
        var params: JSONValue?
        try parser.object { name, parser throws(JSONParseError) in
            switch name {
            case "jsonrpc": read.version = try parser.value()
            case "id":
                read.id = try parser.requestID()
                read.hasWrongID = read.id == nil
            case "method": read.method = try parser.value()
            case "params": params = try parser.value()
            case _: _ = try parser.value()
            }
        }
        (version, id, hasWrongID, method) = read
        self.params = params
    }
}

extension JSONParser {
    /// Reads a value as an id; `nil` where it cannot be one.
    mutating func requestID() throws(JSONParseError) -> RPCID? {
        switch peek() {
        case UInt8(ascii: "\""): return .string(try string())
        case .some(UInt8(ascii: "-")), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
            let number = try number()
            if let small = number.small { return .integer(Int128(small)) }
            guard number.isInteger, number.text.count <= 39 else { return nil }
            return Int128(String(decoding: number.text, as: UTF8.self)).map(RPCID.integer)
        case .some, nil: return try value() == .null ? .null : nil
        }
    }
}
