internal import Arguments
internal import Glibc
internal import Platform
internal import Store
internal import Transport

/// `wajubd` from its command line to its exit code.
package enum Program {
    /// Runs the daemon and returns the exit code.
    package static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
        await start(arguments, environment: environment).rawValue
    }

    private static func start(_ arguments: [String], environment: [String: String]) async -> ExitCode {
        // First of all: a signal that arrives during the start is not lost.
        let signals: AsyncStream<Signals.Signal>
        do {
            signals = try Signals.take()
        } catch {
            return complain(.cannotCreate, "the signals cannot be taken over: \(error)")
        }
        let options: DaemonOptions
        do throws(ArgumentError) {
            options = try DaemonOptions.parse(arguments, environment: environment)
        } catch {
            return complain(.usage, error.description)
        }
        if options.isHelp {
            print(DaemonOptions.help, terminator: "")
            return .ended
        }
        if options.isVersion {
            print("wajubd \(Version.text)")
            return .ended
        }
        let sink = LogSink(threshold: options.logLevel, environment: environment)
        do throws(StartFailure) {
            try Hardening.apply()
            return options.isCheck
                ? try await check(options, log: sink.log)
                : try await serve(options, sink, signals, arguments, environment)
        } catch {
            return complain(error.code, error.reason)
        }
    }

    /// `--check`: options and store are good, nothing is changed.
    private static func check(_ options: DaemonOptions, log: Log) async throws(StartFailure) -> ExitCode {
        let store = try Daemon.openStore(options, bootID: try Daemon.bootID(), log: log)
        try await Daemon.transport(options).shutdown()
        await store.close()
        print("wajubd: options and store are good")
        return .ended
    }

    private static func serve(
        _ options: DaemonOptions, _ sink: LogSink, _ signals: AsyncStream<Signals.Signal>, _ arguments: [String],
        _ environment: [String: String]
    ) async throws(StartFailure) -> ExitCode {
        let daemon = try Daemon(options, sink: sink, manager: ServiceManager(log: sink.log)) { settings, log in
            do throws(ArgumentError) {
                let reloaded = try options.reloaded(arguments, environment: environment)
                settings.replace(reloaded.options)
                sink.set(reloaded.options.logLevel)
                log.notice("configuration read again")
                if !reloaded.needsRestart.isEmpty {
                    log.notice(
                        "some changes wait for a restart", ("options", reloaded.needsRestart.joined(separator: ","))
                    )
                }
            } catch {
                log.error("configuration could not be read again; the old one stays", ("reason", error.description))
            }
        }
        return await daemon.run(signals)
    }

    private static func complain(_ code: ExitCode, _ reason: String) -> ExitCode {
        let line = Array("wajubd: \(reason)\n".utf8)
        _ = write(2, line, line.count)
        return code
    }
}

extension DaemonOptions {
    /// The options that differ and are only read at the start.
    func changesThatNeedRestart(from old: DaemonOptions) -> [String] {
        [
            ("socket", socket == old.socket), ("state-directory", stateDirectory == old.stateDirectory),
            ("api-origin", apiOrigin == old.apiOrigin), ("ca-file", caFile == old.caFile),
            ("realtime", realtime == old.realtime), ("speed", speed == old.speed),
        ].filter { !$0.1 }.map(\.0)
    }
}
