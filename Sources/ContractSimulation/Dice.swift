/// SplitMix64: one seed, one life.
package struct Dice: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True in `percent` of the cases.
    package mutating func chance(_ percent: Int) -> Bool {
        percent > 0 && Int(truncatingIfNeeded: next() >> 33) % 100 < percent
    }

    package mutating func int(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(truncatingIfNeeded: next() >> 33) % (range.upperBound - range.lowerBound + 1)
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[int(0...(elements.count - 1))]
    }

    package mutating func duration(milliseconds range: ClosedRange<Int>) -> Duration {
        .milliseconds(int(range))
    }
}
