import Testing
import WajubSandbox

struct JSONTests {
    @Test(arguments: [
        "null", "true", "-0", "12.50", "1e400", #""a\"b\\c\n\u0001é""#, "[]", "{}", #"{"a":[1,{"b":null}],"c":"😀"}"#,
    ])
    func `a value keeps its text`(text: String) throws {
        #expect(try JSON(parsing: text.utf8).text == text)
    }

    @Test func `escapes and surrogate pairs are decoded`() throws {
        #expect(try JSON(parsing: #" "\u00e9\ud83d\ude00\/" "#.utf8) == "é😀/")
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\":1,}", "01", "1.", ".5", "+1", "tru", "\"\u{1}\"", #""\ud800""#, #""\x""#, "1 2", "nul",
        String(repeating: "[", count: 100),
    ])
    func `what is no JSON is refused`(text: String) {
        #expect(throws: JSONSyntaxError.self) { try JSON(parsing: text.utf8) }
    }

    @Test func `a merge patch merges objects, removes nulls and replaces the rest`() {
        let merged = JSON.object(["a": ["b": 1, "c": 2], "d": [1]]).merging(["a": ["b": .null, "e": 3], "d": "x"])
        #expect(merged == ["a": ["c": 2, "e": 3], "d": "x"])
    }
}
