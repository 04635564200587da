import Contract
import Platform
import PlatformTestSupport
import Synchronization
import Testing

@testable import DaemonCore

@Suite("The watchdog", .timeLimit(.minutes(10)))
struct WatchdogTests {
    private final class Counter: Sendable {
        private let number = Atomic(0)
        func add() { number.add(1, ordering: .relaxed) }
        var count: Int { number.load(ordering: .relaxed) }
    }

    private let time = ManualTime()
    private let pings = Counter()

    private func watchdog(isAlive: @escaping @Sendable () async -> Bool) -> Watchdog {
        Watchdog(interval: .seconds(15), time: time, isAlive: isAlive) { [pings] in pings.add() }
    }

    @Test("Pings at once and at each interval, and between them not")
    func pingsEachInterval() async {
        let watchdog = watchdog { true }
        let task = Task { await watchdog.run() }
        await time.sleeperArrived()
        #expect(pings.count == 1)
        time.advance(by: .milliseconds(14_999))
        #expect(pings.count == 1)
        for expected in 2...4 {
            time.advance(by: .seconds(15))
            await time.sleeperArrived()
            #expect(pings.count == expected)
        }
        task.cancel()
        await task.value
    }

    @Test("Does not ping while the daemon does not live, and does again when it does")
    func notAlive() async {
        let asked = Counter()
        let watchdog = watchdog {
            asked.add()
            return asked.count != 2
        }
        let task = Task { await watchdog.run() }
        for (times, expected) in [(1, 1), (2, 1), (3, 2)] {
            await time.sleeperArrived()
            #expect(asked.count == times)
            #expect(pings.count == expected)
            time.advance(by: .seconds(15))
        }
        task.cancel()
        await task.value
    }

    @Test("A daemon that never answers is never told to live, however much time passes")
    func hangs() async {
        let (questions, asked) = AsyncStream<Void>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let watchdog = watchdog {
            asked.yield()
            for await _ in answers { break }
            return true
        }
        let task = Task { await watchdog.run() }
        for await _ in questions { break }
        time.advance(by: .seconds(3_600))
        #expect(pings.count == 0)
        #expect(time.nextDeadline == nil)
        answer.yield()
        await time.sleeperArrived()
        #expect(pings.count == 1)
        task.cancel()
        await task.value
    }

    @Test("Ends when it is cancelled")
    func cancelled() async {
        let watchdog = watchdog { true }
        let task = Task { await watchdog.run() }
        await time.sleeperArrived()
        task.cancel()
        await task.value
        #expect(time.nextDeadline == nil)
        #expect(pings.count == 1)
    }
}
