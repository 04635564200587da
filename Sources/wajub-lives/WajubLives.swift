import ContractSimulation
import Glibc

/// Lives payments and judges every step: `wajub-lives [COUNT [FIRST]]`, or `wajub-lives replay SEED` for one with its trace.
@main
struct WajubLives {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "replay", let seed = arguments.last.flatMap({ UInt64($0) }) { return replay(seed) }
        let numbers = arguments.compactMap { UInt64($0) }
        let count = numbers.first ?? 100_000
        let first = numbers.dropFirst().first ?? UInt64.random(in: 0..<1 << 40)
        let clock = ContinuousClock()
        let start = clock.now
        print("lives: \(count) from seed \(first)")
        let (broken, tally) = await Lives.judged(first..<first + count)
        print("\(tally)\nlives: took \(clock.now - start)")
        guard let broken else { return }
        print(
            "lives: broken by seed \(broken.seed): \(broken.rule)\nlives: replay with: wajub-lives replay \(broken.seed)"
        )
        exit(1)
    }

    private static func replay(_ seed: UInt64) {
        let life = Life(seed: seed, isTraced: true)
        let broken = life.verdict()
        for line in life.trace ?? [] { print(line) }
        guard let broken else { return }
        print("✗ \(broken)")
        exit(1)
    }
}
