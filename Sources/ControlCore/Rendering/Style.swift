/// How text is set off on a terminal. Elsewhere, and where the person does not want it, it is plain; no meaning is lost.
struct Style: Sendable {
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    /// Whether a line may be rewritten in place.
    let isLive: Bool
    let hasColour: Bool

    /// - parameter environment: `NO_COLOR` (no-color.org) and `TERM` are looked at.
    init(isTerminal: Bool, environment: [String: String]) {
        isLive = isTerminal && environment["TERM"] != "dumb"
        hasColour = isLive && environment["NO_COLOR", default: ""].isEmpty
    }

    func bold(_ text: String) -> String { marked(text, "1") }

    func coloured(_ text: String, _ colour: Colour?) -> String {
        guard let colour else { return text }
        return marked(text, colour.rawValue)
    }

    private func marked(_ text: String, _ code: String) -> String {
        hasColour && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// Takes the live line away.
    var clearedLine: String { isLive ? "\r\u{1B}[K" : "" }

    /// Puts `text` in the place of the live line. The terminal cuts what is too long instead of wrapping it, as only
    /// one line can be rewritten.
    func liveLine(_ text: String) -> String { "\(clearedLine)\u{1B}[?7l\(text)\u{1B}[?7h" }
}
