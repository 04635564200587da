/// What goes wrong in one life, in percent: each seed enables its own subset.
struct LifeFaults {
    let lostBefore, lostAfter, slow, serverError, notJSON, rateLimited: Int
    /// A 401, 403, 404 or 410 that says nothing true about the token.
    let falseRefusal: Int
    let kill, reboot, suspend: Int
    let signalLost, signalTwice, signalLate, signalLies, drop: Int

    init(_ dice: inout Dice) {
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
    }
}
