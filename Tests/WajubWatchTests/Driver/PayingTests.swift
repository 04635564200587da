import Contract
import FoundationEssentials
import Platform
import PlatformTestSupport
import Store
import StoreTestSupport
import Testing
import WajubWatch
import WajubWatchTestSupport

@Suite("Paying through the driver", .timeLimit(.minutes(10)))
struct PayingTests {
    private static let order = PayOrder(.raw(channel: "cm.mobile", json: #"{"phone":"+237677123456"}"#, leaves: []))

    /// A payment that is ready and whose first read has answered.
    private static func ready(_ till: Till, _ token: String = "token-1") async throws -> String {
        let payment = try await till.handOff(token, PaymentOptions(realtime: .off)).get()
        _ = try await till.registry.ask(.refresh, about: payment.id)
        _ = try await till.registry.ask(.refresh, about: payment.id)
        return payment.id
    }

    private static func pay(_ till: Till, _ id: String) async throws -> PaymentSnapshot {
        try #require(try await till.registry.pay(order, on: id)).get()
    }

    @Test("Answered once attempt and key are durable, before anything leaves; key and digest are in the store")
    func durable() async throws {
        try await Till.with { till in
            till.wajub.hold(.process)
            let id = try await Self.ready(till)
            let paid = try await Self.pay(till, id)
            #expect(paid.machine.attempt?.isUndecided == true)
            let stored = try #require(try till.store.attempts(payment: id).first)
            await till.wajub.called(.process)
            let post = try #require(till.wajub.posts.first)
            #expect(post.key == IdempotencyKey(stored.idempotencyKey))
            #expect(stored.bodyDigest == Digest.sha256(Array((post.body?.revealed ?? "").utf8)))
            #expect(stored.undecided && stored.idempotencyKey.utf8.count == 32)
            till.wajub.release(.process)
        }
    }

    @Test(
        "On a disk that refuses, Pay is refused, nothing leaves, and the payment is as before",
        arguments: [FaultyDisk.Fault.full, .readOnly])
    func disk(fault: FaultyDisk.Fault) async throws {
        let disk = FaultyDisk()
        try await Till.with(disk: disk.name) { till in
            let id = try await Self.ready(till)
            disk.fault = fault
            let refused = try #require(try await till.registry.pay(Self.order, on: id))
            #expect(throws: RequestFailure.storageUnavailable) { _ = try refused.get() }
            #expect(till.wajub.posts.isEmpty)
            let snapshot = try #require(try till.registry.snapshot(of: id))
            #expect(snapshot.machine.attempt == nil && snapshot.machine.state == .initiated)
            disk.fault = nil
            _ = try await Self.pay(till, id)
            await till.wajub.called(.process)
            #expect(till.wajub.posts.count == 1)
        }
    }

    @Test("Each try carries the same key and the same bytes")
    func retries() async throws {
        try await Till.with { till in
            let id = try await Self.ready(till)
            till.wajub.miss(.process, .unanswered(Unanswered(.timeout, reason: "silence")))
            _ = try await Self.pay(till, id)
            await till.wajub.called(.process)
            for seconds in [1, 3] {
                await till.time.sleeperArrived(before: till.time.now + .seconds(seconds) + .milliseconds(1))
                till.time.advance(by: .seconds(seconds))
                await till.wajub.called(.process)
            }
            let posts = till.wajub.posts
            #expect(posts.count == 3 && Set(posts).count == 1)
        }
    }

    @Test("After a kill nothing is posted by itself, and the next pay carries the old key with its own body")
    func killed() async throws {
        let first = try Till.open()
        let id = try await Self.ready(first)
        first.wajub.hold(.process)
        _ = try await Self.pay(first, id)
        await first.wajub.called(.process)
        let killed = try #require(try first.store.payment(id: id))
        let key = first.wajub.posts.first?.key
        first.wajub.release(.process)
        await first.halt()
        try await first.store.commit(Change(record: killed))
        await first.store.close()

        let second = try Till.open(directory: first.directory, time: first.time)
        second.time.advance(by: .seconds(61))
        await second.registry.resume(try second.registry.adoptLive())
        for _ in 0..<3 { _ = try await second.registry.ask(.refresh, about: id) }
        #expect(second.wajub.posts.isEmpty)
        let snapshot = try #require(try second.registry.snapshot(of: id))
        #expect(snapshot.machine.attempt?.isPayOpen == true && snapshot.machine.state == .collectingDetails)
        _ = try await Self.pay(second, id)
        await second.wajub.called(.process)
        #expect(second.wajub.posts.map(\.key) == [key])
        await second.stop()
        try FileManager.default.removeItem(atPath: first.directory)
    }

    @Test("Two tills that pay at once: one attempt, and attempt_undecided")
    func twice() async throws {
        try await Till.with { till in
            let id = try await Self.ready(till)
            till.wajub.hold(.process)
            async let one = till.registry.pay(Self.order, on: id)
            async let two = till.registry.pay(Self.order, on: id)
            let answers = [try await one, try await two].compactMap(\.self)
            #expect(answers.filter { if case .success = $0 { true } else { false } }.count == 1)
            #expect(answers.contains { if case .failure(.refused(.attemptUndecided)) = $0 { true } else { false } })
            await till.wajub.called(.process)
            #expect(till.wajub.posts.count == 1)
            till.wajub.release(.process)
        }
    }

    @Test("A step is verified with the payer's fields, which are kept nowhere")
    func verify() async throws {
        try await Till.with { till in
            let id = try await Self.ready(till)
            till.wajub.answer(with: .demand(.step(Step(.otp, id: "step_1"))))
            _ = try await Self.pay(till, id)
            await till.wajub.called(.process)
            // The answer is on its way to the driver: nothing else is, so a live read waits for it.
            _ = try await till.registry.ask(.refresh, about: id)
            while try till.registry.snapshot(of: id)?.machine.pendingStep == nil { await Task.yield() }
            till.wajub.answer(with: nil)
            till.wajub.set(.succeeded)
            let wrong = try await till.registry.verify(["pin": "1"], on: id)
            #expect(throws: RequestFailure.parameter("pin", reason: "this step asks for code")) { _ = try wrong?.get() }
            let done = try #require(try await till.registry.verify(["code": "987654"], on: id)).get()
            #expect(done.machine.result?.status == .complete)
            #expect(till.wajub.posts.last?.fields?.values == ["code": "987654"])
            #expect(till.wajub.posts.last?.id == "step_1")
            let stored = try #require(try till.store.payment(id: id))
            #expect(!String(decoding: stored.machine, as: UTF8.self).contains("987654"))
        }
    }

    @Test("A new code too early is refused with the wait that remains")
    func resend() async throws {
        try await Till.with { till in
            let id = try await Self.ready(till)
            till.wajub.answer(with: .demand(.step(Step(.otp, id: "step_1"))))
            _ = try await Self.pay(till, id)
            while try till.registry.snapshot(of: id)?.machine.pendingStep == nil { await Task.yield() }
            till.time.advance(by: .seconds(20))
            guard case .failure(.wajub(let error)) = try await till.registry.resend(on: id) else {
                Issue.record("not refused")
                return
            }
            #expect(error.code == .resendTooEarly && error.retryAfterSeconds == 40)
            till.time.advance(by: .seconds(40))
            let asked = try #require(try await till.registry.resend(on: id)).get()
            #expect(asked.machine.pendingStep != nil)
            #expect(till.wajub.posts.last?.call == .resend)
        }
    }
}
