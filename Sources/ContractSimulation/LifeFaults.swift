/// What goes wrong in one life, in percent: each seed enables its own subset.
struct LifeFaults {
    let lostBefore, lostAfter, slow, serverError, notJSON, rateLimited: Int
    /// A 400, 401, 403, 404 or 410 that says nothing true about the payment.
    let falseRefusal: Int
    let kill, reboot, suspend: Int
    let signalLost, signalTwice, signalLate, signalLies, drop: Int
    /// A payment request that was given up arrives after all, or a second time.
    let late, twice: Int
    /// A press of Pay that the disk has no room for.
    let diskFull: Int
    /// The wall clock jumps.
    let wallJump: Int
    /// Nothing happens for hours, or for more than a day.
    let longWait: Int
    /// How old a read's answer is at most, in milliseconds.
    let lag: Int

    init(_ dice: inout Dice, phone: WajubTraits.Phone) {
        func some(_ most: Int) -> Int { dice.chance(40) ? dice.int(1...most) : 0 }
        lostBefore = some(40)
        lostAfter = some(40)
        slow = some(40)
        serverError = some(30)
        notJSON = some(20)
        rateLimited = some(20)
        falseRefusal = some(15)
        kill = some(12)
        reboot = some(80)
        suspend = some(15)
        signalLost = some(60)
        signalTwice = some(50)
        signalLate = some(50)
        signalLies = some(40)
        drop = some(30)
        let late = some(100)
        twice = some(30)
        diskFull = some(30)
        wallJump = some(50)
        longWait = some(15)
        let lag = some(8_000)
        // Another payer's refusal cannot be told from ours where reads lag, or where our request arrives after it.
        (self.late, self.lag) = phone == .isRefused ? (0, 0) : (late, lag)
    }
}
