internal import Contract
internal import FoundationEssentials

extension Wire {
    /// The body of an error (`wire.md`, "Common").
    struct ErrorBody: Decodable {
        let message: String?
        let code: String?
        /// The first error of each field.
        let errors: [String: String]
        let blockReference: String?
        let attemptsLeft: Int?

        /// - throws: when the body is not a JSON object.
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: ErrorKey.self)
            message = container.text(.message)
            code = container.text(.code)
            var errors = (container.lenientObject(FirstText.self, .errors) ?? [:]).mapValues(\.text)
            for field in container.lenientList(String.self, .missingFields) where errors[field] == nil {
                errors[field] = "This field is required."
            }
            self.errors = errors
            attemptsLeft =
                container.lenient(Int.self, .attemptsLeft)
                ?? container.lenient(StepBody.self, .step)?.attemptsLeft
            blockReference = container.text(.blockReference)
        }
    }

    /// A text, or the first of a list of texts.
    private struct FirstText: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self.text = text
            } else if let first = try container.decode([Lenient<String>].self).lazy.compactMap(\.value).first {
                text = first
            } else {
                throw NotOurs()
            }
        }
    }

    /// Any JSON object: an answer of which no field is needed.
    struct AnyObject: Decodable {
        private enum NoKey: CodingKey {}

        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: NoKey.self)
        }
    }

    /// POST /pay/broadcasting/auth.
    struct Authorization: Decodable {
        let auth: String
        let channelData: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AuthorizationKey.self)
            guard let auth = container.text(.auth) else { throw NotOurs() }
            self.auth = auth
            channelData = container.text(.channelData)
        }
    }
}
