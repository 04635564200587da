/// Where randomness comes from, so that a simulation can be replayed by its seed.
package protocol Randomness: Sendable {
    /// A uniformly distributed word. Cryptographically strong in ``SystemRandomness``.
    func next() -> UInt64
}

extension Randomness {
    /// 128 random bits as 32 lower-case hexadecimal digits.
    package func hex128() -> String {
        hex(next()) + hex(next())
    }

    /// A number in `0 ..< 1`.
    package func fraction() -> Double {
        Double(next() >> 11) * 0x1p-53
    }

    private func hex(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The kernel's generator.
package struct SystemRandomness: Randomness {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}
