import Contract
import FoundationEssentials
import Platform
import PlatformTestSupport
import Store
import Testing
import WajubWatch
import WajubWatchTestSupport

@Suite("Restart", .timeLimit(.minutes(10)))
struct RestartTests {
    @Test("After a restart one read finds what happened meanwhile")
    func outcomeWhileDown() async throws {
        let first = try Till.open()
        let payment = try await first.handOff(reference: "order-1").get()
        _ = try await first.registry.ask(.refresh, about: payment.id)
        await first.stop()
        first.wajub.set(.succeeded)

        let second = try Till.open(directory: first.directory, wajub: first.wajub, time: first.time)
        await second.registry.resume(try second.registry.adoptLive())
        let answer = try #require(try await second.registry.ask(.result, about: payment.id)).get()
        #expect(answer.machine.result?.status == .complete)
        #expect(try second.kinds(of: payment.id).last == "complete")
        await second.stop()
        try FileManager.default.removeItem(atPath: first.directory)
    }

    @Test(
        "Within a boot the 15 minutes are exact; after a reboot what was used up at the last checkpoint counts",
        arguments: [true, false])
    func deadlineAcross(sameBoot: Bool) async throws {
        let first = try Till.open()
        let payment = try await first.handOff().get()
        _ = try await first.registry.ask(.refresh, about: payment.id)
        first.time.advance(by: .seconds(300))
        await first.wajub.called(.status)
        await first.stop()

        let time = sameBoot ? first.time : ManualTime(start: Instant(nanoseconds: 5_000_000_000))
        if sameBoot { time.advance(by: .seconds(100)) }
        let second = try Till.open(
            directory: first.directory, wajub: first.wajub, time: time, boot: sameBoot ? "boot-1" : "boot-2")
        let snapshot = try #require(try second.registry.snapshot(of: payment.id))
        await second.registry.resume(try second.registry.adoptLive())
        let driven = try #require(try await second.registry.ask(.refresh, about: snapshot.id)).get()
        guard case .active(let limit) = driven.machine.watch else {
            Issue.record("not watched any more")
            return
        }
        #expect(limit - time.now == .seconds(sameBoot ? 500 : 600))
        await second.stop()
        try FileManager.default.removeItem(atPath: first.directory)
    }

    @Test("More than fifty payments are read again at a hundred a second")
    func pacedRecovery() async throws {
        let first = try Till.open()
        for number in 0..<60 { _ = try await first.handOff("token-\(number)").get() }
        await first.stop()

        let second = try Till.open(directory: first.directory)
        second.wajub.hold(.session)
        second.wajub.hold(.status)
        let adopted = try second.registry.adoptLive()
        async let recovered: Void = second.registry.resume(adopted)
        for number in 1..<60 {
            let moment = Instant(nanoseconds: 1_000_000_000_000) + .milliseconds(10) * number
            await second.time.sleeperArrived(before: moment)
            second.time.advance(to: moment)
        }
        await recovered
        #expect(second.time.now == Instant(nanoseconds: 1_000_000_000_000) + .milliseconds(590))
        second.wajub.release(.session)
        second.wajub.release(.status)
        await second.stop()
        try FileManager.default.removeItem(atPath: first.directory)
    }

    @Test(
        "A payment that is asked for before its turn is recovered at once, and one that cannot be read back holds up no other"
    )
    func askedEarly() async throws {
        let first = try Till.open()
        let payment = try await first.handOff("token-1").get()
        let other = try await first.handOff("token-2").get()
        var record = try #require(try first.store.payment(id: other.id))
        await first.halt()
        record.machine = Data("{}".utf8)
        try await first.store.commit(Change(record: record))
        await first.store.close()

        let second = try Till.open(directory: first.directory, wajub: first.wajub, time: first.time)
        second.wajub.set(.succeeded)
        // Nobody resumed anything yet.
        let answer = try #require(try await second.registry.ask(.result, about: payment.id)).get()
        #expect(answer.machine.result?.status == .complete)
        #expect(try second.registry.adoptLive().isEmpty)
        await second.stop()
        try FileManager.default.removeItem(atPath: first.directory)
    }

    @Test("A payment that was closed with a read under way answers reads, and ends, after a restart")
    func closedWhileReading() async throws {
        let first = try Till.open()
        let payment = try await first.handOff("token-1", PaymentOptions(realtime: .off)).get()
        _ = try await first.registry.ask(.refresh, about: payment.id)
        first.wajub.hold(.status)
        async let asked = first.registry.ask(.refresh, about: payment.id)
        await first.wajub.called(.status)
        await first.wajub.called(.status)
        _ = try await first.registry.ask(.close(.hostGone), about: payment.id)
        // What a kill would leave on the disk.
        let killed = try #require(try first.store.payment(id: payment.id))
        first.wajub.release(.status)
        _ = try await asked
        await first.halt()
        try await first.store.commit(Change(record: killed))
        await first.store.close()

        let second = try Till.open(directory: first.directory, time: first.time)
        let read = try #require(try await second.registry.ask(.refresh, about: payment.id)).get()
        #expect(read.machine.reads > 0)
        second.wajub.set(.succeeded)
        _ = try await second.handOff("token-1", PaymentOptions(realtime: .off)).get()
        let answer = try #require(try await second.registry.ask(.result, about: payment.id)).get()
        #expect(answer.machine.result?.status == .complete)
        await second.stop()
        try FileManager.default.removeItem(atPath: first.directory)
    }
}
