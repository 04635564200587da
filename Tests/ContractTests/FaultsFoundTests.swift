import Contract
import FoundationEssentials
import Testing

/// Faults that random lives found: each replays here in a few steps.
@Suite struct FaultsFoundTests {
    private static let noAnswer = CallFailure.unanswered(Unanswered(.network, reason: "lost"))

    private static func rateLimited(_ seconds: Int) -> CallFailure {
        .unanswered(Unanswered(.rateLimited, reason: "wait", httpStatus: 429, retryAfter: .seconds(seconds)))
    }

    /// Resolved `processing` by a close, presented again, and closed again before its session has answered.
    private static func closedWhileLoadingAgain() -> Sheet {
        var sheet = Sheet(loaded: .processing)
        sheet.send(.closeRequested(.dismissed))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.closeRequested(.dismissed))
        return sheet
    }

    @Test(arguments: [Int.max, 10_000_000_000])
    func `A Retry-After longer than the clock runs is waited for, and the limit's read still comes`(seconds: Int) {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.send(.readMissed(Self.rateLimited(seconds)))
        for _ in 0..<100 where sheet.machine.watch != .finishing { sheet.wake() }
        #expect(sheet.calls.contains(.status))
    }

    @Test func `A payment closed while it loads again is read on once its session has answered`() {
        var sheet = Self.closedWhileLoadingAgain()
        #expect(sheet.machine.result == .processing)
        sheet.send(.sessionAnswered(Sheet.session(.processing)))
        #expect(sheet.nextRead == .seconds(5))
        #expect(sheet.actions.contains(.connect(Sheet.channel)))
    }

    @Test func `A payment closed while it loads again ends its watch at the limit`() {
        var sheet = Self.closedWhileLoadingAgain()
        sheet.wait(PaymentMachine.watchLimit)
        sheet.send(.timerFired)
        sheet.send(.sessionAnswered(Sheet.session(.processing)))
        #expect(!sheet.machine.isLive)
        #expect(sheet.machine.nextWake == nil)
    }

    @Test func `A token refused to a load after the result is erased`() {
        var sheet = Self.closedWhileLoadingAgain()
        sheet.send(.sessionMissed(Sheet.refusal(401)))
        #expect(sheet.actions.contains(.eraseToken))
        #expect(!sheet.machine.isLive)
    }

    @Test(arguments: [noAnswer, Sheet.refusal(409)])
    func `A cancel that fails while the reads say processing resolves processing`(failure: CallFailure) {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.cancelRequested)
        sheet.untilRead()
        sheet.read(.processing)
        sheet.send(.cancelMissed(failure))
        if sheet.calls.contains(.status) { sheet.read(.processing) }
        #expect(sheet.machine.result == .processing)
    }

    @Test func `A cancel answered 429 is a refusal: the status is read, and Retry-After is obeyed`() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.cancelRequested)
        sheet.send(.cancelMissed(.unanswered(Unanswered(.rateLimited, reason: "wait", httpStatus: 429))))
        #expect(sheet.calls == [.status])
        #expect(sheet.machine.result == nil)

        var asked = Sheet(loaded: .pending)
        asked.send(.cancelRequested)
        asked.send(.cancelMissed(Self.rateLimited(30)))
        #expect(asked.calls.isEmpty)
        #expect(asked.machine.result == .processing, "a status that cannot be read")
    }

    @Test func `A cancel that is answered after the limit is a later truth`() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.cancelRequested)
        sheet.wait(PaymentMachine.watchLimit)
        sheet.send(.timerFired)
        sheet.read(.pending)
        #expect(sheet.machine.result == .processing)
        sheet.send(.cancelAnswered)
        #expect(sheet.kinds == [.status])
        #expect(sheet.machine.status == .cancelled)
        #expect(sheet.actions.contains(.eraseToken))
    }

    @Test func `A read asked before a refused cancel does not decide it by missing`() {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.send(.cancelRequested)
        sheet.send(.cancelMissed(Sheet.refusal(409)))
        sheet.send(.readMissed(Sheet.silence))
        #expect(sheet.machine.result == nil)
        #expect(sheet.calls == [.status])
        sheet.read(.pending)
        #expect(sheet.machine.result == .cancelled(.payerCancelled))
    }

    @Test func `A cancel answered 429 during a read that misses does not wait for Retry-After`() {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.send(.cancelRequested)
        sheet.send(.cancelMissed(Self.rateLimited(600)))
        #expect(sheet.machine.result == nil)
        sheet.send(.readMissed(Sheet.silence))
        #expect(sheet.calls.isEmpty)
        #expect(sheet.machine.result == .processing)
    }

    @Test func `A refresh does not ask for the session before its Retry-After`() {
        var sheet = Sheet()
        sheet.send(.sessionMissed(Self.rateLimited(90)))
        sheet.send(.refreshRequested)
        #expect(sheet.calls.isEmpty)
        #expect(sheet.machine.result == nil)
        sheet.wait(.seconds(90))
        sheet.send(.timerFired)
        #expect(sheet.calls == [.session])
    }

    @Test func `Presented again while session and configuration are being read, neither is asked for twice`() {
        var sheet = Sheet()
        sheet.send(.closeRequested(.dismissed))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        #expect(sheet.calls.isEmpty)
        sheet.send(.sessionAnswered(Sheet.session(.succeeded)))
        #expect(sheet.machine.result?.status == .complete)
    }

    @Test func `Presented again, an answer to the presentation before does not overrule the session's`() {
        var sheet = Sheet(PaymentOptions(language: .en, cancelOnDismiss: false), loaded: .pending)
        sheet.untilRead()
        sheet.send(.closeRequested(.dismissed))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.sessionAnswered(Sheet.session(.processing)))
        sheet.read(.pending)
        #expect(sheet.machine.status == .processing)
        #expect(!sheet.machine.canCancel)
        #expect(sheet.calls == [.status], "it is read anew at once")
    }

    @Test(arguments: [PaymentStatus.succeeded, .failed])
    func `Presented again, an end that an answer to the presentation before tells counts`(status: PaymentStatus) {
        var sheet = Sheet(PaymentOptions(language: .en, cancelOnDismiss: false), loaded: .pending)
        sheet.untilRead()
        sheet.send(.closeRequested(.dismissed))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.read(status)
        #expect(sheet.machine.status == status)
        #expect(sheet.machine.result?.status == (status == .succeeded ? .complete : .failed))
    }

    @Test(arguments: [PaymentEvent.signalled(.succeeded), .refreshRequested, .realtimeChanged(.connected)])
    func `Nothing that comes during the limit's read asks for another: the watch ends`(event: PaymentEvent) {
        var sheet = Sheet(loaded: .pending)
        sheet.wait(PaymentMachine.watchLimit)
        sheet.send(.timerFired)
        #expect(sheet.calls == [.status])
        sheet.send(event)
        sheet.send(.readMissed(Sheet.silence))
        #expect(sheet.machine.result == .processing)
        #expect(!sheet.machine.isLive)
    }

    @Test func `A restart amid a follow-up's read schedules the next`() {
        var sheet = Sheet(PaymentOptions(language: .en, followUp: .seconds(3600)), loaded: .processing)
        sheet.wait(PaymentMachine.watchLimit)
        sheet.send(.timerFired)
        sheet.read(.processing)
        while !sheet.calls.contains(.status) { sheet.wake() }
        sheet.send(.recovered)
        #expect(sheet.machine.nextRead != nil)
    }

    @Test func `A load that died with its process does not block a refresh after the restart`() {
        var sheet = Sheet()
        sheet.send(.closeRequested(.dismissed))
        sheet.send(.recovered)
        sheet.send(.refreshRequested)
        #expect(sheet.calls == [.session])
    }

    @Test func `A settled payment that is stored amid its read, and revived without a recovery, is read again`() throws
    {
        var sheet = Sheet(PaymentOptions(language: .en, cancelOnDismiss: false), loaded: .pending)
        sheet.untilRead()
        sheet.send(.closeRequested(.dismissed))
        #expect(!sheet.machine.isLive)
        sheet.machine = try JSONDecoder().decode(PaymentMachine.self, from: JSONEncoder().encode(sheet.machine))
        #expect(!sheet.machine.isReadUnderWay)

        var refreshed = sheet
        refreshed.send(.refreshRequested)
        #expect(refreshed.calls == [.status])

        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        sheet.wait(PaymentMachine.watchLimit)
        sheet.send(.timerFired)
        #expect(sheet.calls == [.status])
        sheet.read(.pending)
        #expect(sheet.machine.result == .processing)
    }

    @Test func `A settled payment that is stored amid its load, and revived without a recovery, is read again`() throws
    {
        var sheet = Sheet()
        sheet.send(.closeRequested(.dismissed))
        sheet.machine = try JSONDecoder().decode(PaymentMachine.self, from: JSONEncoder().encode(sheet.machine))
        #expect(!sheet.machine.isReadUnderWay)
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        #expect(sheet.calls == [.session, .configuration])
    }

    @Test func `That the token was erased is durable`() {
        var sheet = Sheet(PaymentOptions(language: .en, cancelOnDismiss: false), loaded: .pending)
        sheet.send(.closeRequested(.dismissed))
        sheet.send(.refreshRequested)
        sheet.send(.readMissed(Sheet.refusal(401)))
        #expect(sheet.actions.contains(.eraseToken))
        #expect(sheet.actions.first == .persist)
    }

    @Test func `A refusal from before the hand-off is no news; the next one is`() {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "before"))
        #expect(sheet.news.isEmpty)
        #expect(sheet.machine.state == .initiated)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .paymentDeclined, at: "now"))
        #expect(sheet.kinds == [.state, .error])
    }

    @Test(arguments: [Unanswered.Kind.rateLimited, .network, .timeout, .server, .notJSON, .clockSuspect])
    func `A missed read says nothing about money: its error has no certainty`(kind: Unanswered.Kind) {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.send(.readMissed(.unanswered(Unanswered(kind, reason: "lost"))))
        #expect(sheet.machine.lastReadError != nil)
        #expect(sheet.machine.lastReadError?.certainty == nil)
    }

    @Test(arguments: [
        ("Dial *126# to approve.", true), ("Composez #150*50#", true), ("*** Dial *126*1#, then your PIN", true),
        ("Approve on your phone", false), ("Call * then #", false), ("Order #12", false), ("*126", false), ("", false),
    ])
    func `A code to dial is found wherever it stands, and nothing else is one`(text: String, isCode: Bool) {
        #expect(ProcessingContext(isMobileMoney: true, payerInstruction: text).hasUSSDCode == isCode)
    }
}
