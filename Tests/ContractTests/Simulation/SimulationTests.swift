import Glibc
import Testing

@testable import Contract

/// Lives of payments under every weather. `WAJUB_SEED=n` replays one; `WAJUB_LIVES=n` lives more of them.
@Suite("Simulation")
struct SimulationTests {
    private static func number(_ variable: String) -> UInt64? {
        getenv(variable).flatMap { UInt64(String(cString: $0)) }
    }

    /// The first seed in a range whose life breaks a promise, and how.
    private static func firstViolation(_ seeds: Range<UInt64>, _ mutation: Mutation? = nil) -> (
        seed: UInt64, what: String
    )? {
        for seed in seeds {
            var world = World(seed: seed, mutation: mutation)
            do {
                try world.live()
            } catch {
                return (seed, "step \(world.steps): \(error)")
            }
        }
        return nil
    }

    @Test("Thousands of lives, every fault, kills and reboots: no promise is broken")
    func lives() {
        let first = Self.number("WAJUB_SEED") ?? UInt64.random(in: 0..<(1 << 40))
        let count = Self.number("WAJUB_LIVES") ?? (Self.number("WAJUB_SEED") == nil ? 10_000 : 1)
        let violation = Self.firstViolation(first..<(first + count))
        #expect(violation == nil, "replay with WAJUB_SEED=\(violation?.seed ?? 0): \(violation?.what ?? "")")
    }

    @Test("Seeds that once broke a promise", arguments: [UInt64(1), 2, 3])
    func regressions(seed: UInt64) {
        #expect(Self.firstViolation(seed..<(seed + 1)) == nil)
    }

    @Test("Each rule broken on purpose is noticed", arguments: Mutation.allCases)
    func mutations(mutation: Mutation) {
        #expect(Self.firstViolation(0..<5_000, mutation) != nil, "nobody noticed \(mutation)")
    }

    @Test("The lives see every end: all results, all states of the watch, crashes among them")
    func coverage() {
        var results: Set<ResultStatus> = []
        var hasFollowedUp = false
        var hasBeenPresentedAgain = false
        for seed in UInt64(0)..<2_000 {
            var world = World(seed: seed, mutation: nil)
            do { try world.live() } catch { continue }
            for case .complete(let result) in world.told { results.insert(result.status) }
            if case .followUp = world.machine.watch { hasFollowedUp = true }
            if world.machine.presentation > 1 { hasBeenPresentedAgain = true }
        }
        #expect(results == Set(ResultStatus.allCases))
        #expect(hasFollowedUp && hasBeenPresentedAgain)
    }
}
