package import Contract

/// A machine broken on purpose: lives that do not notice prove nothing.
package struct Sabotage: Sendable {
    package typealias Hearing = @Sendable (PaymentEvent, PaymentMachine) -> PaymentEvent
    package typealias Breaking =
        @Sendable (
            inout PaymentMachine, PaymentMachine, PaymentEvent, Instant, inout [PaymentAction]
        ) -> Void

    package let name: String
    /// The start of the rule that must catch it.
    package let caughtBy: String
    /// How many lives may pass before it is caught.
    package let within: UInt64
    /// What the machine is told instead of the event.
    package let hears: Hearing
    /// What is changed after it: the machine, given how it was before and the event, and its actions.
    package let breaks: Breaking

    package init(_ name: String, caughtBy: String, within: UInt64 = 4_000, hears: @escaping Hearing) {
        self.init(name, caughtBy, within, hears) { _, _, _, _, _ in }
    }

    package init(_ name: String, caughtBy: String, within: UInt64 = 4_000, breaks: @escaping Breaking) {
        self.init(name, caughtBy, within, { event, _ in event }, breaks)
    }

    private init(
        _ name: String, _ caughtBy: String, _ within: UInt64, _ hears: @escaping Hearing, _ breaks: @escaping Breaking
    ) {
        self.name = name
        self.caughtBy = caughtBy
        self.within = within
        self.hears = hears
        self.breaks = breaks
    }
}
