import PlatformTestSupport
import Synchronization
import Testing

@testable import DaemonCore

@Suite("Daily tick", .timeLimit(.minutes(10)))
struct DailyTickTests {
    @Test("The first activity and each day after are noticed once, and nothing waits for them")
    func days() async {
        let time = ManualTime()
        let tick = DailyTick(time: time) { true }
        var days = tick.days.makeAsyncIterator()
        for wait in [.zero, DailyTick.day, DailyTick.day * 3] {
            time.advance(by: wait)
            tick.noteActivity()
            tick.noteActivity()
            #expect(await days.next() != nil)
            #expect(time.nextDeadline == nil, "no timer")
        }
    }

    @Test("While it would be of no use no day is used up")
    func notReady() async {
        let isReady = Mutex(false)
        let asked = Mutex(0)
        let time = ManualTime()
        let tick = DailyTick(time: time) {
            asked.withLock { $0 += 1 }
            return isReady.withLock { $0 }
        }
        tick.noteActivity()
        tick.noteActivity()
        #expect(asked.withLock { $0 } == 2)
        isReady.withLock { $0 = true }
        tick.noteActivity()
        var days = tick.days.makeAsyncIterator()
        #expect(await days.next() != nil)
        tick.noteActivity()
        #expect(asked.withLock { $0 } == 3, "the day is used up")
    }
}
