/// The host and port of a URL, split without guessing: what is not plainly a host is none.
package struct Authority: Hashable, Sendable {
    /// In lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// 1 to 65535; nil where none is named.
    package let port: Int?

    /// `host`, `host:port`, `[v6]` or `[v6]:port`; nil for anything else, user information among it.
    package init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        let hostEnd: String.Index
        if text.hasPrefix("[") {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            let address = text[text.index(after: text.startIndex)..<bracket]
            guard address.contains(":"), address.utf8.allSatisfy(Self.isIPv6) else { return nil }
            hostEnd = text.index(after: bracket)
        } else {
            hostEnd = text.firstIndex(of: ":") ?? text.endIndex
            let name = text[..<hostEnd]
            guard (1...253).contains(name.utf8.count), name.first != ".", name.utf8.allSatisfy(Self.isName) else {
                return nil
            }
        }
        host = String(text[..<hostEnd])
        let rest = text[hostEnd...]
        guard !rest.isEmpty else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        guard rest.first == ":", digits.utf8.allSatisfy(Self.isDigit), let number = Int(digits),
            (1...65535).contains(number)
        else { return nil }
        port = number
    }

    /// Whether nothing sent there leaves this machine: `localhost`, 127.0.0.0/8 and `[::1]`.
    package var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy {
                (1...3).contains($0.utf8.count) && UInt8($0) != nil && $0.utf8.allSatisfy(Self.isDigit)
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isIPv6(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || ":.".utf8.contains(byte)
    }

    private static func isName(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "-._".utf8.contains(byte)
    }
}
