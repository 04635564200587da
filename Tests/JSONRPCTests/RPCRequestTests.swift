import JSON
import JSONRPC
import Testing

@Suite("Requests")
struct RPCRequestTests {
    @Test("a request printed in any way does not show its params")
    func redacted() {
        let request = RPCRequest(id: .integer(1), method: "payment.watch", params: ["token": "secret"])
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), "\([request])", dumped] {
            #expect(!text.contains("secret"))
        }
    }

    @Test("a request is written on one line, names sorted")
    func written() {
        let line = RPCLine.request(RPCRequest(id: .string("a"), method: "m", params: ["b": 1, "a": "/"]))
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":"a","method":"m","params":{"a":"/","b":1}}"# + "\n")
    }
}
