import ContractSimulation

@testable import Contract

extension Sabotage {
    static let all = events + durability + network + watching + closing + money + paying

    private static let events = [
        Sabotage("complete is told twice", caughtBy: "complete ") { machine, before, _, _, actions in
            guard before.result == nil, let result = machine.result else { return }
            actions.append(.emit(.complete(result)))
        },
        Sabotage("complete is forgotten", caughtBy: "") { _, _, _, _, actions in
            actions.removeAll { if case .emit(.complete) = $0 { true } else { false } }
        },
        Sabotage("a state follows the result", caughtBy: "events in") { machine, before, event, _, actions in
            guard before.result != nil, case .closeRequested = event else { return }
            actions.insert(contentsOf: [.persist, .emit(.state(.pending, .unknown))], at: 0)
        },
        Sabotage("ready is told before accepted", caughtBy: "events in") { _, _, _, _, actions in
            guard let index = actions.firstIndex(of: .emit(.accepted)) else { return }
            actions.insert(.emit(.ready(.live, [])), at: index)
        },
        Sabotage("a success is told after complete", caughtBy: "complete ") { _, _, _, _, actions in
            let success = actions.firstIndex { if case .emit(.success) = $0 { true } else { false } }
            if let success { actions.append(actions.remove(at: success)) }
        },
        Sabotage("a later read changes the result", caughtBy: "a result never changes") { machine, before, _, _, _ in
            guard before.result == .processing, before.status != machine.status else { return }
            machine.result = .cancelled(.dismissed)
        },
        Sabotage("the payer's number is noted", caughtBy: "nothing secret") { machine, _, _, _, actions in
            guard let instruction = machine.screen?.instruction else { return }
            actions.append(.note(PaymentNote("screen", ["instruction": instruction])))
        },
    ]

    private static let durability = [
        Sabotage("persist is dropped", caughtBy: "an event and") { _, _, _, _, actions in
            actions.removeAll { $0 == .persist }
        },
        Sabotage("persist comes last", caughtBy: "an event and") { _, _, _, _, actions in
            if actions.first == .persist { actions.append(actions.removeFirst()) }
        },
        Sabotage("a cancel leaves before it is durable", caughtBy: "a change is durable") { _, _, event, _, actions in
            if event == .cancelRequested { actions.removeAll { $0 == .persist } }
        },
        Sabotage("a restart reads nothing", caughtBy: "it knows whether") { _, _, event, _, actions in
            if event == .recovered { actions.removeAll { $0 == .send(.status) } }
        },
        Sabotage("the token is kept", caughtBy: "the token is erased") { _, _, _, _, actions in
            actions.removeAll { $0 == .eraseToken }
        },
        Sabotage("an erased token is used", caughtBy: "no send after") { machine, _, _, _, actions in
            if actions.contains(.persist) { machine.isTokenErased = false }
        },
    ]

    private static let network = [
        Sabotage("Retry-After is ignored", caughtBy: "Retry-After", hears: { event, _ in event.withoutRetryAfter }),
        Sabotage("a refresh ignores Retry-After", caughtBy: "Retry-After") { machine, _, event, now, actions in
            guard event == .refreshRequested, let moment = machine.reading.notBefore, moment > now else { return }
            guard machine.isLoaded, !machine.reading.inFlight, !machine.isTokenErased else { return }
            machine.reading.inFlight = true
            actions.append(.send(.status))
        },
        Sabotage("two reads at once", caughtBy: "at most one") { _, _, _, _, actions in
            if actions.contains(.send(.status)) { actions.append(.send(.status)) }
        },
        Sabotage(
            "a refused read is a failure", caughtBy: "",
            hears: { event, _ in
                if case .readMissed(.refused) = event { .forged(.failed) } else { event }
            }),
        Sabotage(
            "silence is a failure", caughtBy: "",
            hears: { event, _ in
                if case .readMissed(.unanswered) = event { .forged(.failed) } else { event }
            }),
        Sabotage(
            "a load without an answer fails", caughtBy: "failed only",
            hears: { event, _ in
                if case .sessionMissed(.unanswered) = event { .sessionMissed(Sheet.refusal(404)) } else { event }
            }),
    ]

