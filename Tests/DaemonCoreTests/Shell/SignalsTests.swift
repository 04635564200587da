import Glibc
import Testing

@testable import DaemonCore

@Suite("Signals", .timeLimit(.minutes(10)))
struct SignalsTests {
    @Test("SIGHUP asks for a reload, SIGTERM for a stop")
    func terminated() async {
        await #expect(processExitsWith: .exitCode(3)) {
            var signals = try Signals.take().makeAsyncIterator()
            kill(getpid(), SIGHUP)
            #expect(await signals.next() == .reload)
            kill(getpid(), SIGHUP)
            #expect(await signals.next() == .reload)
            kill(getpid(), SIGTERM)
            #expect(await signals.next() == .stop)
            exit(3)
        }
    }

    @Test("SIGINT asks for a stop")
    func interrupted() async {
        await #expect(processExitsWith: .exitCode(3)) {
            var signals = try Signals.take().makeAsyncIterator()
            kill(getpid(), SIGINT)
            #expect(await signals.next() == .stop)
            exit(3)
        }
    }

    @Test("A second stop ends the process at once, with the exit code of a stop")
    func secondStop() async {
        await #expect(processExitsWith: .exitCode(0)) {
            var signals = try Signals.take().makeAsyncIterator()
            kill(getpid(), SIGTERM)
            #expect(await signals.next() == .stop)
            kill(getpid(), SIGINT)
            // Nothing comes any more.
            #expect(await signals.next() == nil)
            exit(3)
        }
    }

    @Test("A stop is not lost among reloads that nobody took, and none of them comes after it")
    func stopAmongReloads() async {
        let made = SignalRelay.make()
        var relay = made.relay
        for number in [SIGHUP, SIGHUP, SIGHUP, SIGTERM, SIGHUP, SIGHUP, SIGHUP] {
            let goesOn = relay.take(number)
            #expect(goesOn)
        }
        let goesOn = relay.take(SIGINT)
        #expect(!goesOn)
        var signals = made.stream.makeAsyncIterator()
        #expect(await signals.next() == .reload)
        #expect(await signals.next() == .stop)
    }

    @Test("Writing to a reader that went away is an error, and no end of the process")
    func brokenPipe() async {
        await #expect(processExitsWith: .exitCode(3)) {
            _ = try Signals.take()
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            #expect(close(ends[0]) == 0)
            #expect(write(ends[1], "x", 1) == -1)
            #expect(errno == EPIPE)
            exit(3)
        }
    }
}
