/// Many lives.
package enum Lives {
    /// The first life that broke a rule.
    package struct Broken: Equatable, Sendable {
        package let seed: UInt64
        package let rule: String
    }

    /// Lives them in slices on two cores, so that the first rule broken ends it soon.
    package static func firstBroken(in seeds: Range<UInt64>, sabotage: Sabotage? = nil) async -> Broken? {
        for start in stride(from: seeds.lowerBound, to: seeds.upperBound, by: 500) {
            let end = min(start + 500, seeds.upperBound)
            let middle = start + (end - start) / 2
            async let left = slice(start..<middle, sabotage)
            async let right = slice(middle..<end, sabotage)
            let broken = await (left, right)
            if let first = broken.0 ?? broken.1 { return first }
        }
        return nil
    }

    private static func slice(_ seeds: Range<UInt64>, _ sabotage: Sabotage?) async -> Broken? {
        for seed in seeds {
            let life = Life(seed: seed, sabotage: sabotage)
            do throws(BrokenRule) {
                try life.run()
            } catch {
                return Broken(seed: seed, rule: error.description)
            }
        }
        return nil
    }
}