    private static let watching = [
        Sabotage("the limit is forgotten", caughtBy: "the watch ends") { machine, _, _, now, _ in
            if case .active = machine.watch { machine.watch = .active(until: now + .seconds(900)) }
        },
        Sabotage("a restart starts the limit over", caughtBy: "the watch ends") { machine, _, event, now, _ in
            guard event == .recovered, case .active = machine.watch else { return }
            machine.watch = .active(until: now + .seconds(900))
        },
        Sabotage(
            "a signal decides", caughtBy: "",
            hears: { event, machine in
                if case .signalled(let status) = event, machine.reading.inFlight { .forged(status) } else { event }
            }),
        Sabotage("after a missed read nothing is scheduled", caughtBy: "a live payment") { machine, _, event, _, _ in
            if case .readMissed = event { machine.reading.next = nil }
        },
        Sabotage("a missed read is repeated at once", caughtBy: "reads keep") { machine, _, event, now, _ in
            if case .readMissed = event, machine.reading.next != nil { machine.reading.next = now }
        },
        Sabotage("a lost load is not tried again", caughtBy: "a live payment") { machine, _, event, _, _ in
            if case .sessionMissed = event, machine.result == nil { machine.loading.session = .idle }
        },
        Sabotage(
            "a timer does nothing", caughtBy: "a timer",
            breaks: { machine, before, event, _, actions in
                guard event == .timerFired else { return }
                (machine, actions) = (before, [])
            }),
        Sabotage("reads become rare", caughtBy: "an open payment is read") { machine, _, event, now, _ in
            guard case .readAnswered = event, machine.reading.next != nil else { return }
            machine.reading.next = now + .seconds(120)
        },
    ]

    private static let closing = [
        Sabotage(
            "host_gone cancels", caughtBy: "",
            hears: { event, _ in
                event == .closeRequested(.hostGone) ? .cancelRequested : event
            }),
        Sabotage("a close is cancelled while money may move", caughtBy: "closing resolves") {
            machine, _, event, _, actions in
            guard case .closeRequested(let reason) = event, actions.contains(.emit(.complete(.processing))) else {
                return
            }
            let cancelled = CheckoutResult.cancelled(reason.cancelReason)
            machine.result = cancelled
            actions = [.persist, .emit(.cancel(reason.cancelReason)), .emit(.complete(cancelled))]
        },
        Sabotage("a cancel goes out while money may move", caughtBy: "a cancel only") { machine, _, event, _, actions in
            guard event == .cancelRequested, machine.status == .processing, machine.result == nil else { return }
            machine.closing = Closing(reason: .payerCancelled, phase: .asked)
            actions = [.persist, .send(.cancel)]
        },
        Sabotage(
            "a refused cancel counts as cancelled", caughtBy: "",
            hears: { event, _ in
                if case .cancelMissed(.refused) = event { .cancelAnswered } else { event }
            }),
        Sabotage(
            "a cancel without an answer counts for good", caughtBy: "",
            hears: { event, _ in
                if case .cancelMissed(.unanswered) = event { .cancelAnswered } else { event }
            }),
    ]

    private static let money = [
        Sabotage(
            "paid is not heard", caughtBy: "paid stays",
            hears: { event, _ in
                if case .readAnswered = event, event.told == .succeeded { .forged(.processing) } else { event }
            }),
        Sabotage(
            "paid becomes failed", caughtBy: "",
            hears: { event, _ in
                if case .readAnswered = event, event.told == .succeeded { .forged(.failed) } else { event }
            }),
        Sabotage(
            "the machine's own clock expires a payment", caughtBy: "failed only",
            hears: { event, _ in
                guard case .sessionAnswered(var session) = event, event.told == .pending else { return event }
                session.transaction.isPastExpiry = true
                return .sessionAnswered(session)
            }),
        Sabotage(
            "a failure names a refusal that was never given", caughtBy: "failed only",
            hears: { event, _ in
                guard case .readAnswered(var reading) = event, event.told == .failed else { return event }
                reading.lastFailure = Refusal(code: ErrorCode(rawValue: "invented"), at: "never")
                return .readAnswered(reading)
            }),
    ]
}
