import Testing

@testable import Contract

@Suite("Watching")
struct WatchingTests {
    @Test("Reads every 5 s; after two minutes without a change 7.5, 11.25, then 15 s")
    func pace() {
        var sheet = Sheet(loaded: .pending, realtime: nil)
        var waits: [Duration] = []
        let start = sheet.now
        while sheet.now - start < .seconds(200) {
            let before = sheet.now
            repeat { sheet.wake() } while !sheet.calls.contains(.status)
            waits.append(sheet.now - before)
            sheet.read(.pending)
        }
        #expect(Array(waits.prefix(24)) == Array(repeating: .seconds(5), count: 24))
        #expect(Array(waits.dropFirst(24).prefix(4)) == [.seconds(7.5), .seconds(11.25), .seconds(15), .seconds(15)])
    }

    @Test("15 s while the socket is connected; 5 s again when it is lost")
    func connectedPace() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.realtimeChanged(.connected))
        #expect(sheet.calls == [.status], "after every subscription one read")
        sheet.read(.pending)
        #expect(sheet.nextRead == .seconds(15))
        sheet.send(.realtimeChanged(.connecting))
        #expect(sheet.nextRead == .seconds(5))
        sheet.send(.realtimeChanged(.connected))
        #expect(sheet.calls == [.status], "after every resubscription as well")
    }

    @Test(
        "On errors it backs off up to a minute, and a 401, 403, 404, 5xx or HTML is never a failure",
        arguments: [
            Sheet.silence, Sheet.refusal(401), Sheet.refusal(403), Sheet.refusal(404),
            .unanswered(Unanswered(.server, reason: "", httpStatus: 502)),
            .unanswered(Unanswered(.notJSON, reason: "")),
        ])
    func backsOff(failure: CallFailure) {
        var sheet = Sheet(loaded: .pending, realtime: nil)
        for wait in [5, 10, 20, 40, 60, 60] {
            sheet.untilRead()
            sheet.send(.readMissed(failure))
            #expect(sheet.nextRead == .seconds(wait))
            #expect(sheet.kinds == [])
            #expect(sheet.machine.result == nil)
            #expect(sheet.machine.lastReadError != nil)
            #expect(sheet.machine.lastReadError?.certainty == nil)
        }
        sheet.untilRead()
        sheet.read(.succeeded)
        #expect(sheet.machine.result?.status == .complete)
        #expect(sheet.machine.lastReadError == nil)
    }

    @Test("Retry-After is obeyed, by the schedule, by signals and by people who ask")
    func retryAfter() {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.send(.readMissed(.unanswered(Unanswered(.rateLimited, reason: "", retryAfter: .seconds(90)))))
        #expect(sheet.nextRead == .seconds(90))
        sheet.send(.signalled(.succeeded))
        #expect(sheet.calls == [])
        sheet.send(.refreshRequested)
        #expect(sheet.calls == [])
        #expect(sheet.nextRead == .seconds(90))
    }

    @Test("A change starts over at 5 s")
    func changeStartsOver() {
        var schedule = ReadSchedule(now: Instant(nanoseconds: 0))
        let late = Instant(nanoseconds: 0) + .seconds(130)
        #expect(schedule.answered(at: late, subscribed: false) == .seconds(7.5))
        schedule.changed(at: late)
        #expect(schedule.answered(at: late, subscribed: false) == .seconds(5))
    }

    @Test("One read at the deadline, then processing, also where nothing was attempted here")
    func deadline() {
        var sheet = Sheet(loaded: .pending, realtime: nil)
        let limit = sheet.now + .seconds(900)
        while sheet.now < limit {
            sheet.wake()
            if sheet.calls.contains(.status), sheet.now < limit { sheet.read(.pending) }
        }
        #expect(sheet.now == limit)
        #expect(sheet.calls == [.status])
        sheet.read(.pending)
        #expect(sheet.kinds == [.state, .complete])
        #expect(sheet.machine.state == .pending)
        #expect(sheet.machine.result == .processing)
        #expect(!sheet.machine.isLive)
        #expect(!sheet.machine.advice.safeToTakeOtherPayment)
    }

    @Test(
        "The read at the deadline may find the outcome; where it misses the result is processing",
        arguments: [true, false])
    func lastRead(isPaid: Bool) {
        var sheet = Sheet(loaded: .pending, realtime: nil)
        while sheet.machine.watch != .finishing {
            sheet.wake()
            if sheet.calls.contains(.status), sheet.machine.watch != .finishing {
                sheet.send(.readMissed(Sheet.silence))
            }
        }
        if isPaid { sheet.read(.succeeded) } else { sheet.send(.readMissed(Sheet.silence)) }
        #expect(sheet.machine.result?.status == (isPaid ? .complete : .processing))
    }

    @Test("A payment that never loads ends as processing at the limit")
    func neverLoads() {
        var sheet = Sheet()
        sheet.send(.configurationMissed(Sheet.silence))
        sheet.send(.sessionMissed(Sheet.silence))
        while sheet.machine.result == nil {
            sheet.wake()
            if sheet.calls.contains(.session) { sheet.send(.sessionMissed(Sheet.silence)) }
        }
        #expect(sheet.machine.result == .processing)
        #expect(sheet.machine.status == .unknown)
    }

    @Test("A signal is a hint: one read at once, then again after 1, 2 and 5 s while the read says the old thing")
    func signals() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.realtimeChanged(.connected))
        sheet.read(.pending)
        sheet.send(.signalled(.succeeded))
        #expect(sheet.calls == [.status])
        for wait in [1, 2, 5, 15] {
            sheet.read(.pending)
            #expect(sheet.machine.status == .pending, "the read decides")
            #expect(sheet.nextRead == .seconds(wait))
            sheet.untilRead()
        }
    }

    @Test("The same signal twice is one")
    func duplicateSignals() {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.signalled(.processing))
        #expect(sheet.calls == [.status])
        sheet.send(.signalled(.processing))
        sheet.read(.processing)
        #expect(sheet.calls == [])
        sheet.send(.signalled(.processing))
        #expect(sheet.calls == [])
        #expect(sheet.machine.signals == 3)
    }

    @Test("A signal during a read is followed by another read: the one under way may be older")
    func signalDuringRead() {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.send(.signalled(.succeeded))
        #expect(sheet.calls == [])
        sheet.read(.pending)
        #expect(sheet.calls == [.status])
    }

    @Test("A newer refusal is an error that may be retried; the same one is not told again")
    func refusal() {
        var sheet = Sheet(loaded: .processing, context: ProcessingContext(isMobileMoney: true))
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "1"))
        #expect(sheet.kinds == [.state, .error])
        #expect(sheet.machine.state == .failed)
        #expect(sheet.machine.error?.certainty == .definite)
        #expect(sheet.machine.result == nil, "a definite refusal settles nothing")
        #expect(sheet.machine.advice.safeToRetry)
        #expect(sheet.machine.advice.canCancel)
        sheet.untilRead()
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, at: "1"))
        #expect(sheet.kinds == [])
    }

    @Test(
        "An ended status found by a read: failed, with the newer refusal's code where failed carries one",
        arguments: [
            (PaymentStatus.failed, ErrorCode.paymentDeclined, CheckoutState.failed),
            (.expired, .sessionTerminalExpired, .expired), (.cancelled, .sessionTerminalCancelled, .cancelled),
        ])
    func endedByRead(status: PaymentStatus, code: ErrorCode, state: CheckoutState) {
        var sheet = Sheet(loaded: .pending)
        sheet.untilRead()
        sheet.read(status, refusal: Refusal(code: .paymentDeclined, at: "1"))
        #expect(sheet.kinds == [.state, .error, .complete])
        #expect(sheet.machine.error?.code == code)
        #expect(sheet.machine.state == state)
        #expect(sheet.machine.result?.status == .failed)
        #expect(sheet.actions.contains(.eraseToken))
        #expect(sheet.actions.contains(.disconnect))
    }

    @Test("Realtime off, or a reference that makes no legal channel name: polling only")
    func noRealtime() {
        let off = Sheet(PaymentOptions(realtime: .off), loaded: .pending)
        #expect(!off.actions.contains { if case .connect = $0 { true } else { false } })
        var illegal = Sheet.channel
        illegal.name = "private-payment.a b"
        let unnamed = Sheet(loaded: .pending, realtime: illegal)
        #expect(!unnamed.actions.contains { if case .connect = $0 { true } else { false } })
        #expect(unnamed.nextRead == .seconds(5))
        illegal.name = String(repeating: "x", count: 165)
        #expect(!illegal.isLegal)
    }

    @Test("After the watch, follow-up reads after 1, 2, 4 … 60 minutes move status, never the result")
    func followUp() {
        var sheet = Sheet(PaymentOptions(followUp: .seconds(86_400)), loaded: .pending, realtime: nil)
        while sheet.machine.result == nil {
            sheet.wake()
            if sheet.calls.contains(.status) { sheet.read(.pending) }
        }
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(sheet.nextRead == .seconds(60 * minutes))
            sheet.untilRead()
            sheet.read(.pending)
        }
        sheet.untilRead()
        sheet.read(.succeeded)
        #expect(sheet.kinds == [.status])
        #expect(sheet.machine.status == .succeeded)
        #expect(sheet.machine.result == .processing)
        #expect(sheet.actions.contains(.eraseToken))
        #expect(!sheet.machine.isLive)
    }

    @Test("A follow-up ends with a refused token, which is erased")
    func followUpRefused() {
        var sheet = Sheet(PaymentOptions(followUp: .seconds(86_400)), loaded: .pending, realtime: nil)
        while sheet.machine.result == nil {
            sheet.wake()
            if sheet.calls.contains(.status) { sheet.read(.pending) }
        }
        sheet.untilRead()
        sheet.send(.readMissed(Sheet.refusal(401)))
        #expect(sheet.actions.contains(.eraseToken))
        #expect(!sheet.machine.isLive)
    }
}
