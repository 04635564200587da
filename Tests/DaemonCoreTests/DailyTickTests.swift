import PlatformTestSupport
import Testing

@testable import DaemonCore

@Suite("Daily tick", .timeLimit(.minutes(1)))
struct DailyTickTests {
    @Test("A day is noticed by what happens after it, once, and nothing waits for it")
    func days() async {
        let time = ManualTime()
        let tick = DailyTick(time: time)
        tick.noteActivity()
        time.advance(by: DailyTick.day - .seconds(1))
        tick.noteActivity()
        #expect(time.nextDeadline == nil, "no timer")
        time.advance(by: .seconds(1))
        tick.noteActivity()
        tick.noteActivity()
        var days = tick.days.makeAsyncIterator()
        #expect(await days.next() != nil)
        time.advance(by: DailyTick.day * 3)
        tick.noteActivity()
        #expect(await days.next() != nil)
    }
}
