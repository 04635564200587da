import Contract
import PlatformTestSupport
import Store
import StoreTestSupport
import Testing
import WajubWatch
import WajubWatchTestSupport

@Suite("A disk that refuses", .timeLimit(.minutes(10)))
struct DiskTests {
    @Test("A hand-off is refused and nothing of it is kept; once the disk takes writes again, so does the daemon")
    func handOff() async throws {
        for fault in [FaultyDisk.Fault.full, .readOnly] {
            let disk = FaultyDisk()
            try await Till.with(disk: disk.name) { till in
                disk.fault = fault
                let refused = await till.handOff()
                #expect(throws: RequestFailure.storageUnavailable) { _ = try refused.get() }
                #expect(till.store.health != .ok)
                await till.registry.idle()
                disk.fault = nil
                let payment = try await till.handOff().get()
                #expect(try till.kinds(of: payment.id).first == "accepted")
                #expect(till.store.health == .ok)
            }
        }
    }

    @Test("A payment is watched on in memory, status tells the truth, and what waits is written when it can be")
    func watching() async throws {
        let disk = FaultyDisk()
        try await Till.with(disk: disk.name) { till in
            let payment = try await till.handOff().get()
            _ = try await till.registry.ask(.refresh, about: payment.id)
            disk.fault = .full
            till.wajub.set(.succeeded)
            let told = try #require(try await till.registry.ask(.refresh, about: payment.id)).get()
            #expect(told.machine.status == .succeeded)
            #expect(told.machine.result?.status == .complete)
            #expect(try !till.kinds(of: payment.id).contains("complete"), "no event that is not durable")

            await till.time.sleeperArrived(before: till.time.now + .seconds(5))
            till.time.advance(by: .seconds(5))
            await till.time.sleeperArrived(before: till.time.now + .seconds(10))
            disk.fault = nil
            till.time.advance(by: .seconds(10))
            await till.registry.idle()
            #expect(try till.kinds(of: payment.id).last == "complete")
            let record = try till.store.payment(id: payment.id)
            #expect(record?.settled == true)
            #expect(record?.token == nil)
        }
    }
}
