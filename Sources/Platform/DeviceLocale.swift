internal import FoundationEssentials

/// What the machine says of its place and languages: device signals (seed 000, "Device signals and privacy").
package enum DeviceLocale {
    /// The time zone's IANA name; FoundationEssentials knows none but GMT.
    ///
    /// `TZ` where it names a zone, else where `/etc/localtime` points, else what `/etc/timezone` says, else `UTC`.
    ///
    /// - parameter root: the directory that `etc` is in.
    package static func timeZone(
        _ environment: [String: String] = ProcessEnvironment.variables, root: String = "/"
    ) -> String {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: root + "etc/localtime")
        let file = try? String(contentsOfFile: root + "etc/timezone", encoding: .utf8)
        return [environment["TZ"], link, file].lazy.compactMap(\.self).compactMap(zone).first ?? "UTC"
    }

    /// The languages as BCP 47 tags, dearest first: `LANGUAGE`, then the locale of messages (locale(7)).
    package static func languages(_ environment: [String: String] = ProcessEnvironment.variables) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let listed = environment["LANGUAGE"]?.split(separator: ":").map(String.init) ?? []
        var tags: [String] = []
        for tag in (listed + [locale].compactMap(\.self)).compactMap(tag) where !tags.contains(tag) { tags.append(tag) }
        return tags
    }

    /// The zone in `Africa/Douala`, `:Africa/Douala` and `/usr/share/zoneinfo/Africa/Douala`. A POSIX rule (`WAT-1`) has no name.
    private static func zone(_ text: String) -> String? {
        var name = text.trimmingPrefix(":")[...]
        if let place = name.firstRange(of: "zoneinfo/") { name = name[place.upperBound...] }
        while name.last?.isWhitespace == true { name.removeLast() }
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "_+-/".utf8.contains(byte)
            }
        }
        guard isName, name.utf8.count <= 64, name.first != "/", name.contains("/") || ["UTC", "GMT"].contains(name)
        else { return nil }
        return String(name)
    }

    /// `fr_CM.UTF-8@euro` as `fr-CM`; `C` and `POSIX` are no language.
    private static func tag(_ locale: String) -> String? {
        let name = String(locale.prefix { $0 != "." && $0 != "@" }).replacing("_", with: "-")
        guard (2...35).contains(name.utf8.count), name != "POSIX",
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        else { return nil }
        return name
    }
}
