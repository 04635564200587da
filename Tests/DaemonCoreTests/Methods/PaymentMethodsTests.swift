import Contract
import JSON
import JSONRPC
import PlatformTestSupport
import Store
import Testing
import WajubWatchTestSupport

@testable import DaemonCore

@Suite("Payment methods", .timeLimit(.minutes(10)))
struct PaymentMethodsTests {
    @Test("watch answers with the payment object, before Wajub has answered")
    func watch() async throws {
        try await Counter.with { counter in
            counter.till.wajub.hold(.session)
            let payment = try await counter.payment("payment.watch", ["token": "token-1", "reference": "order-1"])
            #expect(payment["id"]?.string?.hasPrefix("pay_") == true)
            #expect(payment["reference"] == "order-1")
            #expect(payment["state"] == "INITIATED")
            #expect(payment["status"] == "unknown")
            #expect(payment["presentation"] == 1)
            #expect(payment["seq"] == 1)
            #expect(payment["watch"]?["active"] == true)
            #expect(payment["advice"]?["safe_to_take_other_payment"] == false)
            #expect(payment["result"] == nil)
            counter.till.wajub.release(.session)
        }
    }

    @Test("status tells a loaded payment: amount, environment, state, when it is read next and when the watch ends")
    func status() async throws {
        try await Counter.with { counter in
            let payment = try await counter.loaded()
            #expect(payment["amount"] == "15000")
            #expect(payment["currency"] == "XAF")
            #expect(payment["wajub_reference"] == "ref-1")
            #expect(payment["environment"] == "live")
            #expect(payment["status"] == "pending")
            #expect(payment["watch"]?["ends_in_seconds"] == 900)
            #expect(payment["watch"]?["reads"] == 1)
            #expect(payment["advice"]?["can_cancel"] == true)
        }
    }

    @Test("A payment is named by its id, the till's reference, Wajub's reference or its token")
    func selectors() async throws {
        try await Counter.with { counter in
            let id = try await counter.loaded("token-1", ["reference": "order-1"])["id"]
            for selector: JSONValue in [
                id ?? .null, ["reference": "order-1"], ["reference": "ref-1"], ["token": "token-1"],
            ] {
                let payment = try await counter.payment("payment.status", ["payment": selector])
                #expect(payment["id"] == id)
            }
        }
    }

    @Test("A reference of Wajub's that two payments have is ambiguous")
    func ambiguous() async throws {
        try await Counter.with { counter in
            _ = try await counter.loaded("token-1")
            _ = try await counter.loaded("token-2")
            let error = try await counter.refusal("payment.status", ["payment": ["reference": "ref-1"]])
            #expect(error?.data?["code"] == "ambiguous_reference")
        }
    }

    @Test(
        "Whatever is asked of an unknown payment, it is unknown_payment",
        arguments: [
            "payment.status", "payment.wait", "payment.close", "payment.cancel", "payment.explain", "payment.methods",
            "events.subscribe",
        ])
    func unknown(method: String) async throws {
        try await Counter.with { counter in
            for selector: JSONValue in ["pay_none", ["reference": "none"], ["token": "none"]] {
                let error = try await counter.refusal(method, ["payment": selector])
                #expect(error?.code == .serverError)
                #expect(error?.data?["code"] == "unknown_payment")
            }
        }
    }

