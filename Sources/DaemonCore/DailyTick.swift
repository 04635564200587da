internal import Contract
internal import Platform
internal import Synchronization

/// Tells that a day has passed, without a timer: noticed by whatever happens next.
final class DailyTick: Sendable {
    static let day: Duration = .seconds(86_400)

    /// One element for the first time that something happens, and for each day after which something does.
    let days: AsyncStream<Void>
    private let tick: AsyncStream<Void>.Continuation
    private let time: any TimeSource
    private let isReady: @Sendable () -> Bool
    private let last = Mutex<Instant?>(nil)

    /// - parameter isReady: whether the tick would be of use; until it is, no day is used up.
    init(time: any TimeSource, isReady: @escaping @Sendable () -> Bool) {
        self.time = time
        self.isReady = isReady
        (days, tick) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Something happened; called on any thread, and cheap.
    func noteActivity() {
        let now = time.now
        let isNewDay = last.withLock { last in
            if let last, now - last < Self.day { return false }
            guard isReady() else { return false }
            last = now
            return true
        }
        if isNewDay { tick.yield() }
    }
}
