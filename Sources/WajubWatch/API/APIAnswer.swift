internal import Contract
internal import FoundationEssentials
internal import Transport

/// One answer of the API with what its headers say, and the rules by which it is no answer at all (`wire.md`,
/// "Common").
struct APIAnswer {
    /// A server that asks for more is asked again all the same.
    static let longestRetryAfter: Duration = .seconds(3600)

    private let status: Int
    private let body: Data
    /// The `Date` header in seconds since 1970.
    let date: Double?
    private let retryAfter: Duration?
    private let correlationID: String?

    init(_ response: HTTPResponse) {
        status = response.status
        body = Data(response.body)
        let date = response.header(Wire.Header.date).flatMap(WireTime.http)
        self.date = date
        retryAfter = response.header(Wire.Header.retryAfter).flatMap { Self.retryAfter($0, at: date) }
        correlationID = response.header(Wire.Header.requestID) ?? response.header(Wire.Header.traceID)
    }

    /// What the answer says: the value of a 2xx, a refusal for any other 4xx than 408 and 429, and else no answer.
    ///
    /// JSON comes first: a 4xx in HTML is a proxy's or a portal's.
    func result<Body: Decodable, Answer>(
        _ type: Body.Type, _ answer: (_ body: Body, _ date: Double?) -> Answer
    ) -> Result<Answer, CallFailure> {
        let decoder = JSONDecoder()
        switch status {
        case 200...299:
            do {
                return .success(answer(try decoder.decode(type, from: body), date))
            } catch {
                return .failure(.unanswered(unanswered(.notJSON, "The answer is not Wajub's JSON.")))
            }
        default:
            do {
                return .failure(failure(try decoder.decode(Wire.ErrorBody.self, from: body)))
            } catch {
                return .failure(.unanswered(unanswered(.notJSON, "The answer is not Wajub's JSON.")))
            }
        }
    }

    private func failure(_ body: Wire.ErrorBody) -> CallFailure {
        switch status {
        case 408: .unanswered(unanswered(.timeout, "Wajub timed out."))
        case 429: .unanswered(unanswered(.rateLimited, "Wajub asks for fewer requests."))
        case 400...499: .refused(refusal(body))
        case 500...599: .unanswered(unanswered(.server, "Wajub's server failed."))
        default: .unanswered(unanswered(.server, "The answer has a status that no rule knows."))
        }
    }

    private func refusal(_ body: Wire.ErrorBody) -> APIRefusal {
        APIRefusal(
            httpStatus: status, code: body.code.map(ErrorCode.init(rawValue:)) ?? ErrorCode(httpStatus: status),
            apiMessage: body.message, details: body.errors, blockReference: body.blockReference,
            correlationID: correlationID, retryAfter: retryAfter, attemptsLeft: body.attemptsLeft)
    }

    private func unanswered(_ kind: Unanswered.Kind, _ reason: String) -> Unanswered {
        Unanswered(kind, reason: reason, httpStatus: status, retryAfter: retryAfter, correlationID: correlationID)
    }

    /// Whole seconds, or an HTTP date, which counts from the answer's own `Date`.
    private static func retryAfter(_ text: String, at date: Double?) -> Duration? {
        let text = text.drop { $0 == " " }
        if text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), !text.isEmpty {
            return min(.seconds(Int(text) ?? .max), longestRetryAfter)
        }
        guard let date, let moment = WireTime.http(String(text)) else { return nil }
        return min(.seconds(max(moment - date, 0)), longestRetryAfter)
    }
}
