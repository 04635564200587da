import FoundationEssentials
import JSON
import Testing

private func parse(_ text: String) throws(JSONParseError) -> JSONValue {
    try JSONValue(parsing: ArraySlice(text.utf8))
}

@Suite("Reading JSON")
struct JSONParserTests {
    @Test(
        "each kind of value is read",
        arguments: [
            ("null", .null), (" true ", true), ("false", false), ("0", 0), ("-12", -12), ("\"\"", ""), ("[]", []),
            ("{}", [:]),
            ("[1,[2] , {\"a\" : null}]\r\n", [1, [2], ["a": .null]]),
            ("{\"a\":1,\"b\":{\"c\":[]}}", ["a": 1, "b": ["c": []]]),
            ("{\"a\":1,\"a\":2}", ["a": 2]),
        ] as [(String, JSONValue)])
    func values(_ text: String, _ value: JSONValue) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "escapes and UTF-8 are read",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"), (#""é\u00e9\u20AC""#, "éé€"),
            (#""\uD83D\ude00😀""#, "😀😀"),
            (#""a\u0000b""#, "a\0b"),
        ])
    func strings(_ text: String, _ value: String) throws {
        #expect(try parse(text) == .string(value))
    }

    @Test(
        "numbers are exact",
        arguments: [
            ("12.50", "12.5"), ("0.1", "0.1"), ("-0.000001", "-0.000001"), ("1e3", "1000"), ("1.5E-2", "0.015"),
            ("0e999", "0"),
            ("12345678901234567890123456789012345678", "12345678901234567890123456789012345678"),
            ("9223372036854775807", "9223372036854775807"), ("123456789012345678", "123456789012345678"),
            ("1234567890123456789", "1234567890123456789"), ("100000000000000000000", "100000000000000000000"),
            ("-0", "0"),
        ])
    func numbers(_ text: String, _ value: String) throws {
        #expect(try parse(text).decimal == Decimal(string: value))
    }

    @Test(
        "a number past Decimal is refused and harms nothing",
        arguments: [
            "1e400", "-1e99999999999999999999999", "1e-400", "123456789012345678901234567890123456789",
            "0.1000000000000000055511151231257827021181583404541015625", String(repeating: "9", count: 60_000), "1e128",
        ])
    func hugeNumbers(_ text: String) {
        #expect(throws: JSONParseError.numberOutOfRange(offset: text.utf8.count)) { try parse(text) }
    }

    @Test(
        "what is not JSON is refused",
        arguments: [
            "", " ", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "[1,]", "[1", "[,1]",
            "{,}",
            "{a:1}", "{1:1}", "nul", "nulll", "True", "'a'", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN",
            "1 2", "{} {}",
            "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\tb\"",
            "\"a\nb\"", "\0",
            "\"\0\"", "{}\0", "\u{FEFF}{}", "// c\n1", "[1}", "{\"a\":1]", "\"\\", "\"\\u",
        ])
    func broken(_ text: String) {
        #expect(throws: JSONParseError.self) { try parse(text) }
    }

    @Test("text cut off at any byte is refused")
    func cutOff() {
        let text = Array(#"{"a":[1.5,"x\u00e9y",true,null,{"b":"😀"}]}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONParseError.self, "cut after \(count)") { try JSONValue(parsing: text[..<count]) }
        }
    }

    @Test(
        "a string that is not UTF-8 is refused",
        arguments: [
            [0x80], [0xC3], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        ] as [[UInt8]])
    func notUnicode(_ bytes: [UInt8]) {
        for text in [[0x22] + bytes + [0x22], Array(#"["\n"#.utf8) + bytes + Array("\"]".utf8)] {
            #expect(throws: JSONParseError.self) { try JSONValue(parsing: text[...]) }
        }
    }

    @Test("nesting is read to 64 levels and refused beyond")
    func depth() throws {
        let nested = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(try parse(nested(64)).array != nil)
        #expect(throws: JSONParseError.tooDeep) { try parse(nested(65)) }
        #expect(throws: JSONParseError.tooDeep) { try parse(String(repeating: "{\"a\":", count: 13_000)) }
    }

    @Test("an error does not repeat the text")
    func secrecy() {
        do throws(JSONParseError) {
            _ = try parse("{\"token\":\"secret\"secret}")
            Issue.record("it was read")
        } catch {
            #expect(!error.message.contains("secret"))
        }
    }
}

@Suite("Writing JSON")
struct JSONWritingTests {
    @Test(
        "values are written on one line, names sorted",
        arguments: [
            (["b": [1, "x"], "a": .null, "c": [true, [:], []]], #"{"a":null,"b":[1,"x"],"c":[true,{},[]]}"#),
            ("\"\\/\n\r\t\u{1}\u{1f}é\u{7f}", "\"\\\"\\\\/\\n\\r\\t\\u0001\\u001fé\u{7f}\""), (-5, "-5"),
            (.number(Decimal(125) / 10), "12.5"), (.number(.nan), "null"),
        ] as [(JSONValue, String)])
    func exact(_ value: JSONValue, _ text: String) {
        #expect(String(decoding: value.encoded, as: UTF8.self) == text)
    }

    @Test("what was written is read as the same, by this reader and by JSONDecoder")
    func roundTrip() throws {
        let value: JSONValue = [
            "text": "a\u{0}\u{1F}\"\\/😀é",
            "numbers": [0, -1, .number(Decimal(string: "12345678901234567890.125") ?? 0)],
            "nested": ["a": [.null, true, false, [:]]],
        ]
        #expect(try JSONValue(parsing: value.encoded[...]) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(value.encoded)) == value)
        #expect(try JSONValue(parsing: Array(JSONEncoder().encode(value))[...]) == value)
    }

    @Test("members and elements are found by name and position")
    func accessors() {
        let value: JSONValue = ["a": [1, "x", true, .number(Decimal(25) / 10)], "n": .null]
        #expect(value["a"]?[0]?.int == 1)
        #expect(value["a"]?[1]?.string == "x")
        #expect(value["a"]?[2]?.bool == true)
        #expect(value["a"]?[3]?.double == 2.5)
        #expect(value["a"]?[3]?.int == nil)
        #expect(value["a"]?[9] == nil)
        #expect(value["b"] == nil)
        #expect(value["n"]?.isNull == true)
        #expect(value[0] == nil)
        #expect(value["a"]?["b"] == nil)
    }
}
