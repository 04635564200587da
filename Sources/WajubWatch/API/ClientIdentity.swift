internal import Glibc

/// How the daemon introduces itself to Wajub (`wire.md`, "Common").
package struct ClientIdentity: Hashable, Sendable {
    /// The value of `X-Wajub-Client`, and of `User-Agent`: give it to the transport as well.
    package let client: String
    /// The value of `Accept-Language`; nil where no language is known.
    package let acceptLanguage: String?

    /// - Parameters:
    ///   - version: the daemon's.
    ///   - kernelRelease: as `uname -r` prints it.
    ///   - languages: the device's, dearest first (`fr-CM`, `fr`); what is not a language tag is left out.
    package init(version: String, kernelRelease: String = Self.kernelRelease, languages: [String] = []) {
        client = "wajubd/\(version) (linux \(kernelRelease))"
        let tags = languages.filter(Self.isLanguageTag).prefix(9)
        let weighted = tags.enumerated().map { $0 == 0 ? $1 : "\($1);q=0.\(10 - $0)" }
        acceptLanguage = weighted.isEmpty ? nil : weighted.joined(separator: ", ")
    }

    /// The running kernel's release.
    package static var kernelRelease: String {
        var name = utsname()
        // Fails for an invalid pointer alone.
        guard uname(&name) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &name.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Letters, digits and hyphens: nothing that could break a header.
    private static func isLanguageTag(_ text: String) -> Bool {
        (2...35).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
}
