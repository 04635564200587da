internal import Contract
internal import FoundationEssentials
internal import JSON
internal import JSONRPC
internal import Platform

/// A method's parameters: taken one by one, each checked, an unknown one refused by name.
struct Params {
    private let values: [String: JSONValue]

    /// - throws: ``RPCError`` −32602 with `data.param` for a parameter that the method does not have.
    init(_ request: RPCRequest, allowed: [String]) throws(RPCError) {
        values = request.params
        if let stranger = values.keys.filter({ !allowed.contains($0) }).min() {
            throw .invalidParam(stranger, "\(request.method) has no parameter of this name")
        }
    }

    /// The value under a name; an explicit null counts as absent.
    subscript(name: String) -> JSONValue? {
        let value = values[name]
        return value?.isNull == true ? nil : value
    }

    func string(_ name: String) throws(RPCError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .invalidParam(name, "must be a string") }
        return text
    }

    func requiredString(_ name: String) throws(RPCError) -> String {
        guard let text = try string(name) else { throw .invalidParam(name, "is required") }
        return text
    }

    func bool(_ name: String) throws(RPCError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.bool else { throw .invalidParam(name, "must be true or false") }
        return flag
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(RPCError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw .invalidParam(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A duration in seconds, at most 30 days.
    func seconds(_ name: String) throws(RPCError) -> Duration? {
        guard let value = self[name] else { return nil }
        guard let number = value.double, (0...2_592_000).contains(number) else {
            throw .invalidParam(name, "must be a number of seconds from 0 to 2592000")
        }
        return .milliseconds(Int64(number * 1000))
    }

    /// Which payment is meant: the daemon's id, `{"reference": …}` or `{"token": …}`.
    func payment(_ name: String = "payment") throws(RPCError) -> PaymentSelector? {
        guard let value = self[name] else { return nil }
        if let id = value.string { return .id(id) }
        if let object = value.object, object.count == 1 {
            if let reference = object["reference"]?.string { return .reference(reference) }
            if let token = object["token"]?.string { return .token(try AuthorizationToken.checked(token, param: name)) }
        }
        throw .invalidParam(name, "must be an id, {\"reference\": …} or {\"token\": …}")
    }

    func requiredPayment() throws(RPCError) -> PaymentSelector {
        guard let selector = try payment() else { throw .invalidParam("payment", "is required") }
        return selector
    }

    /// Text that a till may choose: 1 to 255 characters, none of them a control character.
    func label(_ name: String) throws(RPCError) -> String? {
        guard let text = try string(name) else { return nil }
        guard (1...255).contains(text.count),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw .invalidParam(name, "must have 1 to 255 characters, none of them a control character") }
        return text
    }

    func language(_ name: String) throws(RPCError) -> Language? {
        guard let text = try string(name) else { return nil }
        guard let language = Language(locale: text) else {
            throw .invalidParam(name, "must be a locale such as fr or en-GB")
        }
        return language
    }

    /// ISO 3166 alpha-2, in any case; told in capitals.
    func country(_ name: String) throws(RPCError) -> String? {
        guard let text = try string(name) else { return nil }
        guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isLetter }) else {
            throw .invalidParam(name, "must be a country's two letters")
        }
        return text.uppercased()
    }

    /// `false`, or `{host, port, tls}` (`protocol.md`, `payment.watch`).
    func realtime(_ name: String) throws(RPCError) -> PaymentOptions.Realtime? {
        guard let value = self[name] else { return nil }
        if value.bool == false { return .off }
        guard let object = value.object, let host = object["host"]?.string, let port = object["port"]?.int,
            let tls = object["tls"]?.bool, object.count == 3
        else { throw .invalidParam(name, "must be false or {\"host\": …, \"port\": …, \"tls\": …}") }
        guard (1...65_535).contains(port), let authority = Authority(host), authority.port == nil else {
            throw .invalidParam(name, "names no host and port that could be connected to")
        }
        return .server(host: authority.host, port: port, tls: tls)
    }
}

/// How a till names a payment.
enum PaymentSelector {
    case id(String)
    case reference(String)
    case token(String)
}

/// The checks on a token before it goes anywhere: a request's header must not be split by it.
enum AuthorizationToken {
    static let longest = 4096

    /// - throws: −32602; the token itself is in no text.
    static func checked(_ token: String, param: String = "token") throws(RPCError) -> String {
        if token.isEmpty { throw .invalidParam(param, "must not be empty") }
        if token.utf8.count > longest { throw .invalidParam(param, "is longer than \(longest) bytes") }
        guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidParam(param, "has characters that no token has (spaces, control characters, non-ASCII)")
        }
        return token
    }
}
