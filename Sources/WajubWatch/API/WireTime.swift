/// The times of the wire, as seconds since 1970: they are compared with each other, never with the machine's clock.
enum WireTime {
    /// An HTTP date (RFC 9110, 5.6.7) in its one form that is still sent: `Tue, 01 Dec 2026 10:00:00 GMT`.
    static func http(_ text: String) -> Double? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", let day = number(parts[1], digits: 1...2),
            let month = months.firstIndex(of: String(parts[2])), let year = number(parts[3], digits: 4...4),
            let time = clock(parts[4])
        else { return nil }
        return seconds(year: year, month: month + 1, day: day).map { $0 + time }
    }

    /// RFC 3339, also with a space for the `T`, and without a zone, which then is UTC (Laravel writes both).
    static func rfc3339(_ text: String) -> Double? {
        let text = text.uppercased()
        guard text.utf8.count >= 19, let border = text.firstIndex(where: { $0 == "T" || $0 == " " }) else { return nil }
        let date = text[..<border].split(separator: "-", omittingEmptySubsequences: false)
        let rest = text[text.index(after: border)...]
        let zoneStart = rest.firstIndex { "Z+-".contains($0) } ?? rest.endIndex
        guard date.count == 3, let year = number(date[0], digits: 4...4), let month = number(date[1], digits: 2...2),
            let day = number(date[2], digits: 2...2), let midnight = seconds(year: year, month: month, day: day),
            let time = clock(rest[..<zoneStart]), let offset = zone(rest[zoneStart...])
        else { return nil }
        return midnight + time - offset
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int(text)
    }

    /// `HH:MM:SS`, perhaps with a fraction; 60 is a leap second.
    private static func clock(_ text: Substring) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2...2), hour < 24,
            let minute = number(parts[1], digits: 2...2), minute < 60
        else { return nil }
        let seconds = parts[2].split(separator: ".", omittingEmptySubsequences: false)
        guard seconds.count <= 2, let second = number(seconds[0], digits: 2...2), second <= 60 else { return nil }
        var fraction = 0.0
        if seconds.count == 2 {
            guard let digits = number(seconds[1].prefix(9), digits: 1...9),
                seconds[1].allSatisfy({ ("0"..."9").contains($0) }), let value = Double("0.\(seconds[1].prefix(9))")
            else { return nil }
            fraction = digits == 0 ? 0 : value
        }
        return Double(hour * 3600 + minute * 60 + second) + fraction
    }

    /// Seconds east of UTC: `Z`, nothing, `+01:00` or `+0100`.
    private static func zone(_ text: Substring) -> Double? {
        if text.isEmpty || text == "Z" { return 0 }
        guard let sign = text.first, sign != "Z" else { return nil }
        let digits = text.dropFirst().filter { $0 != ":" }
        guard let value = number(digits, digits: 4...4), value / 100 < 24, value % 100 < 60 else { return nil }
        let offset = Double(value / 100 * 3600 + value % 100 * 60)
        return sign == "-" ? -offset : offset
    }

    /// Midnight of a day of the Gregorian calendar; nil for a day that it does not have.
    private static func seconds(year: Int, month: Int, day: Int) -> Double? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[month - 1]).contains(day), year >= 1 else { return nil }
        let before = year - 1
        let days =
            before * 365 + before / 4 - before / 100 + before / 400 + lengths.prefix(month - 1).reduce(0, +) + day - 1
        return Double(days - 719_162) * 86_400
    }
}
