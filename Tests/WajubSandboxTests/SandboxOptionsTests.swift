import Arguments
import Testing
import WajubSandbox

struct SandboxOptionsTests {
    @Test func `options are read, and absent ones mean any port at real speed`() throws {
        let options = try #require(try SandboxOptions(arguments: ["--port", "80", "--speed", "2.5", "--seed", "9"]))
        #expect(options == SandboxOptions(port: 80, speed: 2.5, seed: 9))
        #expect(try SandboxOptions(arguments: []) == SandboxOptions())
        #expect(try SandboxOptions(arguments: ["--help"]) == nil)
    }

    @Test(arguments: [
        ["--port"], ["--port", "99999"], ["--port", "x"], ["--speed", "0"], ["--speed", "nan"], ["--seed", "-1"],
        ["--tls", "/nowhere"], ["--tls", "/nowhere", "/nowhere"], ["--what"], ["stray"],
    ])
    func `a bad option is refused by name`(arguments: [String]) {
        let error = #expect(throws: ArgumentError.self) { try SandboxOptions(arguments: arguments) }
        #expect(error?.description.contains(arguments[0]) == true)
    }
}
