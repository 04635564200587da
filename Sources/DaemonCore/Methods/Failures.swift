internal import Contract
internal import FoundationEssentials
internal import JSON
internal import JSONRPC
internal import Store
internal import WajubWatch

extension RPCError {
    /// −32000 with the Wajub error as its data.
    static func wajub(_ code: ErrorCode, in language: Language = .en) -> RPCError {
        .wajub(WajubError(code, in: language))
    }

    static func wajub(_ error: WajubError) -> RPCError {
        RPCError(.serverError, error.message, data: JSONValue(describing: error))
    }

    /// What a request about a payment failed for.
    static func failure(_ failure: RequestFailure, in language: Language) -> RPCError {
        switch failure {
        case .refused(let code): .wajub(code, in: language)
        case .wajub(let error): .wajub(error)
        case .parameter(let name, let reason): .invalidParam(name, reason)
        case .referenceTaken: .invalidParam("reference", "another token has it already")
        case .storageUnavailable: .wajub(.storageUnavailable, in: language)
        case .shuttingDown: .wajub(.shuttingDown, in: language)
        }
    }
}

extension JSONValue {
    /// A Wajub error as the protocol shows it.
    init(describing error: WajubError) {
        var object: [String: JSONValue] = [
            "type": .string(error.type.rawValue), "code": .string(error.code.rawValue),
            "message": .string(error.message), "retryable": .bool(error.retryable),
        ]
        object["certainty"] = error.certainty.map { .string($0.rawValue) }
        object["param"] = error.param.map { .string($0) }
        object["retry_after_seconds"] = error.retryAfterSeconds.map {
            .number(Decimal(($0 * 1000).rounded(.up)) / 1000)
        }
        object["details"] = error.details.map { .object($0.mapValues { .string($0) }) }
        self = .object(object)
    }
}
