import FoundationEssentials
import Testing

@testable import Contract

/// Faults of paying that random lives found: each replays here in a few steps.
@Suite("Faults of paying")
struct PayingFaultsTests {
    private static func restarted(_ sheet: Sheet) throws -> Sheet {
        var restarted = sheet
        restarted.machine = try JSONDecoder().decode(PaymentMachine.self, from: JSONEncoder().encode(sheet.machine))
        restarted.send(.recovered)
        return restarted
    }

    private static func asked(_ id: String = "step_1") -> Sheet {
        var sheet = Sheet.paying()
        sheet.answer(.processing, .demand(.step(Step(.otp, id: id, attemptsLeft: 3))))
        return sheet
    }

    /// The payer is on a provider's page.
    private static func onPage() -> Sheet {
        var sheet = Sheet.ready()
        sheet.press(.clientSession)
        sheet.answer(nil, .demand(.clientSession(ClientSession(id: "cs_1", hostedURL: "https://h"))))
        return sheet
    }

    /// An attempt on its way, closed, and presented again.
    private static func presentedAgain() -> Sheet {
        var sheet = Sheet.paying()
        sheet.send(.closeRequested(.hostGone))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        return sheet
    }

    // MARK: The order of events

    @Test("Pay pressed while the configuration is awaited: ready comes before payment_started")
    func readyFirst() {
        var sheet = Sheet()
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        sheet.press()
        #expect(sheet.kinds == [.ready, .paymentStarted, .state, .progress])
    }

    @Test("What an attempt of an earlier presentation does before the load is told with ready")
    func nothingBeforeReady() {
        var sheet = Self.presentedAgain()
        #expect(sheet.kinds == [.accepted])
        sheet.answer(.processing, .demand(.step(Step(.otp, id: "s"))))
        #expect(sheet.kinds == [])
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        #expect(sheet.kinds == [.ready, .state])
        #expect(sheet.machine.state == .otpRequired)
    }

    @Test("A refusal of an attempt of an earlier presentation is not told before ready")
    func refusedBeforeReady() {
        var sheet = Self.presentedAgain()
        sheet.miss(Sheet.refusal(402, .insufficientFunds))
        #expect(sheet.kinds == [] && sheet.machine.attempt?.phase == .refused)
    }

    @Test("A step of an earlier presentation is answered before the configuration: ready comes first")
    func readyBeforeVerifying() {
        var sheet = Self.asked()
        sheet.send(.closeRequested(.hostGone))
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        sheet.send(.verifyRequested)
        #expect(sheet.kinds == [.ready, .state, .progress])
    }

    // MARK: Nothing is posted by itself

    @Test("A request whose answer missed in the next presentation is not tried again by itself")
    func noRetryAcrossPresentations() {
        var sheet = Self.presentedAgain()
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        sheet.miss(Sheet.silence)
        #expect(sheet.machine.attempt?.phase == .unanswered)
        #expect(sheet.machine.attempt?.nextTry == nil)
    }

    @Test("A retry that was slept through is not posted", arguments: [61, 27 * 3600])
    func sleptThrough(seconds: Int) {
        var sheet = Sheet.paying()
        sheet.miss(Sheet.silence)
        sheet.wait(.seconds(1 + seconds))
        sheet.send(.timerFired)
        #expect(sheet.posts == 0 && sheet.machine.attempt?.phase == .unanswered)
    }

    @Test("A press whose first read was slept through is not posted")
    func sleptThroughBaseline() {
        var sheet = Sheet(loaded: .pending)
        sheet.press()
        sheet.wait(.seconds(27 * 3600))
        sheet.send(.timerFired)
        #expect(sheet.posts == 0 && sheet.machine.attempt?.phase == .unanswered)
    }

    // MARK: Steps

