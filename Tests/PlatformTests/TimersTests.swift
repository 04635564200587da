import Contract
import Testing

@testable import Platform

@Suite("Timers")
struct TimersTests {
    @Test("A moment that has passed, zero and before it included, rings at once", arguments: [Int64.min, -1, 0, 1])
    func past(moment: Int64) async throws {
        try await Timers.shared.sleep(until: moment)
    }

    @Test("A task wakes at its moment or later, never before", arguments: [0, 1, 300, 2_000] as [Int64])
    func notBefore(microseconds: Int64) async throws {
        let moment = BootTime.nanoseconds + microseconds * 1_000
        try await Timers.shared.sleep(until: moment)
        #expect(BootTime.nanoseconds >= moment)
    }

    @Test("One that is set later and is due earlier wakes first, however many wait for later moments")
    func order() async throws {
        let start = BootTime.nanoseconds
        let far = (1...200).map { hours in
            Task { try await Timers.shared.sleep(until: start + hours * 3_600_000_000_000) }
        }
        try await Timers.shared.sleep(until: start + 2_000_000)
        try await Timers.shared.sleep(until: start + 1_000_000)
        for task in far.shuffled() {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("Two of the same moment both wake")
    func together() async throws {
        let moment = BootTime.nanoseconds + 1_000_000
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try await Timers.shared.sleep(until: moment) } }
            try await group.waitForAll()
        }
    }

    @Test("A cancelled task is woken, whether it slept yet or not", arguments: [false, true])
    func cancelled(yields: Bool) async throws {
        for _ in 0..<100 {
            let task = Task { try await Timers.shared.sleep(until: .max) }
            if yields { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("At ten times the speed a wait takes a tenth, and still not less")
    func speed() async throws {
        let time = SystemTime(speed: 10)
        let deadline = time.now + .milliseconds(20)
        try await time.sleep(until: deadline)
        #expect(time.now >= deadline)
    }
}
