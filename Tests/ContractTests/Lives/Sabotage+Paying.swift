import ContractSimulation

@testable import Contract

/// The rules of paying, each broken (design.md, "Paying", "Undecided", "Steps", "Client sessions and pages").
extension Sabotage {
    static let paying = keys + silence + reopening + confirming + told

    private static let decline = CallFailure.refused(APIRefusal(httpStatus: 402, code: .paymentDeclined))

    private static let keys = [
        Sabotage("a second press of an undecided attempt gets a new key", caughtBy: "one attempt, one key") {
            machine, before, event, now, _ in
            guard case .payRequested(let press) = event, let undecided = before.attempt, undecided.isUndecided,
                machine.attempt != before.attempt
            else { return }
            var attempt = Attempt(press, number: undecided.number, at: now)
            attempt.phase = machine.attempt?.phase ?? .sent
            attempt.tries = undecided.tries + 1
            machine.attempt = attempt
        },
        Sabotage("the request leaves before its key is durable", caughtBy: "") { _, _, event, _, actions in
            if case .payRequested = event { actions.removeAll { $0 == .persist } }
        },
        Sabotage("a press sends two requests", caughtBy: "") { _, _, event, _, actions in
            if case .payRequested = event, actions.contains(.send(.process)) { actions.append(.send(.process)) }
        },
        Sabotage("after a restart the request is sent again", caughtBy: "") { machine, before, event, _, actions in
            guard event == .recovered, machine.result == nil, machine.attempt?.phase == .unanswered,
                machine.attempt?.request == .process
            else { return }
            machine.attempt?.phase = .sent
            actions += [.persist, .send(.process)]
        },
        Sabotage("a cancel goes out while an attempt is undecided", caughtBy: "") { machine, _, event, _, actions in
            guard event == .cancelRequested, machine.attempt?.isUndecided == true, machine.result == nil else { return }
            machine.closing = Closing(reason: .payerCancelled, phase: .asked)
            actions = [.persist, .send(.cancel)]
        },
    ]

    private static let silence = [
        Sabotage(
            "a request without an answer is declined", caughtBy: "refused only",
            hears: { event, _ in
                if case .payMissed(let attempt, .unanswered) = event {
                    .payMissed(attempt: attempt, decline)
                } else {
                    event
                }
            }),
        Sabotage(
            "a doubtful refusal is declined at once", caughtBy: "",
            hears: { event, machine in
                guard case .payMissed(let attempt, .refused(let refusal)) = event,
                    [400, 401, 404, 409, 410].contains(refusal.httpStatus)
                else { return event }
                return .payMissed(attempt: attempt, decline)
            }),
        Sabotage("silence is tried against for ever", caughtBy: "tried again twice") { machine, _, event, _, _ in
            if case .payMissed = event, machine.attempt?.nextTry != nil { machine.attempt?.retries = 0 }
        },
        Sabotage("a request is tried again at once", caughtBy: "tried again after its wait") {
            machine, _, event, now, _ in
            if case .payMissed = event, machine.attempt?.nextTry != nil { machine.attempt?.nextTry = now }
        },
        Sabotage("a try that waits is forgotten", caughtBy: "") { machine, _, event, _, _ in
            if case .payMissed = event { machine.attempt?.nextTry = nil }
        },
    ]

    private static let reopening = [
        Sabotage("Pay opens before 60 s are over", caughtBy: "Pay opens again") { machine, _, event, _, _ in
            guard case .readAnswered = event, event.told == .pending, machine.attempt?.phase == .unanswered else {
                return
            }
            machine.attempt?.isPayOpen = true
        },
        Sabotage("Pay opens without a read", caughtBy: "Pay opens again") { machine, before, event, _, _ in
            guard event == .timerFired, before.attempt?.isReadDue == false, machine.attempt?.isReadDue == true else {
                return
            }
            machine.attempt?.isPayOpen = true
        },
        Sabotage("Pay opens although it was processing", caughtBy: "Pay") { machine, _, event, _, _ in
            if case .readAnswered = event { machine.attempt?.sawProcessing = false }
        },
        Sabotage("a client session follows what may have arrived", caughtBy: "what may have") { machine, _, _, _, _ in
            if machine.attempt?.isPayOpen == true { machine.attempt?.request = .clientSession }
        },
        Sabotage("somebody else's payment is over when we give way", caughtBy: "what a read") {
            machine, before, event, _, _ in
            guard case .readAnswered = event, before.attempt?.phase == .recorded, machine.attempt?.phase == .refused
            else { return }
            machine.status = .pending
        },
        Sabotage(
            "an expiry ends an attempt that is undecided", caughtBy: "",
            hears: { event, machine in
                guard case .sessionAnswered(var session) = event, event.told == .pending,
                    session.transaction.isPastExpiry, machine.attempt?.isUndecided == true
                else { return event }
                session.transaction.status = .expired
                return .sessionAnswered(session)
            }),
    ]

    private static let confirming = [
        Sabotage("a firewall's block ends a step", caughtBy: "refused only", within: 20_000) {
            machine, before, event, now, _ in
            guard case .stepMissed(.refused(let refusal)) = event, refusal.httpStatus == 403,
                machine.attempt?.isUndecided == true
            else { return }
            machine.attempt?.phase = .refused
        },
        Sabotage(
            "a step without an answer ends the attempt", caughtBy: "refused only",
            hears: { event, _ in
                if case .stepMissed(.unanswered) = event { .stepMissed(decline) } else { event }
            }),
        Sabotage(
            "a client session that cannot be completed is declined", caughtBy: "refused only",
            hears: { event, _ in
                if case .completionMissed(.unanswered) = event { .completionMissed(decline) } else { event }
            }),
        Sabotage(
            "what was accepted is declined", caughtBy: "refused only",
            hears: { event, _ in
                if case .payAnswered(let attempt, _) = event { .payMissed(attempt: attempt, decline) } else { event }
            }),
    ]

    private static let told = [
        Sabotage("progress never ends", caughtBy: "progress") { _, _, _, _, actions in
            actions.removeAll { $0 == .emit(.progress(false)) }
        },
        Sabotage("progress is told twice", caughtBy: "progress") { _, _, _, _, actions in
            if let place = actions.firstIndex(of: .emit(.progress(true))) {
                actions.insert(.emit(.progress(true)), at: place)
            }
        },
    ]
}
