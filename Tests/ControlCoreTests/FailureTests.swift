import Arguments
import Glibc
import JSON
import JSONRPC
import Testing

@testable import ControlCore

@Suite("What goes wrong", .timeLimit(.minutes(10)))
struct FailureTests {
    @Test("no daemon is told with the socket, the reason and what to run")
    func unreachable() async throws {
        try await withDirectory { directory in
            let run = await wajubctl("info", environment: ["RUNTIME_DIRECTORY": directory])
            #expect(run.status == .unreachable)
            #expect(run.output.isEmpty)
            #expect(run.complaints.first?.contains(directory + "/wajubd.sock: there is no such socket") == true)
            #expect(run.complaints.last == "see: systemctl status wajubd")
        }
    }

    @Test(
        "each reason for no connection has its advice",
        arguments: [
            (ENOENT, "no such socket"), (ECONNREFUSED, "nobody listens"), (EACCES, "usermod -aG wajub"),
            (ENAMETOOLONG, "too long"), (EMFILE, "connect: Too many open files"),
        ])
    func reasons(code: Int32, words: String) async throws {
        // Only the system makes such errors: by connecting where it cannot be done, or here by their text.
        let text = Render.unreachable("/run/s", call: "connect", code: code).joined(separator: "\n")
        #expect(text.contains("/run/s"))
        #expect(text.contains(words))
    }

    @Test("the daemon's refusal is told with its code and param, and as JSON where that is wanted")
    func refused() async throws {
        try await withDaemon { daemon, _ in
            let refusal = RPCError.invalidParam("reference", "taken")
            daemon.on("payment.watch") { _, _ in .failure(refusal) }
            let plain = await wajubctl("watch", "-", "--socket", daemon.path, secret: "tok_abc")
            #expect(plain.status == .refused)
            #expect(plain.complaints == ["reference: taken [-32602]"])
            #expect(plain.output.isEmpty)
            let json = await wajubctl("watch", "-", "--json", "--socket", daemon.path, secret: "tok_abc")
            #expect(json.status == .refused)
            let error: JSONValue = ["code": -32602, "message": "reference: taken", "data": ["param": "reference"]]
            #expect(json.json == [["error": error]])
        }
    }

    @Test("an answer without what the protocol promises is not taken for success")
    func wrongAnswer() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", [:])
            let run = await wajubctl("status", "pay_1", "--socket", daemon.path)
            #expect(run.status == .badAnswer)
        }
    }

    @Test(
        "a command line that cannot be meant ends with 64 before any connection, and repeats no token",
        arguments: [
            [], ["tok_SECRET"], ["statu"], ["status"], ["status", "pay_1", "tok_SECRET"], ["info", "tok_SECRET"],
            ["watch"], ["watch", "tok_SECRET", "--timeout", "3"], ["watch", "-", "--realtime", "nowhere"],
            ["watch", "-", "--realtime", "h:1", "--no-realtime"], ["status", "pay_1", "--token=tok_SECRET"],
            ["list", "--settled", "--unsettled"], ["list", "--limit", "0"], ["close", "pay_1", "--reason", "bored"],
            ["wait", "pay_1", "--timeout", "soon"], ["status", "pay_1", "--token-file", "/dev/null"],
        ])
    func usage(arguments: [String]) async throws {
        let words = arguments + ["--socket", "/nowhere"]
        let run = await wajubctl(words: arguments.isEmpty ? [] : words)
        #expect(run.status == .usage)
        #expect(run.output.isEmpty)
        #expect(run.complaints.count == 1)
        #expect(!run.complaints.joined().contains("SECRET"))
    }

    @Test("help lists every command and exit code, and each command has its own")
    func help() async {
        let help = await wajubctl("--help")
        #expect(help.status == .success)
        for status in ExitCode.allCases { #expect(help.output.contains("\n  \(status.rawValue) ")) }
        for command in Commands.all {
            #expect(help.output.contains("\n  \(command.name) "))
            for words in [["help", command.name], [command.name, "--help"], ["--help", command.name]] {
                let own = await wajubctl(words: words)
                #expect(own.status == .success)
                #expect(own.output.hasPrefix("Usage: wajubctl \(command.name)"))
                for option in command.options { #expect(own.output.contains("--\(option.name)")) }
            }
        }
        #expect(await wajubctl("info", "--version").output == wajubctl("--version").output)
    }
}
