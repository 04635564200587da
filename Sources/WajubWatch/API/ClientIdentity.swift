internal import FoundationEssentials
internal import Glibc

/// How the daemon names itself to Wajub (seed 000, "Device signals and privacy").
package struct ClientIdentity: Sendable {
    /// `wajubd/<version> (linux <kernel release>)`: `X-Wajub-Client`, and the end of `User-Agent`.
    package let client: String

    package init(version: String) {
        var names = utsname()
        uname(&names)
        let release = withUnsafeBytes(of: names.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        client = "wajubd/\(version) (linux \(release.filter { $0.isASCII && !$0.isWhitespace }))"
    }

    package var userAgent: String { client }
}
