import Glibc
import Testing

@testable import ControlCore

private let token = Question("token", isSecret: true)

@Suite("Reading a token")
struct LineInputTests {
    @Test(
        "the first line counts, without the space around it",
        arguments: [("tok_abc", "tok_abc"), ("tok_abc\nmore", "tok_abc"), (" \ttok_abc\r\n", "tok_abc")])
    func line(text: String, token: String) throws {
        #expect(try read(text) == token)
    }

    @Test("what holds no token is refused without being repeated", arguments: ["", "\n", "  \n", "tok_\u{FFFD}"])
    func refused(text: String) throws {
        // The last one is cut inside a character.
        let bytes = Array(text.utf8)
        let cut = text.hasPrefix("tok") ? Array(bytes.dropLast()) : bytes
        let error = #expect(throws: ControlFailure.self) { try read(cut) }
        #expect(error?.status == .noInput)
        #expect(error?.message.contains("tok_") == false)
    }

    @Test("a line without end is given up")
    func endless() throws {
        let error = #expect(throws: ControlFailure.self) { try LineInput.file("/dev/zero", token) }
        #expect(error?.message == "no token from /dev/zero: its first line is longer than any token")
    }

    private func read(_ text: String) throws -> String { try read(Array(text.utf8)) }

    private func read(_ bytes: [UInt8]) throws -> String {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        return try LineInput.line(of: ends[0], token, "the pipe")
    }
}
