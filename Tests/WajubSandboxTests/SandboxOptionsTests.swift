import Arguments
import Platform
import Testing
import WajubSandbox

struct SandboxOptionsTests {
    @Test func `options are read, and absent ones mean any port at real speed`() throws {
        #expect(
            try SandboxInvocation(arguments: ["--port", "80", "--speed", "2.5", "--seed", "9"])
                == .serve(SandboxOptions(port: 80, speed: 2.5, seed: 9)))
        #expect(try SandboxInvocation(arguments: []) == .serve(SandboxOptions()))
    }

    @Test func `asked for help or its version, it tells them and serves nothing`() throws {
        guard case .tell(let help) = try SandboxInvocation(arguments: ["--port", "80", "--help"]) else {
            Issue.record("no help")
            return
        }
        for option in ["--port", "--ws-port", "--speed", "--seed", "--tls", "--version"] {
            #expect(help.contains(option))
        }
        #expect(try SandboxInvocation(arguments: ["--version"]) == .tell("wajub-sandbox \(Version.text)"))
    }

    @Test(arguments: [
        ["--port"], ["--port", "99999"], ["--port", "x"], ["--speed", "0"], ["--speed", "nan"], ["--seed", "-1"],
        ["--tls", "/nowhere"], ["--tls", "/nowhere", "/nowhere"], ["--what"], ["stray"],
    ])
    func `a bad option is refused by name`(arguments: [String]) {
        let error = #expect(throws: ArgumentError.self) { try SandboxInvocation(arguments: arguments) }
        #expect(error?.description.contains(arguments[0]) == true)
    }
}
