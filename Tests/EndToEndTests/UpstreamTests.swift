import JSON
import JSONRPC
import StageSupport
import Testing

/// A fault of `/pay/status`, and the error code that `last_read_error` has for it.
struct ReadFault: CustomTestStringConvertible, Sendable {
    let name: String
    let fault: JSONValue
    let code: String

    var testDescription: String { name }

    static let all = [
        ReadFault(name: "a captive portal's page", fault: ["html": true], code: "network_error"),
        ReadFault(
            name: "502 without JSON", fault: ["status": 502, "html": "<h1>Bad Gateway</h1>"], code: "network_error"),
        ReadFault(name: "502 with JSON", fault: ["status": 502], code: "server_error"),
        ReadFault(name: "500", fault: ["status": 500], code: "server_error"),
        ReadFault(name: "a dropped connection", fault: ["drop": true], code: "network_error"),
        ReadFault(name: "truncated JSON", fault: ["truncate": true], code: "network_error"),
        ReadFault(name: "no JSON object", fault: ["status": 200, "body": "[1]"], code: "network_error"),
        ReadFault(name: "401", fault: ["status": 401], code: "session_not_found"),
        ReadFault(name: "403", fault: ["status": 403], code: "blocked"),
        ReadFault(name: "404", fault: ["status": 404], code: "session_not_found"),
        ReadFault(name: "410", fault: ["status": 410], code: "session_terminal_expired"),
        ReadFault(name: "429 with Retry-After", fault: ["status": 429, "retry_after": 1], code: "rate_limited"),
        ReadFault(name: "a transaction of a wrong type", fault: ["wrong": ["transaction": 5]], code: "network_error"),
        ReadFault(name: "no status", fault: ["wrong": ["transaction": ["status": .null]]], code: "network_error"),
    ]
}

extension EndToEnd {
    @Suite struct Upstream {
        @Test("A bad answer to a read is never a failure, says why, and is got over", arguments: ReadFault.all)
        func survivesBadReads(_ bad: ReadFault) async throws {
            // Without realtime and speed the daemon's own next read is five seconds away: the faults are for this
            // test's reads.
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay(["echo": false])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                _ = try await scene.events(until: "ready")
                // libcurl asks again by itself when a connection that was used before drops; the load has left two.
                try await scene.sandbox.fault(bad.fault, on: "/pay/status", times: bad.fault["drop"] == nil ? 1 : 3)

                let read = try await till.refreshed(id)
                #expect(read["last_read_error"]?["code"]?.string == bad.code)
                #expect(read["status"] == "pending")
                #expect(read["result"] == nil)
                #expect(read["watch"]?["active"] == true)
                #expect(read["advice"]?["safe_to_take_other_payment"] == false)

                try await scene.sandbox.drive(payment, to: "success")
                for _ in 0..<3 { _ = try await till.refreshed(id) }
                let settled = try await till.settled(id)
                #expect(settled["result"]?["status"] == "complete")
                #expect(settled["last_read_error"] == nil)
                let kinds = try await scene.events().map(\.kind).filter { $0 != "state" }
                #expect(kinds == ["accepted", "ready", "success", "complete"])
            }
        }

        @Test(
            "The daemon's own reads go on through bad answers",
            arguments: [
                ["drop": true], ["html": true], ["status": 401], ["status": 404], ["status": 500],
            ] as [JSONValue])
        func readsOn(fault: JSONValue) async throws {
            try await Scene.with(speed: 20) { scene in
                let payment = try await scene.sandbox.pay(["echo": false])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                _ = try await scene.events(until: "ready")
                try await scene.sandbox.fault(fault, on: "/pay/status", times: 3)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test("Retry-After is obeyed by the daemon's own reads")
        func obeysRetryAfter() async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay(["echo": false])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                _ = try await scene.events(until: "ready")
                try await scene.sandbox.fault(["status": 429, "retry_after": 40], on: "/pay/status", times: 1)
                let read = try await till.refreshed(id)
                let wait = try #require(read["watch"]?["next_read_in_seconds"]?.double)
                #expect(wait > 30 && wait <= 40)
                #expect(read["last_read_error"]?["retry_after_seconds"]?.int == 40)
            }
        }

