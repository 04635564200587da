internal import Contract
internal import FoundationEssentials
internal import Platform

/// Takes what the payer gave out of Wajub's own words: an answer may quote the number or the name that it refuses, and its words are kept
/// and told (design.md, promise 4). The same goes for the token.
struct Redaction {
    private static let mark = "•••"
    /// Shorter words are no secret, and would tear others apart.
    private static let shortestWord = 3
    /// A telephone's number without its country, whichever way it is grouped.
    private static let numberTail = 8
    /// Members of a body that the payer did not give.
    private static let ours: Set = [
        "channel", "country", "operator", "device", "return_url", "step_id", "client_session_id",
    ]

    private let words: [String]
    private let numbers: [String]

    /// - Parameters:
    ///   - body: the request's JSON; empty where there is none.
    ///   - token: what every call is made with.
    init(body: [UInt8], token: Secret) {
        let texts = (try? JSONDecoder().decode(Leaves.self, from: Data(body)))?.texts ?? []
        words = (texts + [token.revealed]).filter { $0.count >= Self.shortestWord }.sorted { $0.count > $1.count }
        numbers = texts.map(Self.digits).filter { $0.count >= Self.numberTail }.map {
            String($0.suffix(Self.numberTail))
        }
    }

    func redact(_ refusal: APIRefusal) -> APIRefusal {
        var refusal = refusal
        refusal.apiMessage = refusal.apiMessage.map(redact)
        refusal.details = refusal.details.mapValues(redact)
        return refusal
    }

    private func redact(_ text: String) -> String {
        let worded = words.reduce(text) { $0.replacing($1, with: Self.mark) }
        return Self.replacingNumbers(in: worded) { run in numbers.contains { run.contains($0) } }
    }

    /// Words of an answer to nobody's request, whose payer is not known: no number as long as a telephone's stays in them.
    static func withoutNumbers(_ text: String) -> String {
        replacingNumbers(in: text) { $0.count >= numberTail }
    }

    /// Replaces the numbers whose digits are to go; a number may be grouped by spaces, dots and dashes.
    private static func replacingNumbers(in text: String, where goes: (String) -> Bool) -> String {
        var (result, rest) = ("", text[...])
        while let start = rest.firstIndex(where: isDigit) {
            result += rest[..<start]
            let run = rest[start...].prefix { isDigit($0) || " .-()\u{A0}\u{202F}".contains($0) }
            let end = run.lastIndex(where: isDigit).map(run.index(after:)) ?? run.endIndex
            result += goes(digits(String(run[..<end]))) ? mark : String(run[..<end])
            rest = rest[end...]
        }
        return result + rest
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    private static func digits(_ text: String) -> String { text.filter(isDigit) }

    /// The texts and numbers that the payer gave, anywhere in a body.
    private struct Leaves: Decodable {
        var texts: [String] = []

        init(from decoder: any Decoder) throws {
            if let members = try? decoder.container(keyedBy: AnyKey.self) {
                for key in members.allKeys where !ours.contains(key.stringValue) {
                    texts += try members.decode(Leaves.self, forKey: key).texts
                }
            } else if var items = try? decoder.unkeyedContainer() {
                while !items.isAtEnd { texts += try items.decode(Leaves.self).texts }
            } else {
                let value = try decoder.singleValueContainer()
                if let text = try? value.decode(String.self) {
                    texts = [text]
                } else if let number = try? value.decode(Decimal.self) {
                    texts = ["\(number)"]
                }
            }
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
