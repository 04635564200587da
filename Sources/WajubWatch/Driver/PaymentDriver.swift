internal import Contract
internal import FoundationEssentials
internal import Platform
internal import Store
internal import Synchronization

/// Carries out what one payment's machine decides: the only place where a payment's rules meet disk, network and time.
///
/// One loop takes in one event at a time: machine, then store, then what may only follow a durable change.
package final class PaymentDriver: Sendable {
    /// What a driver works with.
    package struct Environment: Sendable {
        let store: Store
        let api: any WajubAPI
        let realtime: any Realtime
        let time: any TimeSource
        let log: Log
    }

    /// Something for the loop to take in; indirect, as the events are.
    indirect enum Input: Sendable {
        case event(PaymentEvent)
        /// A call that the loop sent has ended.
        case answer(PaymentEvent)
        case request(Request)
        case writeAgain
    }

    private struct Shared {
        var snapshot: PaymentSnapshot
        /// Inputs posted and not yet taken in; a driver with none may retire.
        var waiting = 0
        var isRetired = false
    }

    let id: String
    let environment: Environment
    private let shared: Mutex<Shared>
    private let inbox: AsyncStream<Input>
    private let outbox: AsyncStream<Input>.Continuation
    private let seed: Seed

    /// Tells the token without holding it.
    var tokenDigest: [UInt8] { seed.record.tokenDigest }

    /// What the loop starts from; a class, so that nobody on the way to it keeps a copy.
    final class Seed: Sendable {
        let record: PaymentRecord
        let machine: PaymentMachine
        /// Whether the store has the payment already.
        let isStored: Bool

        init(record: PaymentRecord, machine: PaymentMachine, isStored: Bool) {
            (self.record, self.machine, self.isStored) = (record, machine, isStored)
        }
    }

    init(_ seed: Seed, environment: Environment) {
        id = seed.record.id
        self.seed = seed
        self.environment = environment
        var machine = seed.machine
        // Nobody is told that a request of a dead process were still on its way.
        if seed.isStored { _ = machine.handle(.recovered, at: environment.time.now) }
        shared = Mutex(Shared(snapshot: seed.record.snapshot(of: machine, lastSeq: seed.record.lastSeq)))
        (inbox, outbox) = AsyncStream.makeStream()
    }

    /// The payment as it last was, durable or not: while the disk refuses, this is the truth that there is.
    package var snapshot: PaymentSnapshot { shared.withLock { $0.snapshot } }

    /// Makes a snapshot the one that is told.
    func show(_ snapshot: PaymentSnapshot) {
        shared.withLock { $0.snapshot = snapshot }
    }

    /// Hands an input to the loop; false when the driver has retired and another must be made.
    @discardableResult
    func post(_ input: Input) -> Bool {
        shared.withLock { shared in
            guard !shared.isRetired else { return false }
            shared.waiting += 1
            outbox.yield(input)
            return true
        }
    }

    /// Drives the payment until nothing is left to do, or until cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            let loop = DriverLoop(seed: seed, driver: self)
            for await input in inbox {
                await loop.take(in: input, &group)
                // Seen before it is told: whoever is answered reads no older state.
                show(loop.snapshot)
                loop.answerRequests()
                let isDone = shared.withLock { shared in
                    shared.waiting -= 1
                    shared.isRetired = shared.waiting == 0 && loop.isIdle
                    return shared.isRetired
                }
                if isDone { break }
            }
            shared.withLock { $0.isRetired = true }
            outbox.finish()
            // Cancelled: what is still in the inbox is answered, so that nobody waits for a daemon that is gone.
            for await case .request(let request) in inbox { request.answer.keep(.failure(.shuttingDown)) }
            await loop.stop()
            group.cancelAll()
        }
    }
}
