internal import Contract
internal import Glibc
internal import JSON
internal import JSONRPC
internal import Platform
internal import Store
internal import Synchronization
internal import Transport
internal import WajubWatch

/// Why the daemon cannot start.
struct StartFailure: Error {
    let code: ExitCode
    /// One line for a person.
    let reason: String

    init(_ code: ExitCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

/// What a reload may change while the daemon runs.
final class LiveSettings: Sendable {
    private let options: Mutex<DaemonOptions>

    init(_ options: DaemonOptions) {
        self.options = Mutex(options)
    }

    func replace(_ options: DaemonOptions) { self.options.withLock { $0 = options } }

    var watchDefaults: WatchDefaults {
        options.withLock {
            WatchDefaults(language: $0.language, realtime: $0.realtime, followUp: $0.followUp, country: $0.country)
        }
    }

    var retentionDays: Int { options.withLock { $0.retentionDays } }
}

extension Daemon {
    static func bootID() throws(StartFailure) -> BootID {
        do {
            return try BootID.current()
        } catch {
            throw StartFailure(.cannotCreate, "the kernel's boot id cannot be read: \(error)")
        }
    }

    static func openStore(_ options: DaemonOptions, bootID: BootID, log: Log) throws(StartFailure) -> Store {
        do throws(StoreError) {
            return try Store.open(
                directory: options.stateDirectory, bootID: bootID, randomness: SystemRandomness()
            ) { fault in
                // What was written cannot be trusted: the next start reads what is really there (design.md, "Store").
                log.fault("the store cannot be trusted any more; ending", ("reason", "\(fault)"))
                _exit(fault.isDamage ? ExitCode.badStore.rawValue : ExitCode.faulted.rawValue)
            }
        } catch {
            let place = options.stateDirectory
            switch error {
            case .locked: throw StartFailure(.heldElsewhere, "another wajubd holds \(place)")
            case .damaged(let detail): throw StartFailure(.badStore, "the store in \(place) is damaged: \(detail)")
            case .newer(let found, let known):
                throw StartFailure(
                    .badStore,
                    "the store in \(place) is from a newer version (schema \(found), this one knows \(known))")
            case .cannotOpen(let reason): throw StartFailure(.cannotCreate, "no store in \(place): \(reason)")
            case .full, .readOnly, .referenceTaken, .tokenTaken, .keyTaken, .busy, .overloaded, .closed, .syncFailed,
                .io:
                throw StartFailure(.cannotCreate, "no store in \(place): \(error)")
            }
        }
    }

    static func listener(_ options: DaemonOptions, manager: ServiceManager, log: Log) throws(StartFailure)
        -> UnixListener
    {
        do {
            if let descriptor = try manager.passedSocket() { return try UnixListener(inherited: descriptor) }
            let listener = try UnixListener.bind(path: options.socket)
            if let failure = listener.groupFailure {
                log.notice("the socket could not be given to the group wajub", ("reason", "\(failure)"))
            }
            return listener
        } catch {
            throw StartFailure(.cannotCreate, "no socket: \(error)")
        }
    }

    static func transport(_ options: DaemonOptions) throws(StartFailure) -> Transport {
        do {
            return try Transport(
                TransportConfiguration(
                    caFile: options.caFile, userAgent: ClientIdentity(options).client))
        } catch {
            throw StartFailure(.usage, "HTTPS cannot be set up: \(error)")
        }
    }
}

extension StoreError {
    /// Whether starting again would find the same.
    var isDamage: Bool {
        if case .damaged = self { true } else { false }
    }
}

extension ClientIdentity {
    /// This daemon, in the till's language.
    init(_ options: DaemonOptions) {
        self.init(version: Version.text, languages: options.languages)
    }
}

extension DaemonOptions {
    /// The till's languages, dearest first: the one that was configured, then the machine's.
    var languages: [String] {
        let configured = language.map { [$0.rawValue] } ?? []
        return configured + DeviceLocale.languages().filter { !configured.contains($0) }
    }
}
