import FoundationEssentials
import Platform
import PlatformTestSupport
import Testing
import WajubWatch

@testable import DaemonCore

@Suite("Clock")
struct ClockWatchTests {
    private let now = ManualTime().wallNow.timeIntervalSince1970

    @Test("It counts days only once Wajub's own clock agrees within an hour")
    func confirmed() {
        let clock = ClockWatch(time: ManualTime())
        #expect(!clock.isConfirmed, "nobody has said anything yet")
        clock.note(.served(at: nil))
        #expect(!clock.isConfirmed)
        clock.note(.served(at: now - 3599))
        #expect(clock.isConfirmed)
        clock.note(.served(at: nil))
        #expect(clock.isConfirmed)
    }

    @Test(
        "A clock that jumped ahead, or behind, forgets nothing",
        arguments: [-2_678_400, 2_678_400, -3601, 3601] as [Double])
    func jumped(by seconds: Double) {
        let clock = ClockWatch(time: ManualTime())
        clock.note(.served(at: now))
        clock.note(.served(at: now - seconds))
        #expect(!clock.isConfirmed)
        #expect(!clock.isSuspect, "suspect is for what cannot be")
    }

    @Test("Before this version was made, or at odds with a certificate's dates, it is suspect, until an answer comes")
    func suspect() {
        let early = ClockWatch(time: ManualTime(wall: Version.builtOn.addingTimeInterval(-1)))
        #expect(early.isSuspect)
        let clock = ClockWatch(time: ManualTime())
        clock.note(.served(at: now))
        clock.note(.certificateDatesWrong)
        #expect(clock.isSuspect)
        #expect(!clock.isConfirmed)
        clock.note(.served(at: now))
        #expect(!clock.isSuspect)
        #expect(clock.isConfirmed)
    }
}
