import JSON
import Testing
import WajubSandbox

struct MergePatchTests {
    @Test func `a merge patch merges objects, removes nulls and replaces the rest`() {
        let merged = JSONValue.object(["a": ["b": 1, "c": 2], "d": [1]]).merging(["a": ["b": .null, "e": 3], "d": "x"])
        #expect(merged == ["a": ["c": 2, "e": 3], "d": "x"])
    }
}
