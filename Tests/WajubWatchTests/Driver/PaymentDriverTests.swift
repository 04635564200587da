import Contract
import FoundationEssentials
import Platform
import PlatformTestSupport
import Store
import Testing
import WajubWatch
import WajubWatchTestSupport

@Suite("Payment driver", .timeLimit(.minutes(10)))
struct PaymentDriverTests {
    @Test("A hand-off is durable before Wajub has answered anything")
    func durableBeforeNetwork() async throws {
        try await Till.with { till in
            till.wajub.hold(.session)
            let payment = try await till.handOff(reference: "order-1").get()
            let record = try #require(try till.store.payment(id: payment.id))
            #expect(record.token == "token-1")
            #expect(record.reference == "order-1")
            #expect(try till.kinds(of: payment.id) == ["accepted"])
            till.wajub.release(.session)
        }
    }

    @Test("A payment that is paid already completes, and its token is erased")
    func paidAtLoad() async throws {
        try await Till.with { till in
            till.wajub.set(.succeeded)
            let payment = try await till.handOff().get()
            let answer = try #require(try await till.registry.ask(.result, about: payment.id)).get()
            #expect(answer.machine.result?.status == .complete)
            #expect(try till.kinds(of: payment.id) == ["accepted", "state", "success", "complete"])
            let record = try till.store.payment(id: payment.id)
            #expect(record?.token == nil)
            #expect(answer.lastSeq == till.store.lastSeq)
        }
    }

    @Test("A read every five seconds finds the payment that the customer makes on their own phone")
    func polling() async throws {
        try await Till.with { till in
            let payment = try await till.handOff().get()
            await till.wajub.called(.configuration)
            till.wajub.set(.succeeded)
            // The load's own answers have to be in before the first read is scheduled.
            _ = try await till.registry.ask(.refresh, about: payment.id)
            let answer = try #require(try await till.registry.ask(.result, about: payment.id)).get()
            #expect(answer.machine.status == .succeeded)
        }
    }

    @Test("A realtime signal triggers a read at once, and leaving the channel follows the outcome")
    func signal() async throws {
        try await Till.with { till in
            let payment = try await till.handOff().get()
            _ = try await till.registry.ask(.refresh, about: payment.id)
            #expect(till.wajub.members == 1)
            till.wajub.tell(.connected)
            till.wajub.set(.succeeded)
            till.wajub.tell(.signal("success"))
            let answer = try #require(try await till.registry.ask(.result, about: payment.id)).get()
            #expect(answer.machine.result?.status == .complete)
            #expect(till.wajub.members == 0)
        }
    }

    @Test("The same token handed off by many at once is one payment")
    func oneTokenOnePayment() async throws {
        try await Till.with { till in
            let ids = await withTaskGroup(of: String?.self) { group in
                for _ in 0..<32 { group.addTask { try? await till.handOff().get().id } }
                return await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1)
            let counts = try till.store.counts()
            #expect(counts.payments == 1)
        }
    }

    @Test("A reference that another token has is refused, and nothing of the hand-off is kept")
    func referenceTaken() async throws {
        try await Till.with { till in
            _ = try await till.handOff("token-1", reference: "order-1").get()
            let second = await till.handOff("token-2", reference: "order-1")
            #expect(throws: RequestFailure.referenceTaken) { _ = try second.get() }
            let counts = try till.store.counts()
            #expect(counts.payments == 1)
            // The token itself is not spoilt.
            _ = try await till.handOff("token-2", reference: "order-2").get()
        }
    }

    @Test("Dismissing a pending payment cancels it, and answers after Wajub has")
    func close() async throws {
        try await Till.with { till in
            let payment = try await till.handOff().get()
            _ = try await till.registry.ask(.refresh, about: payment.id)
            let answer = try #require(try await till.registry.ask(.close(.dismissed), about: payment.id)).get()
            #expect(answer.machine.result == .cancelled(.dismissed))
            #expect(answer.machine.status == .cancelled)
            let again = try #require(try await till.registry.ask(.close(.dismissed), about: payment.id))
            #expect(throws: RequestFailure.refused(.paymentEnded)) { _ = try again.get() }
        }
    }

    @Test("A wait past its limit answers with the payment as it is")
    func waitLimit() async throws {
        try await Till.with { till in
            till.wajub.hold(.session)
            let payment = try await till.handOff().get()
            async let answer = till.registry.ask(.result, about: payment.id, within: .seconds(3))
            await till.time.sleeperArrived(before: till.time.now + .seconds(3))
            till.time.advance(by: .seconds(3))
            let waited = try #require(try await answer).get()
            #expect(waited.machine.result == nil)
            till.wajub.release(.session)
        }
    }

    @Test("A settled payment has no driver; what is asked of it later gets one for as long as it takes")
    func retirement() async throws {
        try await Till.with { till in
            till.wajub.set(.succeeded)
            let payment = try await till.handOff().get()
            _ = try await till.registry.ask(.result, about: payment.id)
            await till.registry.idle()
            #expect(till.registry.watching == 0)
            let answer = try #require(try await till.registry.ask(.refresh, about: payment.id)).get()
            #expect(answer.machine.status == .succeeded)
            await till.registry.idle()
            let rested = try till.registry.snapshot(of: payment.id)
            #expect(rested?.machine.result?.status == .complete)
        }
    }

    @Test("An unknown payment is unknown, whatever is asked")
    func unknown() async throws {
        try await Till.with { till in
            let answer = try await till.registry.ask(.refresh, about: "pay_none")
            #expect(answer == nil)
            let snapshot = try till.registry.snapshot(of: "pay_none")
            #expect(snapshot == nil)
        }
    }
}
