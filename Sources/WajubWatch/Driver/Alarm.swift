internal import Contract
internal import Platform

/// One timer that is set anew whenever the next moment changes. Its owner clears it before it goes.
struct Alarm: ~Copyable {
    private var moment: Instant?
    private var task: Task<Void, Never>?

    /// Calls `action` at `moment`; nil: never. The same moment again changes nothing.
    mutating func set(to moment: Instant?, on time: any TimeSource, _ action: @escaping @Sendable () -> Void) {
        guard moment != self.moment else { return }
        clear()
        guard let moment else { return }
        self.moment = moment
        task = Task {
            do {
                try await time.sleep(until: moment)
                action()
            } catch {
                // Cancelled: another moment took its place.
            }
        }
    }

    /// Notes that an action was taken in, so that the same moment can be set again. It may have been a replaced timer's: the present
    /// one is not left behind.
    mutating func fired() {
        clear()
    }

    mutating func clear() {
        task?.cancel()
        task = nil
        moment = nil
    }

    deinit { task?.cancel() }
}