    @Test(
        "A token that is empty, huge or has control characters is refused by name, and never repeated",
        arguments: [
            "", String(repeating: "x", count: 5000), "to\u{0}ken", "to\nken", "to ken", "tökén", "tok\u{7F}en",
        ])
    func badToken(token: String) async throws {
        try await Counter.with { counter in
            let error = try #require(try await counter.refusal("payment.watch", ["token": .string(token)]))
            #expect(error.code == .invalidParams)
            #expect(error.data?["param"] == "token")
            if !token.isEmpty { #expect(!error.message.contains(token)) }
            #expect(counter.till.store.lastSeq == 0)
        }
    }

    @Test(
        "A parameter that is wrong, missing or unknown is named",
        arguments: [
            ("payment.watch", ["token": 7], "token"),
            ("payment.watch", [:], "token"),
            ("payment.watch", ["token": "t", "refrence": "x"], "refrence"),
            ("payment.watch", ["token": "t", "reference": ""], "reference"),
            ("payment.watch", ["token": "t", "reference": "a\nb"], "reference"),
            ("payment.watch", ["token": "t", "locale": "1"], "locale"),
            ("payment.watch", ["token": "t", "realtime": true], "realtime"),
            ("payment.watch", ["token": "t", "realtime": ["host": "h", "port": 0, "tls": true]], "realtime"),
            ("payment.watch", ["token": "t", "realtime": ["host": "h/x", "port": 1, "tls": true]], "realtime"),
            ("payment.watch", ["token": "t", "cancel_on_dismiss": "no"], "cancel_on_dismiss"),
            ("payment.watch", ["token": "t", "follow_up_seconds": -1], "follow_up_seconds"),
            ("payment.status", [:], "payment"),
            ("payment.status", ["payment": 1], "payment"),
            ("payment.status", ["payment": ["id": "x"]], "payment"),
            ("payment.status", ["payment": "pay_x", "refresh": 1], "refresh"),
            ("payment.list", ["limit": 0], "limit"),
            ("payment.list", ["limit": 501], "limit"),
            ("payment.list", ["before": "x"], "before"),
            ("payment.close", ["payment": "pay_x", "reason": "bored"], "reason"),
            ("payment.wait", ["payment": "pay_x", "timeout_seconds": "1"], "timeout_seconds"),
            ("payment.wait", ["payment": "pay_x", "timeout_seconds": -1], "timeout_seconds"),
            ("events.subscribe", ["after": -1], "after"),
            ("events.subscribe", ["payment": 1], "payment"),
            ("daemon.info", ["x": 1], "x"),
        ] as [(String, [String: JSONValue], String)])
    func badParams(method: String, params: [String: JSONValue], param: String) async throws {
        try await Counter.with { counter in
            let error = try #require(try await counter.refusal(method, params))
            #expect(error.code == .invalidParams)
            #expect(error.data?["param"] == .string(param))
            #expect(error.message.hasPrefix("\(param): "))
        }
    }

    @Test("A reference that another token has is -32602 on reference")
    func referenceTaken() async throws {
        try await Counter.with { counter in
            _ = try await counter.payment("payment.watch", ["token": "token-1", "reference": "order-1"])
            let error = try await counter.refusal("payment.watch", ["token": "token-2", "reference": "order-1"])
            #expect(error?.code == .invalidParams)
            #expect(error?.data?["param"] == "reference")
        }
    }

    @Test("The same token again is the same payment and changes nothing")
    func sameToken() async throws {
        try await Counter.with { counter in
            let first = try await counter.loaded("token-1", ["reference": "order-1"])
            let again = try await counter.payment("payment.watch", ["token": "token-1", "reference": "other"])
            #expect(again["id"] == first["id"])
            #expect(again["reference"] == "order-1")
            #expect(again["presentation"] == 1)
            #expect(again["seq"] == first["seq"])
        }
    }

    @Test(
        "A dismissed payment that was kept open is presented again: no result, presentation 2, events from accepted on")
    func presentedAgain() async throws {
        try await Counter.with { counter in
            let first = try await counter.loaded("token-1", ["cancel_on_dismiss": false])
            let closed = try await counter.payment("payment.close", ["payment": first["id"] ?? .null])
            #expect(closed["result"]?["status"] == "cancelled")
            #expect(closed["result"]?["reason"] == "dismissed")
            let again = try await counter.payment("payment.watch", ["token": "token-1"])
            #expect(again["id"] == first["id"])
            #expect(again["presentation"] == 2)
            #expect(again["result"] == nil)
            let id = try #require(again["id"]?.string)
            let kinds = try counter.till.kinds(of: id)
            #expect(kinds.filter { $0 == "complete" }.count == 1)
            #expect(kinds.filter { $0 == "accepted" }.count == 2)
        }
    }

    @Test("close answers with the result; a second close is payment_ended in the payment's language")
    func close() async throws {
        try await Counter.with { counter in
            let payment = try await counter.loaded("token-1", ["locale": "fr-CM"])
            let closed = try await counter.payment("payment.close", ["payment": payment["id"] ?? .null])
            #expect(closed["state"] == "CANCELLED")
            #expect(closed["status"] == "cancelled")
            #expect(closed["advice"]?["safe_to_take_other_payment"] == true)
            let error = try await counter.refusal("payment.close", ["payment": payment["id"] ?? .null])
            #expect(error?.data?["code"] == "payment_ended")
            #expect(error?.message == "Le paiement a déjà son résultat.")
        }
    }

    @Test("A live read that misses is in last_read_error, never an error answer")
    func readMisses() async throws {
        try await Counter.with { counter in
            let payment = try await counter.loaded()
            counter.till.wajub.miss(.status, .unanswered(Unanswered(.server, reason: "503", httpStatus: 503)))
            let read = try await counter.payment(
                "payment.status", ["payment": payment["id"] ?? .null, "refresh": true])
            #expect(read["last_read_error"]?["code"] == "server_error")
            #expect(read["last_read_error"]?["http_status"] == 503)
            #expect(read["status"] == "pending")
            #expect(read["result"] == nil)
        }
    }

    @Test("list pages through the payments, newest first, without a gap or a repeat")
    func list() async throws {
        try await Counter.with { counter in
            for number in 1...7 {
                _ = try await counter.payment(
                    "payment.watch", ["token": .string("token-\(number)"), "reference": .string("order-\(number)")])
            }
            var seen: [String] = []
            var cursor: JSONValue?
            repeat {
                var params: [String: JSONValue] = ["limit": 3, "settled": false]
                params["before"] = cursor
                let page = try await counter.client.call("payment.list", params)
                seen += page["payments"]?.array?.compactMap { $0["reference"]?.string } ?? []
                cursor = page["next"]
            } while cursor != nil
            #expect(seen == (1...7).reversed().map { "order-\($0)" })
        }
    }

    @Test("explain tells hand-off, reads and events with their evidence, and holds no token")
    func explain() async throws {
        try await Counter.with { counter in
            let payment = try await counter.loaded("token-very-secret")
            let answer = try await counter.client.call("payment.explain", ["payment": payment["id"] ?? .null])
            let lines = try #require(answer["timeline"]?.array)
            let whats = lines.compactMap { $0["what"]?.string }
            #expect(whats.contains("event: accepted"))
            #expect(whats.contains("session read"))
            #expect(whats.contains("read answered"))
            #expect(lines.allSatisfy { $0["at"] != nil && $0["seq"] != nil && $0["detail"] != nil })
            #expect(!String(decoding: answer.encoded, as: UTF8.self).contains("secret"))
        }
    }

    @Test("methods are what can be offered now: not before the load, not after the result")
    func methods() async throws {
        try await Counter.with { counter in
            counter.till.wajub.hold(.session)
            let payment = try await counter.payment("payment.watch", ["token": "token-1"])
            let early = try await counter.refusal("payment.methods", ["payment": payment["id"] ?? .null])
            #expect(early?.data?["code"] == "not_ready")
            counter.till.wajub.release(.session)
            let loaded = try await counter.loaded()
            let offered = try await counter.client.call("payment.methods", ["payment": loaded["id"] ?? .null])
            #expect(offered["methods"]?.array?.first?["channel"] == "cm.mobile")
            _ = try await counter.payment("payment.close", ["payment": loaded["id"] ?? .null])
            let late = try await counter.refusal("payment.methods", ["payment": loaded["id"] ?? .null])
            #expect(late?.data?["code"] == "payment_ended")
        }
    }

    @Test("daemon.info tells what runs; contract.describe tells the contract's tables")
    func describes() async throws {
        try await Counter.with { counter in
            _ = try await counter.loaded()
            let info = try await counter.client.call("daemon.info")
            #expect(info["name"] == "wajubd")
            #expect(info["protocol"] == 1)
            #expect(info["contract"] == "v2")
            #expect(info["watching"] == 1)
            #expect(info["payments"] == 1)
            #expect(info["storage"] == "ok")
            #expect(info["clock"] == "ok")
            #expect(info["realtime"] == ["connected": 1, "connecting": 2])
            let contract = try await counter.client.call("contract.describe")
            #expect(contract["states"]?.array?.count == 17)
            #expect(contract["errors"]?.array?.count == ErrorCatalogue.entries.count)
            #expect(contract["events"]?.array?.compactMap { $0["name"]?.string } == EventKind.allCases.map(\.rawValue))
        }
    }

    @Test("An unknown method is -32601")
    func unknownMethod() async throws {
        try await Counter.with { counter in
            let error = try await counter.refusal("payment.steal", [:])
            #expect(error?.code == .methodNotFound)
        }
    }

    @Test("A payment whose token was refused answers a live read at once, and can be handed off again")
    func refusedToken() async throws {
        try await Counter.with { counter in
            let refusal = APIRefusal(httpStatus: 404, code: .sessionNotFound)
            counter.till.wajub.miss(.session, .refused(refusal))
            let payment = try await counter.payment("payment.watch", ["token": "token-1"])
            let failed = try await counter.payment("payment.wait", ["payment": payment["id"] ?? .null])
            #expect(failed["result"]?["status"] == "failed")
            #expect(failed["status"] == "unknown")
            let read = try await counter.payment(
                "payment.status", ["payment": payment["id"] ?? .null, "refresh": true])
            #expect(read["result"] == failed["result"])
            counter.till.wajub.miss(.session, nil)
            counter.till.wajub.set(.succeeded)
            let again = try await counter.payment("payment.watch", ["token": "token-1"])
            #expect(again["presentation"] == 2)
            let paid = try await counter.payment("payment.wait", ["payment": payment["id"] ?? .null])
            #expect(paid["result"]?["status"] == "complete")
        }
    }
}
