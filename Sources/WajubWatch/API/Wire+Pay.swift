internal import Contract
internal import FoundationEssentials

extension Wire {
    /// An answer to a request that pays or confirms (`wire.md`, POST /pay/process).
    struct PayBody: Decodable {
        private let transaction: Transaction?
        private let action: PayAnswer.Action?

        /// - throws: ``NotOurs`` where it tells neither the payment nor what to do: that is no answer to an attempt.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: PayKey.self)
            transaction = container.lenient(Transaction.self, .transaction)
            action = container.text(.action).map { Self.action($0, container) }
            guard transaction != nil || action != nil else { throw NotOurs() }
        }

        func answer(answeredAt date: Double?) -> PayAnswer {
            PayAnswer(transaction: transaction?.transaction(answeredAt: date), action: action)
        }

        private static func action(_ word: String, _ container: KeyedDecodingContainer<PayKey>) -> PayAnswer.Action {
            let url = container.pageURL(.confirmURL) ?? container.pageURL(.simulatorURL)
            if Wire.Action.pages.contains(word) { return url.map { .demand(.page(url: $0)) } ?? .pageWithoutAddress }
            if word == Wire.Action.clientSession {
                let session = container.lenient(ClientSessionBody.self, .clientSession)?.session
                return session.map { .demand(.clientSession($0)) } ?? .unknown(word)
            }
            // A 3-D Secure page, or its code where there is none to open.
            if word == Wire.Action.threeDS, let url { return .demand(.page(url: url)) }
            guard word.hasPrefix(Wire.Action.stepPrefix),
                let kind = Step.Kind(rawValue: String(word.dropFirst(Wire.Action.stepPrefix.count))),
                let step = container.lenient(StepBody.self, .step)
            else { return .unknown(word) }
            return .demand(.step(step.step(kind)))
        }
    }

    /// A confirmation step, complete enough to be answered.
    struct StepBody: Decodable {
        let id: String
        let attemptsLeft: Int?
        let hint: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: StepKey.self)
            guard let id = container.text(.id) else { throw NotOurs() }
            self.id = id
            attemptsLeft = container.lenient(Int.self, .attemptsLeft)
            hint = container.text(.hint).map(Redaction.withoutNumbers)
        }

        func step(_ kind: Step.Kind) -> Step {
            Step(kind, id: id, attemptsLeft: attemptsLeft, hint: hint)
        }
    }

    /// An answer to POST /pay/verify/resend: any JSON object, perhaps with the step anew.
    struct ResendBody: Decodable {
        let step: StepBody?

        init(from decoder: any Decoder) throws {
            step = try decoder.container(keyedBy: PayKey.self).lenient(StepBody.self, .step)
        }
    }

    /// A client session, for the daemon and for the till.
    struct ClientSessionBody: Decodable {
        let session: ClientSession

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ClientSessionKey.self)
            guard let id = container.text(.id) else { throw NotOurs() }
            session = ClientSession(
                id: id, provider: container.text(.provider), hostedURL: container.pageURL(.hostedURL),
                reference: container.text(.reference), amount: container.amount(.amount),
                currency: container.text(.currency),
                keys: ClientSession.Keys(
                    accessCode: container.text(.accessCode), publicKey: container.text(.publicKey),
                    encryptionKey: container.text(.encryptionKey)))
        }
    }
}

extension Wire.Path {
    init(verifying kind: Step.Kind) {
        self =
            switch kind {
            case .otp: .verifyOTP
            case .pin: .verifyPIN
            case .phone: .verifyPhone
            case .birthday: .verifyBirthday
            case .address: .verifyAddress
            case .threeDS: .verify3DS
            }
    }
}
