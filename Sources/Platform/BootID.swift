internal import FoundationEssentials

/// The kernel's random id of this boot: tells whether a stored ``Contract/Instant`` still means something.
package struct BootID: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    /// Reads `/proc/sys/kernel/random/boot_id`.
    ///
    /// - throws: the file system's error, when `/proc` is not mounted.
    package static func current() throws -> BootID {
        let text = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        return BootID(String(text.prefix { !$0.isNewline }))
    }
}
