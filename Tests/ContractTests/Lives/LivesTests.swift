import Contract
import ContractSimulation
import FoundationEssentials
import Testing

/// Random lives of one payment, judged after every step (design.md, "The payment machine").
///
/// `WAJUB_LIFE=n` replays one with its trace; `WAJUB_LIVES=n` lives more of them. `make soak` lives millions.
@Suite struct LivesTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func `No life breaks a rule`() async {
        let seed = Self.number("WAJUB_LIFE")
        let seeds = seed.map { $0..<($0 + 1) } ?? 0..<(Self.number("WAJUB_LIVES") ?? 2_000)
        let broken = await Lives.firstBroken(in: seeds)
        #expect(broken == nil, "replay with WAJUB_LIFE=\(broken?.seed ?? 0)")
        guard let replayed = seed ?? broken?.seed else { return }
        let life = Life(seed: replayed, isTraced: true)
        _ = life.verdict()
        print((life.trace ?? []).suffix(80).joined(separator: "\n"))
    }

    @Test(arguments: Sabotage.all)
    func `A broken machine is caught, by the rule it breaks`(sabotage: Sabotage) async {
        let broken = await Lives.firstBroken(in: 0..<sabotage.within, sabotage: sabotage)
        #expect(broken?.rule.hasPrefix(sabotage.caughtBy) == true, "\(broken?.rule ?? "nobody noticed")")
    }

    @Test func `The lives see every result and phase, follow-ups, crashes, presentations, many attempts, and charges`()
        async
    {
        let (_, tally) = await Lives.judged(0..<1_500)
        #expect(Set(tally.results.keys) == Set(ResultStatus.allCases.map(\.rawValue)))
        #expect(Set(tally.phases.keys) == Set(Attempt.Phase.allCases.map(\.rawValue)))
        #expect(tally.followUps > 0 && tally.kills > 500 && tally.presentations > 2_000)
        #expect(tally.attempts > 800 && tally.refused > 300 && tally.charges > 200)
    }
}
