package import FoundationEssentials

/// This version of wajubd and its tools.
package enum Version {
    package static let text = "0.1.0"
    /// No honest clock is before it.
    package static let builtOn = Date(timeIntervalSince1970: 1_796_000_000)
}
