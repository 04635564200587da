internal import Arguments
internal import JSON
internal import JSONRPC
internal import Platform

/// What the tool takes from the process, so that tests can stand in for it.
package struct Surroundings: Sendable {
    var environment: [String: String]
    var console: Console
    var input: Input
    /// Returns when a live line is to be drawn again; `nil` when it is not.
    var ticks: @Sendable () async -> Void?
    /// Returns when nobody would wait any longer for a payment to load.
    var patience: @Sendable () async -> Void

    /// This process.
    package static var process: Surroundings {
        Surroundings(
            environment: ProcessEnvironment.variables, console: .standard, input: .standard,
            ticks: {
                // Cancelled: nobody looks any more.
                do { try await Task.sleep(for: .seconds(1)) } catch { return nil }
                return ()
            },
            // Cut short: what was waited for has come.
            patience: { try? await Task.sleep(for: .seconds(20)) })
    }
}

/// `wajubctl` from its command line to its exit code.
package enum ControlProgram {
    static let globals: [OptionSpec] = [
        .value(
            "socket", "PATH",
            "the daemon's socket; default $RUNTIME_DIRECTORY/wajubd.sock, else /run/wajubd/wajubd.sock"),
        .flag("json", "print the daemon's JSON, one object a line, and its errors as {\"error\": …}", variable: false),
        .flag("version", "print the version", variable: false),
        .flag("help", "print this, or the help of a command", variable: false),
    ]

    /// Runs one command and returns the exit code.
    package static func run(_ arguments: [String], in surroundings: Surroundings) async -> ExitCode {
        let console = surroundings.console
        do {
            switch try Invocation(arguments, surroundings.environment) {
            case .text(let text):
                console.output(text)
                return .success
            case .command(let command, let session):
                let session = session(surroundings)
                defer { session.close() }
                return await run(command, session)
            }
        } catch {
            console.complaint(error.description)
            return .usage
        }
    }

    private static func run(_ command: Command, _ session: Session) async -> ExitCode {
        do {
            return try await command.run(session)
        } catch let error as ArgumentError {
            session.console.complaint(error.description)
            return .usage
        } catch let error as ControlFailure {
            session.console.complaint(error.message)
            return error.status
        } catch let error as RPCClientError {
            if session.isJSON, case .refused(let refusal) = error { session.json(Render.json(refusal)) }
            Render.explanation(error).forEach(session.console.complaint)
            return ExitCode(error)
        } catch {
            // Commands throw nothing else; the error is told as it is.
            session.console.complaint("\(error)")
            return .refused
        }
    }
}

extension ExitCode {
    init(_ error: RPCClientError) {
        switch error {
        case .refused: self = .refused
        case .unreachable, .connectionLost: self = .unreachable
        case .malformedAnswer: self = .badAnswer
        }
    }
}
