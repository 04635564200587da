internal import Platform
internal import Synchronization

/// SplitMix64: the same words for the same seed, for tests that replay.
package final class SeededRandomness: Randomness {
    private let state: Mutex<UInt64>

    package init(seed: UInt64) {
        state = Mutex(seed)
    }

    package func next() -> UInt64 {
        let word: UInt64 = state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            return state
        }
        var mixed = word
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
