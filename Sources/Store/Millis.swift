internal import FoundationEssentials

/// Dates as the database keeps them: whole milliseconds since 1970.
enum Millis {
    static func from(_ date: Date) -> Int64 {
        // A date outside of `Int64` comes from no clock; it must not end the process all the same.
        Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) ?? 0
    }

    static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }
}
