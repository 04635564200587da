internal import Contract
internal import FoundationEssentials
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import Transport
internal import WajubWatch

/// The daemon: its parts, started in order and stopped in reverse.
final class Daemon: Sendable {
    /// How long the socket may take to answer what is in flight when the daemon stops.
    static let grace: Duration = .milliseconds(500)

    private let options: DaemonOptions
    private let settings: LiveSettings
    private let sink: LogSink
    private let log: Log
    private let manager: ServiceManager
    private let time: SystemTime
    private let store: Store
    private let transport: Transport
    private let clock: ClockWatch
    private let realtime: RealtimeHub
    private let registry: PaymentRegistry
    private let hub: EventHub
    private let pruning: DailyTick
    private let socket: String
    private let server: RPCServer
    private let reload: @Sendable () -> Void

    /// Opens what the daemon needs; nothing goes out before ``run(_:)``.
    ///
    /// - throws: ``StartFailure``, with the exit code that tells the service manager what kind it is.
    init(
        _ options: DaemonOptions, sink: LogSink, manager: ServiceManager,
        reload: @escaping @Sendable (LiveSettings, Log) -> Void
    )
        throws(StartFailure)
    {
        let (log, time, randomness) = (sink.log, SystemTime(speed: options.speed), SystemRandomness())
        let settings = LiveSettings(options)
        let bootID = try Self.bootID()
        let store = try Self.openStore(options, bootID: bootID, log: log)
        let listener = try Self.listener(options, manager: manager, log: log)
        let transport = try Self.transport(options)
        let clock = ClockWatch(time: time)
        let api = APIClient(
            origin: options.apiOrigin, http: transport, time: time, identity: ClientIdentity(options)
        ) { clock.note($0) }
        let realtime = RealtimeHub(
            opener: transport, authoriser: { await api.authorizeChannel(token: $0, socketID: $1, channel: $2) },
            time: time,
            randomness: randomness, version: Version.text, log: log)
        let registry = PaymentRegistry(
            store: store, api: api, realtime: realtime, time: time,
            randomness: randomness, bootID: bootID,
            device: DeviceSignals(installID: store.installID, languages: options.languages), log: log)
        let hub = EventHub(store: store, log: log)
        let pruning = DailyTick(time: time) { clock.isConfirmed }
        store.setEventSink { events in
            hub.publish(events)
            pruning.noteActivity()
        }
        let started = time.now
        let methods = Methods(
            registry: registry, store: store, hub: hub, time: time, log: log, defaults: { settings.watchDefaults },
            info: {
                DaemonInfo(
                    version: Version.text, apiOrigin: options.apiOrigin.text, startedAt: started,
                    realtime: realtime.counts,
                    isClockSuspect: clock.isSuspect)
            })
        do throws(SystemError) {
            server = try RPCServer(listener: listener, handler: methods)
        } catch {
            throw StartFailure(.cannotCreate, "the socket cannot be served: \(error)")
        }
        socket = listener.path
        (self.options, self.settings, self.sink, self.log, self.manager) = (options, settings, sink, log, manager)
        (self.time, self.store, self.transport, self.clock) = (time, store, transport, clock)
        (self.realtime, self.registry, self.hub, self.pruning) = (realtime, registry, hub, pruning)
        self.reload = { reload(settings, log) }
    }

    /// Serves until a signal asks it to stop.
    func run(_ signals: AsyncStream<Signals.Signal>) async -> ExitCode {
        await withTaskGroup(of: Void.self) { group in
            // The socket outlives the rest by its grace, so that what waits for a payment is told `shutting_down`.
            group.addTask { await self.serve() }
            await self.work(signals)
        }
        await transport.shutdown()
        await store.close()
        log.notice("stopped")
        return .ended
    }

    /// Runs all but the socket until a signal asks the daemon to stop.
    private func work(_ signals: AsyncStream<Signals.Signal>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.realtime.run() }
            group.addTask { await self.registry.run() }
            group.addTask { await self.hub.run() }
            group.addTask { await self.housekeep() }
            group.addTask { await self.proveLife() }
            do {
                // Reading again takes a while where there are many; the till need not wait for it.
                let adopted = try registry.adoptLive()
                group.addTask { await self.registry.resume(adopted) }
            } catch {
                log.error("payments could not be recovered", ("reason", "\(error)"))
            }
            manager.ready()
            tellStatus()
            log.notice(
                "ready", ("version", Version.text), ("origin", options.apiOrigin.text), ("socket", socket))
            for await signal in signals {
                if case .stop = signal { break }
                manager.reloading()
                reload()
                manager.ready()
            }
            manager.stopping()
            log.notice("stopping")
            server.stop(grace: Self.grace)
            group.cancelAll()
        }
    }

    private func serve() async {
        do {
            try await server.run()
        } catch {
            log.fault("the socket cannot be served any more", ("reason", "\(error)"))
            // systemd starts it again; nothing that was answered is lost.
            exit(ExitCode.faulted.rawValue)
        }
    }
}

// MARK: What runs beside

extension Daemon {
    /// Prunes what is settled and old, when something is stored and the last time is a day ago. An idle daemon has nothing to
    /// prune and is not woken for it. Only by a clock that Wajub's own confirms: never too early.
    private func housekeep() async {
        for await _ in pruning.days { await prune() }
    }

    private func prune() async {
        guard clock.isConfirmed else { return }
        let limit = time.wallNow.addingTimeInterval(-86_400 * Double(settings.retentionDays))
        do throws(StoreError) {
            let count = try await store.prune(settledBefore: limit)
            if count > 0 { log.notice("settled payments pruned", ("count", "\(count)")) }
        } catch {
            log.error("pruning failed; it is tried again tomorrow", ("reason", "\(error)"))
        }
    }

    /// Tells systemd that the daemon lives, as long as its store and its registry answer.
    private func proveLife() async {
        guard let interval = manager.watchdogInterval else { return }
        // What systemd times is real time, whatever `--speed` says.
        let watchdog = Watchdog(interval: interval, time: SystemTime(), isAlive: { self.tellStatus() }) {
            self.manager.watchdog()
        }
        await watchdog.run()
    }

    /// The line of `systemctl status`; false when the store does not answer.
    @discardableResult
    private func tellStatus() -> Bool {
        do throws(StoreError) {
            let counts = try store.counts()
            manager.status(
                "Watching \(registry.watching) of \(counts.payments) payments, "
                    + "realtime \(realtime.counts.connected) connected, storage \(store.health.rawValue)")
            return true
        } catch {
            log.fault("the store does not answer", ("reason", "\(error)"))
            return false
        }
    }
}
