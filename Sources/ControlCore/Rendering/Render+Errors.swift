internal import Glibc
internal import JSON
internal import JSONRPC

extension Render {
    /// The `error` member of an answer, as it came.
    static func json(_ refusal: RPCError) -> JSONValue {
        var members: [String: JSONValue] = [
            "code": JSONValue(integerLiteral: refusal.code.rawValue), "message": .string(refusal.message),
        ]
        members["data"] = refusal.data
        return ["error": .object(members)]
    }

    /// Why there is no answer, and what to do about it.
    static func explanation(_ error: RPCClientError) -> [String] {
        switch error {
        case .refused(let refusal): [refused(refusal)]
        case .unreachable(let path, let cause): unreachable(path, call: cause.call, code: cause.code)
        case .connectionLost:
            [
                "the connection to the daemon ended before its answer; payments go on there",
                "ask again, or see: systemctl status wajubd",
            ]
        case .malformedAnswer: ["what answers at the socket is no wajubd: it does not speak JSON-RPC 2.0"]
        }
    }

    private static func refused(_ refusal: RPCError) -> String {
        let data = refusal.data
        let code = text(data?["code"]) ?? "\(refusal.code.rawValue)"
        let more: [String?] = [
            code, refusal.code == .invalidParams ? nil : text(data?["param"]).map { "param \($0)" },
            data?["retry_after_seconds"]?.double.map { "again in \(duration($0))" },
        ]
        return "\(text(.string(refusal.message)) ?? "") [\(more.joined(", "))]"
    }

    static func unreachable(_ path: String, call: String, code: Int32) -> [String] {
        let status = "see: systemctl status wajubd"
        let reason: String
        switch code {
        case ENOENT: reason = "there is no such socket; is wajubd running, and with this --socket?"
        case ECONNREFUSED: reason = "nobody listens there; wajubd has ended, or never made this socket"
        case EACCES, EPERM:
            return [
                "no daemon can be reached at \(path): permission denied",
                "your user must be in the group wajub: sudo usermod -aG wajub USER, then log in again",
            ]
        case ENOTSOCK: reason = "it is no socket"
        case ENAMETOOLONG: return ["no daemon can be reached at \(path): the path is too long for a socket"]
        case _: reason = "\(call): \(String(cString: strerror(code)))"
        }
        return ["no daemon can be reached at \(path): \(reason)", status]
    }
}
