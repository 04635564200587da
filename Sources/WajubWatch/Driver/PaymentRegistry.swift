package import Contract
internal import FoundationEssentials
package import Platform
package import Store
internal import Synchronization

/// All payments: the ones being driven, and the ones at rest in the store.
///
/// A payment has at most one driver. It gets one when it is handed off, when it is found unsettled at the start, or when somebody
/// asks something of it; the driver retires when nothing is left to do.
package final class PaymentRegistry: Sendable {
    private struct Drivers {
        var byID: [String: PaymentDriver] = [:]
        var idByDigest: [[UInt8]: String] = [:]
        var isStopped = false
        var idleWatchers: [CheckedContinuation<Void, Never>] = []
    }

    let environment: PaymentDriver.Environment
    let bootID: BootID
    let press: PressMaker
    private let randomness: any Randomness
    private let drivers = Mutex(Drivers())
    private let started: AsyncStream<PaymentDriver>
    private let start: AsyncStream<PaymentDriver>.Continuation

    package init(
        store: Store, api: any WajubAPI, realtime: any Realtime, time: any TimeSource, randomness: any Randomness,
        bootID: BootID, device: DeviceSignals, log: Log
    ) {
        press = PressMaker(device: device, randomness: randomness, time: time)
        environment = PaymentDriver.Environment(store: store, api: api, realtime: realtime, time: time, log: log)
        self.bootID = bootID
        self.randomness = randomness
        (started, start) = AsyncStream.makeStream()
    }

    /// How many payments are being driven.
    package var watching: Int { drivers.withLock { $0.byID.count } }

    /// Returns once no payment is being driven.
    package func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = drivers.withLock { drivers in
                if drivers.byID.isEmpty { return true }
                drivers.idleWatchers.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Runs the drivers until cancelled; returns when each has checkpointed its payment.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for await driver in started {
                group.addTask {
                    await driver.run()
                    self.forget(driver)
                }
            }
            drivers.withLock { $0.isStopped = true }
            group.cancelAll()
        }
    }

    /// Takes a token in. Returns once the hand-off is durable; the same token again is the same payment.
    package func handOff(token: Secret, reference: String?, options: PaymentOptions) async
        -> Result<PaymentSnapshot, RequestFailure>
    {
        let digest = Digest.sha256(Array(token.revealed.utf8))
        while true {
            let driver: PaymentDriver
            var request = PaymentDriver.Request()
            do {
                (driver, request.event) = try drivers.withLock { drivers throws(StoreError) in
                    if let id = drivers.idByDigest[digest], let driver = drivers.byID[id] {
                        return (driver, nil)
                    }
                    if let record = try environment.store.payment(tokenDigest: digest) {
                        return (try revive(record, &drivers), nil)
                    }
                    return (create(token, digest: digest, reference: reference, options, &drivers), .handedOff)
                }
            } catch {
                environment.log.error("a hand-off could not be looked up", ("reason", "\(error)"))
                return .failure(.storageUnavailable)
            }
            if request.event == nil {
                request.event = .presentedAgain(options)
                request.token = token
            }
            if driver.post(.request(request)) {
                return await request.answer.value() ?? .failure(.shuttingDown)
            }
            if forget(driver) { return .failure(.shuttingDown) }
        }
    }

    /// Asks something of a payment and waits until it is done, or until the time limit: then the payment as it is.
    func perform(_ request: PaymentDriver.Request, on id: String, within limit: Duration?) async throws(StoreError)
        -> Result<PaymentSnapshot, RequestFailure>?
    {
        while true {
            guard let driver = try driver(for: id) else { return nil }
            guard driver.post(.request(request)) else {
                if forget(driver) { return .failure(.shuttingDown) }
                continue
            }
            var alarm = Alarm()
            if let limit {
                alarm.set(to: environment.time.now + limit, on: environment.time) { request.answer.keep(nil) }
            }
            let answer = await request.answer.value()
            alarm.clear()
            // Without an answer it is the time limit that ended the wait, or the daemon: then nothing is known to be
            // done.
            return answer ?? (Task.isCancelled ? .failure(.shuttingDown) : .success(driver.snapshot))
        }
    }

    /// The payment as it is, from its driver or from the store; nil: unknown.
    package func snapshot(of id: String) throws(StoreError) -> PaymentSnapshot? {
        if let driver = drivers.withLock({ $0.byID[id] }) { return driver.snapshot }
        guard let record = try environment.store.payment(id: id) else { return nil }
        return record.snapshot(of: try record.decodedMachine(), lastSeq: record.lastSeq)
    }

    private func driver(for id: String) throws(StoreError) -> PaymentDriver? {
        try drivers.withLock { drivers throws(StoreError) in
            if let driver = drivers.byID[id] { return driver }
            guard let record = try environment.store.payment(id: id) else { return nil }
            return try revive(record, &drivers)
        }
    }

    private func create(
        _ token: Secret, digest: [UInt8], reference: String?, _ options: PaymentOptions, _ drivers: inout Drivers
    ) -> PaymentDriver {
        let (time, wall) = (environment.time.now, environment.time.wallNow)
        let record = PaymentRecord(
            id: "pay_" + randomness.hex128(), reference: reference, tokenDigest: digest, token: token.revealed,
            machine: Data(), checkpoint: time, createdAt: wall, updatedAt: wall)
        let seed = PaymentDriver.Seed(record: record, machine: PaymentMachine(options: options), isStored: false)
        return add(PaymentDriver(seed, environment: environment), digest: digest, &drivers)
    }

    /// Makes a driver for a payment of the store; called under the lock, so that there is never a second.
    private func adopt(_ record: PaymentRecord, _ drivers: inout Drivers) throws(StoreError) -> PaymentDriver {
        var machine = try record.decodedMachine()
        if record.bootID != bootID { machine.rebase(from: record.checkpoint, to: environment.time.now) }
        let seed = PaymentDriver.Seed(record: record, machine: machine, isStored: true)
        return add(PaymentDriver(seed, environment: environment), digest: record.tokenDigest, &drivers)
    }

    /// Adopts a payment that somebody asks something of. One that still lives is recovered first: what its last driver had under way is
    /// gone.
    private func revive(_ record: PaymentRecord, _ drivers: inout Drivers) throws(StoreError) -> PaymentDriver {
        let driver = try adopt(record, &drivers)
        driver.post(.event(.recovered))
        return driver
    }

    private func add(_ driver: PaymentDriver, digest: [UInt8], _ drivers: inout Drivers) -> PaymentDriver {
        drivers.byID[driver.id] = driver
        drivers.idByDigest[digest] = driver.id
        start.yield(driver)
        return driver
    }

    /// Takes a retired driver out; true when no other can take its place, since the daemon is stopping.
    @discardableResult
    private func forget(_ driver: PaymentDriver) -> Bool {
        let (isStopped, watchers) = drivers.withLock { drivers in
            if drivers.byID[driver.id] === driver {
                drivers.byID[driver.id] = nil
                drivers.idByDigest[driver.tokenDigest] = nil
            }
            guard drivers.byID.isEmpty else { return (drivers.isStopped, [CheckedContinuation<Void, Never>]()) }
            defer { drivers.idleWatchers = [] }
            return (drivers.isStopped, drivers.idleWatchers)
        }
        watchers.forEach { $0.resume() }
        return isStopped
    }
}

