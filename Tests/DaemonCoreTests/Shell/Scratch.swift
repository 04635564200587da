import FoundationEssentials
import Glibc
import Testing

/// What a test makes and takes away again.
enum Scratch {
    /// A directory of its own, removed afterwards.
    static func with(_ body: (_ directory: String) throws -> Void) throws {
        var template = Array("/tmp/wajubd-shell-XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try body(directory)
    }

    static func withPipe(_ body: (_ read: Int32, _ write: Int32) throws -> Void) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { _ = close($0) } }
        try body(ends[0], ends[1])
    }
}
