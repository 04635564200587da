internal import Arguments
internal import Glibc

/// The program `wajub-sandbox`: options, one JSON line on standard output, until SIGTERM or SIGINT.
package enum SandboxProgram {
    /// Runs until a signal and ends the process: 0 after the signal, 64 for a bad option, 73 when it cannot listen.
    package static func run() -> Never {
        let options: SandboxOptions
        do throws(ArgumentError) {
            switch try SandboxInvocation(arguments: Array(CommandLine.arguments.dropFirst())) {
            case .serve(let parsed):
                options = parsed
            case .tell(let text):
                print(text)
                exit(0)
            }
        } catch {
            fail(64, "\(error.description)")
        }
        var signals = endingSignals()
        raiseDescriptorLimit()
        do throws(SandboxStartError) {
            let sandbox = try Sandbox(options)
            print(sandbox.announcement)
            // Standard output may be a pipe, whose reader waits for this line.
            fflush(nil)
            var received: Int32 = 0
            // Its one error is a signal that does not exist.
            sigwait(&signals, &received)
            sandbox.end()
            exit(0)
        } catch {
            fail(73, error.description)
        }
    }

    /// A descriptor a connection: as many as the system allows. Where it refuses, the limit stays as it was.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private static func fail(_ status: Int32, _ message: String) -> Never {
        let line = Array("wajub-sandbox: \(message)\n".utf8)
        // Where standard error is gone, the status says it alone.
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }

    /// SIGTERM and SIGINT, blocked in this thread and in every one it starts, so that `sigwait` alone takes them. That
    /// is why the program has no `await`: a main thread that waits for tasks unblocks every signal (libdispatch).
    private static func endingSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        // Its one error is a `how` that does not exist.
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        return signals
    }
}
