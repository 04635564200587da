import Contract
import FoundationEssentials
import Testing

/// Random lives of one payment, judged after every step (design.md, "The payment machine").
///
/// `WAJUB_LIFE=n` replays one with its trace; `WAJUB_LIVES=n` lives more of them.
@Suite struct LivesTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func `No life breaks a rule`() async {
        let seed = Self.number("WAJUB_LIFE")
        let seeds = seed.map { $0..<($0 + 1) } ?? 0..<(Self.number("WAJUB_LIVES") ?? 4_000)
        let broken = await Self.firstBroken(in: seeds)
        #expect(broken == nil, "replay with WAJUB_LIFE=\(broken?.seed ?? 0)")
        guard let replayed = seed ?? broken?.seed else { return }
        var life = Life(seed: replayed, isTraced: true)
        try? life.run()
        print((life.trace ?? []).suffix(80).joined(separator: "\n"))
    }

    @Test(arguments: Sabotage.all)
    func `A broken machine is caught, by the rule it breaks`(sabotage: Sabotage) async {
        let broken = await Self.firstBroken(in: 0..<6_000, sabotage: sabotage)
        #expect(broken?.rule.hasPrefix(sabotage.caughtBy) == true, "\(broken?.rule ?? "nobody noticed")")
    }

    private struct Broken: Equatable {
        let seed: UInt64
        let rule: String
    }

    /// Lives in slices on two cores, so that the first rule broken ends it soon.
    private static func firstBroken(in seeds: Range<UInt64>, sabotage: Sabotage? = nil) async -> Broken? {
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
            var life = Life(seed: seed, sabotage: sabotage)
            do throws(BrokenRule) {
                try life.run()
            } catch {
                return Broken(seed: seed, rule: error.description)
            }
        }
        return nil
    }
}
