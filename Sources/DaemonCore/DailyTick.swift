internal import Contract
internal import Platform
internal import Synchronization

/// Tells that a day has passed, without a timer: noticed by whatever happens next.
final class DailyTick: Sendable {
    static let day: Duration = .seconds(86_400)

    /// One element for each day after which something happened.
    let days: AsyncStream<Void>
    private let tick: AsyncStream<Void>.Continuation
    private let time: any TimeSource
    private let last: Mutex<Instant>

    init(time: any TimeSource) {
        self.time = time
        last = Mutex(time.now)
        (days, tick) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Something happened; called on any thread, and cheap.
    func noteActivity() {
        let now = time.now
        let isNewDay = last.withLock { last in
            guard now - last >= Self.day else { return false }
            last = now
            return true
        }
        if isNewDay { tick.yield() }
    }
}
