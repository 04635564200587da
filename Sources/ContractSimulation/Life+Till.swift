internal import Contract

/// The till, and whoever stands at it.
extension Life {
    func till() throws(BrokenRule) {
        at(dice.duration(milliseconds: dice.chance(50) ? 200...5_000 : 200...60_000), .till)
        if machine != nil, isDormant {
            isDormant = false
            try handle(.recovered)
        }
        guard let machine else { return }
        if dice.chance(faults.wallJump) { wallJump() }
        if pays, dice.chance(60) { return try useful(machine) }
        switch dice.int(0...(pays ? 39 : 9)) {
        case 0: try command(.closeRequested(.dismissed))
        case 1: try command(.closeRequested(.hostGone))
        case 2, 3: try command(.cancelRequested)
        case 4, 5: try command(.refreshRequested)
        case 6...9: if machine.canBePresentedAgain { try command(.presentedAgain(options())) }
        case 10...15: try command(.returned)
        case 16...23: try command(.verifyRequested)
        case 24...27: try command(.resendRequested)
        default: try pay()
        }
    }

    /// What somebody would do who wants to pay.
    private func useful(_ machine: PaymentMachine) throws(BrokenRule) {
        if machine.canBePresentedAgain { return try command(.presentedAgain(options())) }
        if machine.pendingStep != nil, dice.chance(80) { return try command(.verifyRequested) }
        if machine.openClientSession != nil, dice.chance(60) { return try command(.returned) }
        try pay()
    }

    private func command(_ event: PaymentEvent) throws(BrokenRule) {
        book.asked(event)
        try handle(event)
        // An impatient cashier presses twice, or changes their mind.
        if dice.chance(5) { try handle(event) }
        if dice.chance(5) { try pay() }
    }

    /// Presses Pay, as the daemon would: refused where it cannot be, and where the disk has no room for it.
    private func pay() throws(BrokenRule) {
        let press = nextPress()
        guard let machine, machine.refusalToPay(press.request, at: now, wallTime: wallTime) == nil else { return }
        try handle(.payRequested(press))
        guard dice.chance(10) else { return }
        let second: PaymentEvent = dice.pick([
            .payRequested(nextPress()), .cancelRequested, .closeRequested(.dismissed),
        ])
        book.asked(second)
        try handle(second)
    }

    private func nextPress() -> Press {
        let key = "key \(book.keys)"
        book.keys += 1
        // The same body again, or another one.
        let digest = "body \(dice.chance(50) ? 0 : dice.int(1...30))"
        let isSession = dice.chance(20)
        return Press(
            request: isSession ? .clientSession : .process,
            method: isSession ? .card : dice.pick([.mobileMoney, .mobileMoney, .card, .wallet]),
            channel: isSession ? "card" : "cm.mobile", newKey: IdempotencyKey(key), bodyDigest: digest,
            phoneMasked: dice.chance(50) ? "•••• 56" : nil, wallTime: wallTime)
    }

    /// Right, a year ahead, or in 1970. One that is a little behind after a reboot could be told by nobody.
    private func wallJump() {
        wallError = dice.pick([0, 40_000_000, -1_800_000_000])
    }

    func options() -> PaymentOptions {
        PaymentOptions(
            language: dice.pick([nil, .en, .fr]), realtime: dice.chance(80) ? .session : .off,
            cancelOnDismiss: dice.chance(70), followUp: dice.pick([.zero, .zero, .seconds(600), .seconds(86_400)]))
    }
}
