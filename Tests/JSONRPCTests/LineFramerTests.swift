import JSON
import JSONRPC
import Testing

private func frames(_ chunks: [[UInt8]], limit: Int = 8, finish: Bool = false) -> [LineFramer.Frame] {
    var framer = LineFramer(limit: limit)
    var frames: [LineFramer.Frame] = []
    for chunk in chunks {
        chunk.withUnsafeBytes { framer.append($0) }
        while let frame = framer.next() { frames.append(frame) }
    }
    if finish { framer.finish() }
    while let frame = framer.next() { frames.append(frame) }
    return frames
}

private func line(_ text: String) -> LineFramer.Frame {
    .line(ArraySlice(text.utf8))
}

/// Compared by content: a slice's indices differ with the way the bytes came.
private func texts(_ frames: [LineFramer.Frame]) -> [String] {
    frames.map { frame in
        switch frame {
        case .line(let bytes): String(decoding: bytes, as: UTF8.self)
        case .tooLong: "(too long)"
        }
    }
}

@Suite("Lines of a stream")
struct LineFramerTests {
    static let stream = Array("one\ntwo\r\n\n\r\nabcdefgh\nabcdefgh\r\nabcdefghi\nabcdefghi\r\nthree\nrest".utf8)
    static let expected = ["one", "two", "abcdefgh", "abcdefgh", "(too long)", "(too long)", "three"]

    @Test("many in one read come out one by one")
    func joined() {
        #expect(texts(frames([Self.stream])) == Self.expected)
    }

    @Test("a stream split at any byte gives the same lines")
    func split() {
        for position in 0...Self.stream.count {
            let chunks = [Array(Self.stream[..<position]), Array(Self.stream[position...])]
            #expect(texts(frames(chunks)) == Self.expected, "split at \(position)")
        }
    }

    @Test("a stream that comes byte by byte gives the same lines")
    func byteByByte() {
        #expect(texts(frames(Self.stream.map { [$0] })) == Self.expected)
    }

    @Test("a line too long is told once, before its end is there, and its rest is dropped")
    func tooLong() {
        #expect(texts(frames([Array("abcdefghi".utf8)])) == ["(too long)"])
        #expect(
            texts(frames([Array("abcdefghi".utf8), Array("jkl".utf8), Array("m\nok\n".utf8)])) == ["(too long)", "ok"])
    }

    @Test("a carriage return is no part of a line at the limit until more follows it")
    func carriageReturnAtLimit() {
        #expect(texts(frames([Array("abcdefgh\r".utf8)])).isEmpty)
        #expect(texts(frames([Array("abcdefgh\r".utf8), Array("\n".utf8)])) == ["abcdefgh"])
        #expect(texts(frames([Array("abcdefgh\r".utf8), Array("x".utf8)])) == ["(too long)"])
    }

    @Test("the end of the stream ends the last line")
    func finished() {
        #expect(texts(frames([Array("a\nb".utf8)], finish: true)) == ["a", "b"])
        #expect(texts(frames([Array("a\n".utf8)], finish: true)) == ["a"])
        #expect(texts(frames([Array("abcdefghijk".utf8)], finish: true)) == ["(too long)"])
        #expect(texts(frames([Array("abcdefgh\r".utf8)], finish: true)) == ["abcdefgh"])
    }

    @Test("other control bytes are content")
    func controlBytes() {
        #expect(texts(frames([[0, 0x41, 0x0D, 0x42, 0x0A]])) == ["\0A\rB"])
    }
}
