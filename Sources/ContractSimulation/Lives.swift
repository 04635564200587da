/// Many lives.
package enum Lives {
    /// The first life that broke a rule.
    package struct Broken: Equatable, Sendable {
        package let seed: UInt64
        package let rule: String
    }

    /// Lives them in slices on two cores, so that the first rule broken ends it soon.
    package static func firstBroken(in seeds: Range<UInt64>, sabotage: Sabotage? = nil) async -> Broken? {
        await judged(seeds, sabotage: sabotage).broken
    }

    /// The same, with what they saw.
    package static func judged(_ seeds: Range<UInt64>, sabotage: Sabotage? = nil) async -> (broken: Broken?, Tally) {
        var tally = Tally()
        for start in stride(from: seeds.lowerBound, to: seeds.upperBound, by: 500) {
            let end = min(start + 500, seeds.upperBound)
            let middle = start + (end - start) / 2
            async let left = slice(start..<middle, sabotage)
            async let right = slice(middle..<end, sabotage)
            for slice in await [left, right] {
                tally.add(slice.tally)
                if let broken = slice.broken { return (broken, tally) }
            }
        }
        return (nil, tally)
    }

    private static func slice(_ seeds: Range<UInt64>, _ sabotage: Sabotage?) async -> (broken: Broken?, tally: Tally) {
        var tally = Tally()
        for seed in seeds {
            let life = Life(seed: seed, sabotage: sabotage)
            do throws(BrokenRule) {
                try life.run()
            } catch {
                return (Broken(seed: seed, rule: error.description), tally)
            }
            tally.add(life.tally)
        }
        return (nil, tally)
    }
}
