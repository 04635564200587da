internal import Glibc

/// Where changes wait for the writer's thread: a bounded queue that wakes it at once, without polling.
///
/// `@unchecked Sendable`: `jobs` and `isClosed` are touched between `lock` and `unlock` of `mutex` alone; the two
/// pointers never change, and are freed in `deinit`, when no one can be waiting any more.
final class Inbox: @unchecked Sendable {
    enum Delivery {
        case jobs([Job])
        case deadlinePassed
        /// Closed, and everything that came before was delivered.
        case closed
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let capacity: Int
    private var jobs: [Job] = []
    private var isClosed = false

    /// - parameter capacity: more jobs than this are refused. Each waits in a task of its own, so this bounds those
    ///   too.
    init(capacity: Int = 16_384) {
        self.capacity = capacity
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        check(pthread_condattr_init(&attributes))
        check(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC))
        check(pthread_mutex_init(mutex, nil))
        check(pthread_cond_init(condition, &attributes))
        check(pthread_condattr_destroy(&attributes))
    }

    deinit {
        check(pthread_cond_destroy(condition))
        check(pthread_mutex_destroy(mutex))
        condition.deallocate()
        mutex.deallocate()
    }

    /// Adds a job.
    ///
    /// - throws: `.closed`, `.overloaded`; the job was not taken then.
    func put(_ job: Job) throws(StoreError) {
        lock()
        defer { unlock() }
        if isClosed { throw .closed }
        if jobs.count >= capacity { throw .overloaded }
        jobs.append(job)
        if jobs.count == 1 { check(pthread_cond_signal(condition)) }
    }

    /// Refuses jobs from now on; `last` is delivered after all others. Does nothing the second time.
    ///
    /// - returns: whether this was the first time.
    @discardableResult
    func close(last: Job? = nil) -> Bool {
        lock()
        defer { unlock() }
        if isClosed { return false }
        isClosed = true
        if let last { jobs.append(last) }
        check(pthread_cond_signal(condition))
        return true
    }

    /// Waits for jobs, until `deadline` on the monotonic clock, and takes all there are.
    func take(until deadline: timespec?) -> Delivery {
        lock()
        defer { unlock() }
        while jobs.isEmpty {
            if isClosed { return .closed }
            guard var deadline else {
                check(pthread_cond_wait(condition, mutex))
                continue
            }
            let code = pthread_cond_timedwait(condition, mutex, &deadline)
            if code == ETIMEDOUT { return jobs.isEmpty ? .deadlinePassed : .jobs(takeAll()) }
            check(code)
        }
        return .jobs(takeAll())
    }

    private func takeAll() -> [Job] {
        let taken = jobs
        jobs = []
        jobs.reserveCapacity(taken.count)
        return taken
    }

    private func lock() { check(pthread_mutex_lock(mutex)) }
    private func unlock() { check(pthread_mutex_unlock(mutex)) }

    /// These calls fail only when they are given something else than an initialised lock.
    private func check(_ code: Int32) {
        precondition(code == 0, "a pthread call of the inbox failed with \(code)")
    }
}