// MARK: Restart

extension PaymentRegistry {
    /// How many payments may read at once when the daemon starts; more go at ``recoveryPace`` (design.md, "Restart and reboot").
    package static let recoveredAtOnce = 50
    package static let recoveryPace: Duration = .milliseconds(10)

    /// Takes every payment of the store that has to be driven into the registry; ``resume(_:)`` then lets them read. One that cannot be
    /// read back is logged and left in the store: it holds up no other.
    ///
    /// - throws: when the store cannot be read.
    package func adoptLive() throws(StoreError) -> [PaymentDriver] {
        let records = try environment.store.livePayments()
        let adopted = drivers.withLock { drivers in
            var adopted: [PaymentDriver] = []
            for record in records where drivers.byID[record.id] == nil {
                do throws(StoreError) {
                    adopted.append(try adopt(record, &drivers))
                } catch {
                    environment.log.error(
                        "a payment could not be recovered", ("payment", record.id), ("reason", "\(error)"))
                }
            }
            return adopted
        }
        environment.log.notice("payments recovered", ("count", "\(adopted.count)"))
        return adopted
    }

    /// Lets adopted payments read again: fewer than 50 at once, more at 100 a second.
    package func resume(_ adopted: [PaymentDriver]) async {
        let start = environment.time.now
        for (index, driver) in adopted.enumerated() {
            if adopted.count >= Self.recoveredAtOnce {
                do {
                    try await environment.time.sleep(until: start + Self.recoveryPace * index)
                } catch {
                    return
                }
            }
            driver.post(.event(.recovered))
        }
    }
}

extension PaymentRecord {
    /// The machine that the record holds.
    func decodedMachine() throws(StoreError) -> PaymentMachine {
        do {
            return try JSONDecoder().decode(PaymentMachine.self, from: machine)
        } catch {
            throw .damaged(detail: "the payment \(id) cannot be read")
        }
    }
}

// MARK: Questions

/// What a till asks of a payment, beside how it is.
package enum PaymentQuestion: Sendable {
    /// A live read.
    case refresh
    /// The result, whenever it settles.
    case result
    case close(CloseReason)
    case cancel
    /// The payer is back from a provider's page.
    case returned
}

extension PaymentRegistry {
    /// Asks, and answers after Wajub's answer or its timeout; past `limit`, the payment as it is. nil: unknown payment.
    package func ask(_ question: PaymentQuestion, about id: String, within limit: Duration? = nil)
        async throws(StoreError) -> Result<PaymentSnapshot, RequestFailure>?
    {
        var request = PaymentDriver.Request()
        switch question {
        case .refresh:
            request.event = .refreshRequested
            request.isDone = { !$0.isReadUnderWay }
        case .result:
            request.isDone = { $0.result != nil }
        case .close(let reason):
            request.event = .closeRequested(reason)
            request.refusal = { $0.refusalToClose() }
            request.isDone = { $0.closing == nil }
        case .cancel:
            request.event = .cancelRequested
            request.refusal = { $0.refusalToCancel() }
            request.isDone = { $0.closing == nil }
        case .returned:
            request.event = .returned
            request.refusal = { $0.refusalToReturn() }
            request.isDone = { !$0.isReadUnderWay && !$0.isPayRequestUnderWay }
        }
        return try await perform(request, on: id, within: limit)
    }

    /// Makes sure that all that `payment.explain` shows is in the store; false: unknown payment.
    package func writeNotes(of id: String) async throws(StoreError) -> Bool {
        guard drivers.withLock({ $0.byID[id] }) != nil else { return try environment.store.payment(id: id) != nil }
        var request = PaymentDriver.Request()
        request.writesNotes = true
        return try await perform(request, on: id, within: nil) != nil
    }
}