        @Test(
            "A refusal of the token at the load ends the payment here, and says nothing about the money",
            arguments: [
                (401, "session_not_found"), (403, "blocked"), (404, "session_not_found"),
                (410, "session_terminal_expired"),
            ])
        func refusedAtTheLoad(status: Int, code: String) async throws {
            try await Scene.with { scene in
                let fault: JSONValue = ["status": JSONValue(integerLiteral: status)]
                try await scene.sandbox.fault(fault, on: "/pay/session")
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(try await scene.sandbox.pay())
                let settled = try await till.settled(id)
                #expect(settled["result"]?["status"] == "failed")
                #expect(settled["result"]?["error"]?["code"]?.string == code)
                #expect(settled["status"] == "unknown")
                #expect(settled["advice"]?["safe_to_take_other_payment"] == false)
                let events = try await scene.events()
                #expect(events.map(\.kind).filter { $0 != "state" } == ["accepted", "load_error", "complete"])
                #expect(events.first { $0.kind == "load_error" }?.data["code"]?.string == code)
            }
        }

        @Test(
            "A load that gets no answer is tried again until it gets one",
            arguments: [
                ["drop": true], ["html": true], ["status": 503], ["truncate": true], ["status": 429, "retry_after": 1],
            ] as [JSONValue])
        func retriesTheLoad(fault: JSONValue) async throws {
            try await Scene.with(speed: 20) { scene in
                try await scene.sandbox.fault(fault, on: "/pay/session", times: 2)
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                #expect(try await scene.events(until: "ready").map(\.kind).contains("load_error") == false)
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test(
            "Fields of wrong types, absent fields and unknown statuses spoil nothing beside them",
            arguments: [
                ["transaction": ["amount": "much", "amount_total": .null, "expires_at": 7, "sandbox": "yes"]],
                ["transaction": ["id": .null]], ["transaction": ["currency": .null, "trxref": .null]],
                ["channels": "none"], ["channels": [5, .null, ["slug": 3]]], ["channels": .null],
                ["echo": 5], ["echo": ["ws_port": "many"]], ["echo": ["key": .null]], ["echo": .null],
                ["locale": 3, "branding": [1]],
            ] as [JSONValue])
        func survivesWrongTypes(patch: JSONValue) async throws {
            try await Scene.with(speed: 20) { scene in
                try await scene.sandbox.fault(["wrong": patch], on: "/pay/session")
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.request(to: "/pay/session")
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test("An unknown status counts as processing", arguments: ["on_hold", "PROCESSING", "Queued"])
        func unknownStatus(word: String) async throws {
            try await Scene.with { scene in
                let payment = try await scene.sandbox.pay(["echo": false])
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                _ = try await scene.events(until: "ready")
                try await scene.sandbox.fault(
                    ["wrong": ["transaction": ["status": .string(word)]]], on: "/pay/status", times: 1)
                #expect(try await till.refreshed(id)["status"] == "processing")
                try await scene.sandbox.drive(payment, to: "SUCCESSFUL")
                _ = try await till.refreshed(id)
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
            }
        }

        @Test(
            "An amount is told exactly as Wajub tells it", arguments: ["0.1", "12345678901234567.89", "12.50", "15000"])
        func exactAmounts(amount: String) async throws {
            try await Scene.with { scene in
                let number = try JSONValue(parsing: Array(amount.utf8)[...])
                try await scene.sandbox.fault(
                    ["wrong": ["transaction": ["amount": number, "amount_total": number]]], on: "/pay/session")
                try await scene.sandbox.fault(
                    ["wrong": ["transaction": ["amount": number, "amount_total": number]]], on: "/pay/status")
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                try await scene.sandbox.subscribed()
                try await scene.sandbox.drive(payment, to: "success")
                let settled = try await till.settled(id)
                let told = try #require(settled["result"]?["payment"]?["amount"]?.string)
                #expect(try JSONValue(parsing: Array(told.utf8)[...]) == number)
                #expect(settled["amount"]?.string == told)
            }
        }

        @Test("A channel whose name is not legal is not subscribed to; the payment is watched by reads")
        func illegalChannel() async throws {
            try await Scene.with(speed: 20) { scene in
                try await scene.sandbox.fault(
                    ["wrong": ["echo": ["channel_prefix": "private payment/"]]], on: "/pay/session")
                let payment = try await scene.sandbox.pay()
                try await scene.start()
                let till = try scene.stage.till()
                let id = try await till.watch(payment)
                _ = try await scene.events(until: "ready")
                try await scene.sandbox.drive(payment, to: "success")
                #expect(try await till.settled(id)["result"]?["status"] == "complete")
                #expect(try await scene.sandbox.requests(to: "/pay/broadcasting/auth").isEmpty)
            }
        }
    }
}