    @Test(
        "A 410 after an answer that went unheard is no failure: the first may have been right",
        arguments: [false, true])
    func unheardAnswer(isCrash: Bool) throws {
        var sheet = Self.asked()
        sheet.send(.verifyRequested)
        if isCrash { sheet = try Self.restarted(sheet) } else { sheet.send(.stepMissed(Sheet.silence)) }
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.refusal(410, .stepExpired)))
        #expect(sheet.machine.attempt?.phase == .unanswered)
        #expect(!sheet.kinds.contains(.error))
    }

    @Test("A 410 to a resend after an answer that went unheard is no failure")
    func unheardAnswerThenResend() {
        var sheet = Self.asked()
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.silence))
        sheet.wait(.seconds(60))
        sheet.send(.resendRequested)
        sheet.send(.resendMissed(Sheet.refusal(410, .stepExpired)))
        #expect(sheet.machine.attempt?.phase == .unanswered)
    }

    @Test("A 410 after a resend that went unheard is no failure: the step may have another id")
    func unheardResend() {
        var sheet = Self.asked()
        sheet.wait(.seconds(60))
        sheet.send(.resendRequested)
        sheet.send(.resendMissed(Sheet.silence))
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.refusal(410, .stepExpired)))
        #expect(sheet.machine.attempt?.phase == .unanswered)
    }

    @Test("A wrong answer that was heard leaves nothing unheard: the step's expiry is definite")
    func heardAnswer() {
        var sheet = Self.asked()
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.refusal(422, ErrorCode(rawValue: "invalid_code"), attemptsLeft: 2)))
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.refusal(410, .stepExpired)))
        #expect(sheet.machine.attempt?.phase == .refused)
    }

    @Test("A 410 of another code to a step may be the token's: the status is read first")
    func tokenGone() {
        var sheet = Self.asked()
        sheet.send(.verifyRequested)
        sheet.send(.stepMissed(Sheet.refusal(410)))
        #expect(sheet.machine.attempt?.isUndecided == true && sheet.calls == [.status])
        sheet.send(.readMissed(Sheet.refusal(401)))
        #expect(sheet.machine.attempt?.phase == .unanswered)
    }

    // MARK: Client sessions

    @Test("A client session started anew while the reads still miss is not refused for its own sake")
    func restartWithoutBaseline() {
        var sheet = Self.onPage()
        sheet.wait(.seconds(60))
        sheet.press(.clientSession, digest: "d2")
        #expect(sheet.posts == 0)
        sheet.wait(PaymentMachine.baselineLimit)
        sheet.send(.timerFired)
        #expect(sheet.posts == 1 && sheet.machine.attempt?.isUndecided == true)
    }

    @Test("Back from a page while a new client session is asked for: the old one is not completed")
    func returnedWhileRestarting() {
        var sheet = Self.onPage()
        sheet.press(.clientSession, digest: "d2")
        #expect(sheet.posts == 1)
        sheet.send(.returned)
        #expect(!sheet.calls.contains(.completion))
    }

    @Test(
        "A client session that could not be started anew leaves the open one open",
        arguments: [Sheet.refusal(402, .insufficientFunds), Sheet.refusal(409, .paymentInProgress), Sheet.silence])
    func restartRefused(failure: CallFailure) {
        var sheet = Self.onPage()
        sheet.press(.clientSession, digest: "d2")
        sheet.miss(failure)
        #expect(sheet.machine.attempt?.phase == .accepted)
        #expect(sheet.machine.openClientSession?.id == "cs_1")
        #expect(sheet.machine.refusalToPay(at: sheet.now, wallTime: 1_000_000) == .attemptUndecided)
        sheet.send(.returned)
        #expect(sheet.calls == [.completion])
    }

    @Test("A refusal of the client session before is no answer to the one that took its place")
    func earlierSessionsRefusal() {
        var sheet = Self.onPage()
        sheet.press(.clientSession, digest: "d2")
        sheet.answer(nil, .demand(.clientSession(ClientSession(id: "cs_2"))))
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "t1"))
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    // MARK: Whose refusal it is

    @Test("A refusal from before the press is not this attempt's, though the last read was too old to tell it")
    func staleBaseline() {
        var sheet = Sheet.ready()
        sheet.wait(PaymentMachine.baselineAge + .seconds(1))
        sheet.press()
        #expect(sheet.calls == [.status])
        sheet.read(.pending, refusal: Refusal(code: .paymentDeclined, at: "t1"))
        #expect(sheet.posts == 1)
        sheet.miss(Sheet.server(500))
        sheet.read(.pending, refusal: Refusal(code: .paymentDeclined, at: "t1"))
        #expect(sheet.machine.attempt?.phase == .unanswered)
    }

    @Test("Each of two refusals is owed to its own attempt, however late the reads show it")
    func twoOwedRefusals() {
        var sheet = Sheet.paying()
        for (status, code) in [(402, ErrorCode.insufficientFunds), (422, .validationError)] {
            sheet.miss(Sheet.refusal(status, code))
            sheet.read(.pending)
            sheet.press(key: "key for \(status)")
        }
        sheet.answer(.processing)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "t1"))
        #expect(sheet.machine.attempt?.number == 3 && sheet.machine.attempt?.isUndecided == true)
    }

    @Test("Each of two refusals of one code is owed to its own attempt")
    func twoOwedRefusalsOfOneCode() {
        var sheet = Sheet.paying()
        for key in ["key-2", "key-3"] {
            sheet.miss(Sheet.refusal(403, .blocked))
            sheet.read(.pending)
            sheet.press(key: key)
        }
        sheet.answer(.processing)
        for time in ["t1", "t2"] {
            sheet.untilRead()
            sheet.read(.pending, refusal: Refusal(code: .blocked, at: time))
        }
        #expect(sheet.machine.attempt?.number == 3 && sheet.machine.attempt?.isUndecided == true)
    }

    @Test("Reads of which one is behind the other: a refusal seen before the press stays old")
    func readsBehind() {
        let (older, newer) = (Refusal(code: .blocked, at: "t1"), Refusal(code: .paymentDeclined, at: "t2"))
        var sheet = Sheet.ready(refusal: older)
        for refusal in [newer, older] {
            sheet.untilRead()
            sheet.read(.pending, refusal: refusal)
        }
        sheet.press()
        sheet.answer(.processing)
        sheet.untilRead()
        sheet.read(.pending, refusal: newer)
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    @Test("What the first read of all shows may be older than a refusal of the same code that an answer told")
    func olderRefusalOfTheSameCode() {
        var sheet = Sheet(loaded: .pending)
        sheet.press()
        sheet.wait(PaymentMachine.baselineLimit)
        sheet.send(.timerFired)
        sheet.miss(Sheet.refusal(402, .insufficientFunds))
        sheet.send(.readMissed(Sheet.silence))
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "before the hand-off"))
        sheet.press(key: "key-2")
        sheet.answer(.processing)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "the first attempt's"))
        #expect(sheet.machine.attempt?.number == 2 && sheet.machine.attempt?.isUndecided == true)
    }

    // MARK: What else

    @Test("A request whose answer was slept through is not tried again")
    func sleptThroughAnswer() {
        var sheet = Sheet.paying()
        sheet.wait(.seconds(27 * 3600))
        sheet.miss(Sheet.silence)
        #expect(sheet.machine.attempt?.phase == .unanswered && sheet.machine.attempt?.nextTry == nil)
    }

    @Test("A client session started anew is not refused by what was asked about the one before")
    func restartWhileReadingFirst() {
        var sheet = Self.onPage()
        sheet.send(.returned)
        sheet.send(.completionMissed(Sheet.refusal(410, .clientSessionExpired)))
        sheet.press(.clientSession, digest: "d2")
        sheet.read(.pending)
        sheet.read(.pending)
        #expect(sheet.machine.attempt?.isUndecided == true)
    }

    @Test(
        "An attempt of an earlier presentation keeps its method when its answer comes, and reads change nothing of it")
    func methodAfterPresentingAgain() {
        var sheet = Self.presentedAgain()
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.processing)))
        sheet.answer(.processing)
        #expect(sheet.machine.method == .mobileMoney)
        sheet.untilRead()
        sheet.read(.processing)
        #expect(sheet.machine.method == .mobileMoney && sheet.news.isEmpty)
    }

    @Test("A read after the result that says processing keeps Pay closed in the next presentation")
    func processingAfterTheResult() {
        var sheet = Sheet.unanswered()
        sheet.send(.closeRequested(.hostGone))
        sheet.read(.processing)
        sheet.send(.presentedAgain(PaymentOptions(language: .en)))
        sheet.send(.configurationAnswered([:]))
        sheet.send(.sessionAnswered(Sheet.session(.pending)))
        for _ in 0..<30 {
            sheet.wake()
            if sheet.machine.isReadUnderWay { sheet.read(.pending) }
        }
        #expect(sheet.machine.attempt?.isPayOpen == false)
    }

    @Test("A doubtful refusal whose read Retry-After keeps back is watched at once")
    func readKeptBack() {
        var sheet = Sheet.paying()
        sheet.send(.refreshRequested)
        sheet.miss(Sheet.refusal(400))
        let wait = Unanswered(.rateLimited, reason: "wait", httpStatus: 429, retryAfter: .seconds(600))
        sheet.send(.readMissed(.unanswered(wait)))
        #expect(sheet.machine.attempt?.phase == .unanswered && sheet.machine.state == .pending)
        #expect(sheet.news.contains(.progress(false)))
    }
}
