import Glibc
import Platform
import Testing

@testable import ControlCore

/// A terminal whose keyboard and screen are the test's.
private final class PseudoTerminal: Sendable {
    let keyboard: Int32
    let terminal: Int32

    init() throws {
        var ends: (keyboard: Int32, terminal: Int32) = (-1, -1)
        try #require(openpty(&ends.keyboard, &ends.terminal, nil, nil, nil) == 0)
        (keyboard, terminal) = ends
    }

    deinit {
        close(terminal)
        close(keyboard)
    }

    var echoes: Bool {
        var settings = termios()
        return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(write(keyboard, bytes, bytes.count) == bytes.count)
    }

    /// What is on the screen, once `text` is.
    func screen(until text: String) -> String {
        var (bytes, byte) = ([UInt8](), UInt8(0))
        repeat {
            guard read(keyboard, &byte, 1) == 1 else { break }
            bytes.append(byte)
        } while !String(decoding: bytes, as: UTF8.self).contains(text)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Asks on a thread of its own, as both sides of the terminal block.
    func ask(_ question: Question, until withdrawal: Withdrawal = Withdrawal()) throws -> Answer {
        let (stream, answered) = AsyncStream.makeStream(of: Result<String?, ControlFailure>.self)
        try OwnedThread.start { [self] in
            let terminal = Terminal(input: terminal, prompts: terminal)
            answered.yield(Result { () throws(ControlFailure) in try terminal.answer(question, until: withdrawal) })
            answered.finish()
        }
        return Answer(stream: stream)
    }
}

private struct Answer {
    let stream: AsyncStream<Result<String?, ControlFailure>>

    func get() async throws -> String? {
        for await result in stream { return try result.get() }
        throw CancellationError()
    }
}

@Suite("Questions at a terminal", .timeLimit(.minutes(10)))
struct TerminalTests {
    private let code = Question("code", isSecret: true)
    private let city = Question("city")

    @Test("a secret is typed without its echo, which comes back")
    func secret() async throws {
        let person = try PseudoTerminal()
        let answer = try person.ask(code)
        #expect(person.screen(until: ": ") == "Code (not shown): ")
        #expect(!person.echoes)
        person.type(" 1234 \n")
        #expect(try await answer.get() == "1234")
        #expect(person.echoes)
        #expect(person.screen(until: "\r\n") == "\r\n")
    }

    @Test("anything else is seen as it is typed")
    func plain() async throws {
        let person = try PseudoTerminal()
        let answer = try person.ask(city)
        #expect(person.screen(until: ": ") == "City: ")
        person.type("Douala\n")
        #expect(try await answer.get() == "Douala")
        #expect(person.screen(until: "\r\n") == "Douala\r\n")
    }

    @Test("a question that is taken back ends, drops half an answer and leaves the echo on", arguments: [true, false])
    func withdrawn(isSecret: Bool) async throws {
        let person = try PseudoTerminal()
        let withdrawal = Withdrawal()
        let answer = try person.ask(isSecret ? code : city, until: withdrawal)
        _ = person.screen(until: ": ")
        person.type("12")
        withdrawal.withdraw()
        #expect(try await answer.get() == nil)
        #expect(person.echoes)
        let next = try person.ask(city)
        _ = person.screen(until: "City: ")
        person.type("Douala\n")
        #expect(try await next.get() == "Douala")
    }

    @Test("one that was taken back before it was asked ends at once")
    func withdrawnBefore() async throws {
        let withdrawal = Withdrawal()
        withdrawal.withdraw()
        let answer = try PseudoTerminal().ask(code, until: withdrawal)
        #expect(try await answer.get() == nil)
    }

    @Test("the end of input is no answer", arguments: [true, false])
    func ended(isSecret: Bool) async throws {
        let person = try PseudoTerminal()
        let answer = try person.ask(isSecret ? code : city)
        _ = person.screen(until: ": ")
        person.type("\u{4}")
        let error = await #expect(throws: ControlFailure.self) { _ = try await answer.get() }
        #expect(error?.status == .noInput)
        #expect(person.echoes)
    }
}
