import FoundationEssentials
import Testing

@testable import Contract

/// design.md, "Restart and reboot".
@Suite("Paying through a restart")
struct PayingRecoveryTests {
    private static func restarted(_ sheet: Sheet) throws -> Sheet {
        var restarted = sheet
        restarted.machine = try JSONDecoder().decode(PaymentMachine.self, from: JSONEncoder().encode(sheet.machine))
        restarted.send(.recovered)
        return restarted
    }

    @Test(
        "Recorded or sent without an answer is unanswered, and nothing is posted by itself", arguments: [false, true])
    func unanswered(isSent: Bool) throws {
        var sheet = isSent ? Sheet.ready() : Sheet(loaded: .pending)
        sheet.press()
        #expect(sheet.machine.attempt?.phase == (isSent ? .sent : .recorded))
        sheet = try Self.restarted(sheet)
        #expect(sheet.machine.attempt?.phase == .unanswered)
        #expect(sheet.machine.state == .pending)
        #expect(sheet.calls == [.status])
        for _ in 0..<30 where sheet.machine.result == nil {
            if sheet.machine.isReadUnderWay { sheet.read(.processing) }
            sheet.wake()
            #expect(sheet.posts == 0)
        }
    }

    @Test("A retry that waited for its time is not sent after a restart")
    func waitingRetry() throws {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.silence)
        sheet = try Self.restarted(sheet)
        for _ in 0..<10 {
            sheet.wake()
            #expect(sheet.posts == 0)
            if sheet.machine.isReadUnderWay { sheet.read(.processing) }
        }
    }

    @Test("The next pay carries the old key while the attempt is undecided")
    func oldKey() throws {
        var sheet = try Self.restarted(Sheet.paying())
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
        sheet.untilFormDue()
        sheet.read(.pending)
        sheet.press(key: "key-2")
        #expect(sheet.posts == 1)
        #expect(sheet.machine.attempt?.key == IdempotencyKey("key-1"))
    }

    @Test("Presented again, an undecided attempt still is: the form opens only after a read of plain pending")
    func presentedAgain() throws {
        var sheet = Sheet.unanswered()
        sheet.send(.closeRequested(.hostGone))
        #expect(sheet.machine.result == .processing)
        sheet = try Self.restarted(sheet)
        sheet.wait(.seconds(120))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        #expect(sheet.machine.state == .pending)
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
        sheet.untilFormDue()
        // One that was under way when the 60 s were over is followed by another.
        while sheet.machine.isReadUnderWay { sheet.read(.pending) }
        #expect(sheet.machine.state == .collectingDetails)
        sheet.press(key: "key-2")
        #expect(sheet.machine.attempt?.key == IdempotencyKey("key-1"))
    }

    @Test("A step, a page and a client session survive a restart")
    func demands() throws {
        let demands: [(Demand, CheckoutState, Screen.Kind)] = [
            (.step(Step(.otp, id: "s")), .otpRequired, .step), (.page(url: "https://p"), .pending, .redirect),
            (.clientSession(ClientSession(id: "cs", hostedURL: "https://h")), .pending, .clientSession),
        ]
        for (demand, state, screen) in demands {
            var sheet = Sheet.paying()
            sheet.answer(.processing, .demand(demand))
            sheet = try Self.restarted(sheet)
            sheet.read(.processing)
            #expect(sheet.machine.state == state)
            #expect(sheet.machine.screen?.kind == screen)
        }
    }

    @Test("A step whose answer was on its way asks again after a restart, and progress ends")
    func verifying() throws {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .demand(.step(Step(.pin, id: "s"))))
        sheet.send(.verifyRequested)
        #expect(sheet.machine.state == .verifying)
        sheet = try Self.restarted(sheet)
        #expect(sheet.machine.state == .pinRequired)
        #expect(sheet.news.contains(.progress(false)))
        #expect(sheet.machine.refusalToVerify() == nil)
    }

    @Test("What opens a client session, and the key, are not in what is told; the keys of a session are never stored")
    func secrets() throws {
        var sheet = Sheet.paying()
        let session = ClientSession(id: "cs", keys: .init(accessCode: "ac_1", publicKey: "pk_1", encryptionKey: "ek_1"))
        sheet.answer(.processing, .demand(.clientSession(session)))
        let stored = String(decoding: try JSONEncoder().encode(sheet.machine), as: UTF8.self)
        #expect(!stored.contains("ac_1") && !stored.contains("ek_1"))
        #expect(!"\(sheet.actions)".contains("key-1"))
        #expect(!String(reflecting: sheet.machine.attempt).contains("key-1"))
    }
}
