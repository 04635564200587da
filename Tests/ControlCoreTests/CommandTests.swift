import FoundationEssentials
import JSON
import JSONRPC
import Testing

@testable import ControlCore

@Suite("Commands", .timeLimit(.minutes(10)))
struct CommandTests {
    private static let namings: [(String, JSONValue)] = [
        ("pay_1", "pay_1"), ("order-17", ["reference": "order-17"]), ("ref:pay_1", ["reference": "pay_1"]),
    ]

    @Test("a payment is named by its id or a reference", arguments: namings)
    func selectors(word: String, selector: JSONValue) async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": payment()])
            let run = await wajubctl("--socket", daemon.path, "status", word)
            #expect(run.status == .success)
            #expect(daemon.params(of: "payment.status") == [["payment": selector]])
            #expect(run.lines.first == "payment    pay_1")
        }
    }

    @Test("a token file names a payment by its first line")
    func tokenFile() async throws {
        try await withDirectory { directory in
            try "  tok_abc \nmore\n".write(toFile: directory + "/t")
            try await withDaemon { daemon, _ in
                daemon.on("payment.cancel", ["payment": payment()])
                let run = await wajubctl("cancel", "--token-file", directory + "/t", "--socket", daemon.path)
                #expect(run.status == .success)
                #expect(daemon.params(of: "payment.cancel") == [["payment": ["token": "tok_abc"]]])
            }
        }
    }

    @Test("a token file that is missing or empty ends with 66 and names the file")
    func badTokenFile() async throws {
        try await withDirectory { directory in
            try "\n".write(toFile: directory + "/empty")
            for name in ["missing", "empty"] {
                let run = await wajubctl("watch", "--token-file", directory + "/" + name)
                #expect(run.status == .noInput)
                #expect(run.complaints.first?.contains(directory + "/" + name) == true)
            }
        }
    }

    @Test("options that were not given send no params")
    func plainWatch() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.watch", ["payment": payment()])
            let run = await wajubctl("watch", "-", environment: ["WAJUBD_SOCKET": daemon.path], secret: "tok_abc")
            #expect(run.status == .success)
            #expect(run.complaints.isEmpty)
            #expect(daemon.params(of: "payment.watch") == [["token": "tok_abc"]])
        }
    }

    @Test("each option of watch is the param of its name")
    func fullWatch() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.watch", ["payment": payment()])
            let run = await wajubctl(
                "watch", "-", "--reference", "order-17", "--locale", "fr", "--realtime", "ws.test:443/tls",
                "--keep-on-dismiss", "--follow-up-seconds", "600", "--socket", daemon.path, secret: "tok_abc")
            #expect(run.status == .success)
            let expected: [String: JSONValue] = [
                "token": "tok_abc", "reference": "order-17", "locale": "fr", "cancel_on_dismiss": false,
                "realtime": ["host": "ws.test", "port": 443, "tls": true], "follow_up_seconds": 600,
            ]
            #expect(daemon.params(of: "payment.watch") == [expected])
            _ = await wajubctl("watch", "-", "--no-realtime", "--socket", daemon.path, secret: "tok_abc")
            #expect(daemon.params(of: "payment.watch").last?["realtime"] == false)
        }
    }

    @Test("a token on the command line works, with a warning that does not repeat it")
    func tokenAsWord() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.watch", ["payment": payment()])
            let run = await wajubctl("--socket", daemon.path, "watch", "tok_abc")
            #expect(run.status == .success)
            #expect(run.complaints.count == 1)
            #expect(!run.complaints.joined().contains("tok_abc"))
            #expect(daemon.params(of: "payment.watch") == [["token": "tok_abc"]])
        }
    }

    @Test("JSON is what the daemon said, a payment a line, over as many pages as the limit takes")
    func list() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.list") { request, _ in
                let page: JSONValue =
                    request.params["before"] == nil
                    ? ["payments": [payment(["id": "pay_3"]), payment(["id": "pay_2"])], "next": "c2"]
                    : ["payments": [payment(["id": "pay_1"])]]
                return .success(RPCResult(page))
            }
            let run = await wajubctl("list", "--json", "--unsettled", "--limit", "600", "--socket", daemon.path)
            #expect(run.json == ["pay_3", "pay_2", "pay_1"].map { payment(["id": .string($0)]) })
            #expect(
                daemon.params(of: "payment.list") == [
                    ["settled": false, "limit": 500], ["settled": false, "limit": 500, "before": "c2"],
                ])
        }
    }

    @Test("close says why")
    func close() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.close", ["payment": settled("cancelled")])
            _ = await wajubctl("close", "pay_1", "--socket", daemon.path)
            let run = await wajubctl("close", "pay_1", "--reason", "host_gone", "--socket", daemon.path)
            #expect(run.status == .success)
            let reasons = daemon.params(of: "payment.close").map { $0["reason"] }
            #expect(reasons == ["dismissed", "host_gone"])
        }
    }

    @Test("status asks for a live read only with --refresh")
    func refresh() async throws {
        try await withDaemon { daemon, _ in
            daemon.on("payment.status", ["payment": payment()])
            _ = await wajubctl("status", "pay_1", "--refresh", "--json", "--socket", daemon.path)
            #expect(daemon.params(of: "payment.status") == [["payment": "pay_1", "refresh": true]])
        }
    }

    @Test("explain, info and contract show what their methods answer")
    func others() async throws {
        try await withDaemon { daemon, _ in
            let entry: JSONValue = [
                "at": "2026-12-01T08:15:30.250Z", "seq": 1, "what": "read", "detail": ["status": 200],
            ]
            daemon.on("payment.explain", ["timeline": [entry]])
            daemon.on("daemon.info", ["name": "wajubd", "version": "9.9", "pid": 42])
            daemon.on("contract.describe", ["contract": "v2"])
            #expect(
                await wajubctl("explain", "pay_1", "--socket", daemon.path).lines
                    == ["08:15:30.250  read                      status=200"])
            #expect(await wajubctl("explain", "pay_1", "--json", "--socket", daemon.path).json == [entry])
            #expect(await wajubctl("info", "--socket", daemon.path).lines == ["daemon  wajubd 9.9 (pid 42)"])
            #expect(await wajubctl("contract", "--socket", daemon.path).json == [["contract": "v2"]])
        }
    }
}

extension String {
    func write(toFile path: String) throws {
        try write(toFile: path, atomically: false, encoding: .utf8)
    }
}
