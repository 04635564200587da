/// Something that holds a payer's number: no description, interpolation or dump of it tells the number.
package protocol HidesPhone: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{}

extension HidesPhone {
    package var description: String { "\(Self.self) (hidden)" }

    package var debugDescription: String { description }

    package var customMirror: Mirror { Mirror(self, children: []) }
}
