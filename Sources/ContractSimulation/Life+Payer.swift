internal import Contract

/// The customer, the provider, and the channel that tells of them.
extension Life {
    func providerDelay() -> Duration {
        dice.chance(10) ? .seconds(dice.int(60...4_000)) : dice.duration(milliseconds: 500...60_000)
    }

    func customer() throws(BrokenRule) {
        let before = wajub.status
        let (run, _) = wajub.live(&dice, at: time)
        if let run { at(providerDelay(), .provider(run: run)) }
        payOnPage()
        let changed = before != wajub.status
        if changed { tell { "· Wajub: \($0.wajub.status)" } }
        if changed || faults.signalLies > 0 { announce() }
        at(dice.duration(milliseconds: 500...90_000), .customer)
        try judgeMoney()
    }

    /// The payer pays on the page that they last saw.
    private func payOnPage() {
        guard let shown = machine?.openClientSession?.id ?? book.shownSession else { return }
        book.shownSession = shown
        guard dice.chance(50), let run = wajub.pay(onPage: shown, &dice, at: time) else { return }
        tell { _ in "· the payer pays on \(shown)" }
        at(providerDelay(), .provider(run: run))
    }

    /// The provider decides about a run, now or later.
    func provider(_ run: Int) throws(BrokenRule) {
        let before = wajub.status
        wajub.advance(to: time, &dice)
        let isPhone = wajub.runs.contains { $0.id == run && $0.attempt == 0 }
        if isPhone, wajub.traits.phone == .isRefused,
            book.inFlight[.process, default: 0] + book.inFlight[.clientSession, default: 0] > 0
        {
            return at(providerDelay(), .provider(run: run))
        }
        if !wajub.decide(run, &dice, at: time) { at(providerDelay(), .provider(run: run)) }
        tell { life in "· the provider: \(life.wajub.runs.first { $0.id == run }.map { "\($0)" } ?? "")" }
        if before != wajub.status { announce() }
        try judgeMoney()
    }

    // MARK: Realtime

    func connect() {
        let id = dice.int(1...1_000_000_000)
        connection = id
        at(dice.duration(milliseconds: 50...4_000), .realtime(.connected, connection: id))
    }

    func realtime(_ state: RealtimeState) throws(BrokenRule) {
        guard let connection else { return }
        if state == .connected, faults.drop > 0 {
            at(dice.duration(milliseconds: 500...90_000), .realtime(.connecting, connection: connection))
        } else if state == .connecting {
            let next: RealtimeState = dice.chance(20) ? .off : .connected
            at(dice.duration(milliseconds: 500...30_000), .realtime(next, connection: connection))
        }
        try handle(.realtimeChanged(state))
    }

    /// Tells the channel the status that is now true, as well as the network carries it.
    func announce() {
        guard let connection, machine?.realtime == .connected, !dice.chance(faults.signalLost) else { return }
        var status = wajub.status
        if dice.chance(faults.signalLies) { status = dice.pick([.succeeded, .failed, .cancelled, .processing]) }
        let wait =
            dice.chance(faults.signalLate)
            ? dice.duration(milliseconds: 1_000...30_000) : dice.duration(milliseconds: 10...300)
        at(wait, .signal(status, connection: connection))
        if dice.chance(faults.signalTwice) { at(wait + .seconds(1), .signal(status, connection: connection)) }
    }
}
