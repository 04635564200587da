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
        try? life.run()
        print((life.trace ?? []).suffix(80).joined(separator: "\n"))
    }

    @Test(arguments: Sabotage.all)
    func `A broken machine is caught, by the rule it breaks`(sabotage: Sabotage) async {
        let broken = await Lives.firstBroken(in: 0..<sabotage.within, sabotage: sabotage)
        #expect(broken?.rule.hasPrefix(sabotage.caughtBy) == true, "\(broken?.rule ?? "nobody noticed")")
    }

    @Test func `The lives see every result and phase, follow-ups, presentations, charges and many attempts`() {
        var seen: [Life.Summary] = []
        for seed in UInt64(0)..<400 {
            let life = Life(seed: seed)
            do { try life.run() } catch { continue }
            seen.append(life.summary)
        }
        #expect(seen.reduce(into: Set()) { $0.formUnion($1.results) } == Set(ResultStatus.allCases))
        #expect(Set(seen.compactMap(\.phase)) == Set(Attempt.Phase.allCases))
        #expect(seen.contains { $0.followsUp })
        #expect(seen.contains { $0.presentations > 1 })
        #expect(seen.contains { $0.attempts > 4 })
        #expect(seen.count { $0.charges == 1 } > 40)
    }
}
