extension ErrorCode {
    // Mobile Money, before anything is sent (seed 000, "Mobile Money").
    package static let phoneRequired = ErrorCode(rawValue: "phone_required")
    package static let invalidPhone = ErrorCode(rawValue: "invalid_phone")
    package static let operatorMismatch = ErrorCode(rawValue: "operator_mismatch")
    package static let operatorRequired = ErrorCode(rawValue: "operator_required")
}

/// Why a Mobile Money payment is not even asked for. Holds no digit of the number.
package struct MobileMoneyRefusal: Error, Hashable, Sendable {
    /// What of the request is wrong.
    package enum Param: String, Hashable, Sendable {
        case phone, country, `operator`, channel
    }

    package let code: ErrorCode
    package let param: Param
    /// Whose number it is, as that operator is offered: on a mismatch.
    package let operatorName: String?
    /// What is wrong with the parameter, for the till's developer.
    let detail: String?

    private init(_ code: ErrorCode, _ param: Param, operatorName: String? = nil, detail: String? = nil) {
        self.code = code
        self.param = param
        self.operatorName = operatorName
        self.detail = detail
    }

    static let phoneRequired = MobileMoneyRefusal(.phoneRequired, .phone)
    static let invalidPhone = MobileMoneyRefusal(.invalidPhone, .phone)
    static let operatorRequired = MobileMoneyRefusal(.operatorRequired, .operator)

    static func mismatch(with name: String) -> MobileMoneyRefusal {
        MobileMoneyRefusal(.operatorMismatch, .phone, operatorName: name)
    }

    static func invalid(_ param: Param, _ detail: String) -> MobileMoneyRefusal {
        MobileMoneyRefusal(.validationError, param, detail: detail)
    }

    /// The error that tells it. Definite: nothing was sent.
    package func error(in language: Language) -> WajubError {
        var error = WajubError(code, in: language)
        error.type = .invalidRequest
        error.retryable = true
        error.certainty = .definite
        error.param = param.rawValue
        error.details = detail.map { [param.rawValue: $0] }
        if let operatorName {
            error.message =
                switch language {
                case .en: "This number belongs to \(operatorName). Choose \(operatorName), or check the number."
                case .fr: "Ce numéro appartient à \(operatorName). Choisissez \(operatorName) ou vérifiez le numéro."
                }
        }
        return error
    }
}
