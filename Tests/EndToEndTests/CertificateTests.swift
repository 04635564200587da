import FoundationEssentials
import JSON
import JSONRPC
import PlatformTestSupport
import StageSupport
import Testing

extension EndToEnd {
    @Suite struct Certificates {
        /// An authority of the test's own, and a server's certificate by it, made by `openssl` in the stage's
        /// directory.
        private func makeCertificates(_ directory: String) async throws {
            try Data("subjectAltName=IP:127.0.0.1,DNS:localhost\n".utf8).write(to: URL(filePath: directory + "/names"))
            try Data("[req]\ndistinguished_name=name\n[name]\n".utf8).write(
                to: URL(filePath: directory + "/openssl.cnf"))
            let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            let commands = [
                ["req", "-config", directory + "/openssl.cnf", "-x509"] + key
                    + ["-keyout", directory + "/ca.key", "-out", directory + "/ca.pem", "-subj", "/CN=test authority"]
                    + ["-days", "2", "-addext", "basicConstraints=critical,CA:TRUE"],
                ["req", "-config", directory + "/openssl.cnf"] + key
                    + [
                        "-keyout", directory + "/server.key", "-out", directory + "/server.csr", "-subj", "/CN=sandbox",
                    ],
                ["x509", "-req", "-in", directory + "/server.csr", "-CA", directory + "/ca.pem"]
                    + ["-CAkey", directory + "/ca.key", "-set_serial", "2", "-out", directory + "/server.pem"]
                    + ["-days", "2", "-extfile", directory + "/names"],
            ]
            for command in commands {
                let process = try ChildProcess("/usr/bin/openssl", command)
                #expect(await process.ended() == .exited(0), "\(process.errors.lines)")
            }
        }

        private func withTLS(_ body: (Scene) async throws -> Void) async throws {
            let stage = try Stage()
            try await makeCertificates(stage.directory)
            let sandbox = try await stage.startSandbox(
                ["--speed", "20", "--tls", stage.directory + "/server.pem", stage.directory + "/server.key"],
                caFile: stage.directory + "/ca.pem")
            try await Scene.with(stage, sandbox, speed: 20, body)
        }

        @Test("With the authority's file all goes over https and wss")
        func trusted() async throws {
            try await withTLS { scene in
                #expect(scene.sandbox.origin.hasPrefix("https://"))
                #expect(scene.sandbox.realtime.hasPrefix("wss://"))
                let payment = try await scene.sandbox.pay()
                try await scene.start(["--ca-file", scene.stage.directory + "/ca.pem"])
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.subscribed()
                try await scene.sandbox.drive(payment, to: "success")
                let settled = try await till.settled(id)
                #expect(settled["result"]?["status"] == "complete")
            }
        }

        @Test("Without it Wajub is not reached, which is no failure; with it, after a restart, the payment completes")
        func untrusted() async throws {
            try await withTLS { scene in
                let payment = try await scene.sandbox.pay()
                let daemon = try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                let read = try await till.refreshed(id)
                #expect(read["last_read_error"]?["code"] == "network_error")
                #expect(read["last_read_error"]?["retryable"] == true)
                #expect(read["status"] != "failed")
                #expect(read["result"] == nil)
                #expect(read["watch"]?["active"] == true)
                #expect(read["advice"]?["safe_to_take_other_payment"] == false)
                #expect(try await scene.sandbox.lastRequest() == 1)
                #expect(try await scene.events(until: "accepted").count == 1)
                await scene.stop(daemon)

                try await scene.start(["--ca-file", scene.stage.directory + "/ca.pem"])
                try await scene.sandbox.subscribed()
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await scene.stage.till().settled(id)["result"]?["status"] == "complete")
            }
        }
    }
}
