internal import Glibc

/// Cuts a stream of bytes into lines, whatever way it arrives (protocol.md, "Transport").
///
/// `\r` before `\n` belongs to the ending; empty lines are passed over. Memory: what was appended and not yet taken, of
/// which an unfinished line is never more than `limit` bytes.
package struct LineFramer: Sendable {
    /// What comes out.
    package enum Frame: Equatable, Sendable {
        /// One line without its ending, at least one byte.
        case line(ArraySlice<UInt8>)
        /// A line longer than the limit; told once, as soon as it is known. Its bytes are dropped up to its ending.
        case tooLong
    }

    /// The longest line, in bytes, its ending not counted.
    package let limit: Int

    private var buffer: [UInt8] = []
    /// Where the first line that was not taken starts.
    private var start = 0
    /// Up to where no newline was found.
    private var searched = 0
    private var isSkipping = false
    private var isFinished = false

    package init(limit: Int = 65_536) {
        self.limit = limit
    }

    /// Adds what was read.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        compact()
        buffer.append(contentsOf: bytes)
    }

    /// The end of the stream: what is left is the last line, as with any text file that lacks its last newline.
    package mutating func finish() {
        isFinished = true
    }

    /// The next line; `nil` until more is appended.
    package mutating func next() -> Frame? {
        while true {
            guard let newline = newline() else { return rest() }
            let line = buffer[start..<newline]
            let wasSkipping = isSkipping
            start = newline + 1
            searched = start
            isSkipping = false
            if !wasSkipping, let frame = frame(of: line) { return frame }
        }
    }

    /// Where the next newline stands.
    private func newline() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, searched < bytes.count,
                let found = memchr(base + searched, Int32(UInt8(ascii: "\n")), bytes.count - searched)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// What the bytes after the last newline say already.
    private mutating func rest() -> Frame? {
        searched = buffer.endIndex
        defer {
            if isSkipping || isFinished { start = buffer.endIndex }
        }
        if isSkipping { return nil }
        let line = buffer[start...]
        if isFinished { return frame(of: line) }
        // One byte more may be the `\r` of an ending that is still to come.
        guard line.count > limit + 1 || (line.count == limit + 1 && line.last != UInt8(ascii: "\r")) else { return nil }
        isSkipping = true
        return .tooLong
    }

    private func frame(of line: ArraySlice<UInt8>) -> Frame? {
        let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        if content.count > limit { return .tooLong }
        return content.isEmpty ? nil : .line(content)
    }

    /// Forgets the bytes that were taken.
    private mutating func compact() {
        guard start > 0 else { return }
        buffer.removeSubrange(..<start)
        searched -= start
        start = 0
    }
}
