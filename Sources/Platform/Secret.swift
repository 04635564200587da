/// A value that must not be seen: the authorization token. Prints as a placeholder wherever it ends up.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value itself, for the header of a request and the store's column alone.
    package let revealed: String

    package init(_ value: String) {
        revealed = value
    }

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
