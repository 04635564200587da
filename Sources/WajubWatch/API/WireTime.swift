internal import FoundationEssentials

/// Times as Wajub and HTTP write them.
enum WireTime {
    /// RFC 3339, with or without a fraction.
    static func date(_ text: String) -> Date? {
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        // Lenient by intent: a time that cannot be read is no time.
        return styles.lazy.compactMap { try? $0.parse(text) }.first
    }

    /// An HTTP date, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
    static func httpDate(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])),
            let day = Int(parts[1]), let year = Int(parts[3]), (1...31).contains(day), (1970...9999).contains(year)
        else { return nil }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return date("\(year)-\(two(month + 1))-\(two(day))T\(parts[4])Z")
    }

    /// `Retry-After`: whole seconds, or an HTTP date against the answer's own `Date`. At most a day.
    static func retryAfter(_ text: String?, servedAt: Date?) -> Duration? {
        guard let text else { return nil }
        let longest = 86_400.0
        if let seconds = Int(text), seconds >= 0 { return .seconds(min(Double(seconds), longest)) }
        guard let date = httpDate(text), let servedAt else { return nil }
        return .seconds(min(max(date.timeIntervalSince(servedAt), 0), longest))
    }
}
