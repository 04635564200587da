import Contract
import JSON
import Testing
import WajubSandbox

struct PusherServerTests {
    private static let id = PusherServer.ConnectionID(number: 1)

    /// A bench with one established connection.
    private static func connected(_ behaviour: JSONValue? = nil) -> (bench: Bench, socketID: String) {
        var bench = Bench()
        if let behaviour { _ = bench.ask("POST", "/sandbox/realtime", behaviour.merging(["action": "behave"])) }
        let path = "/app/\(bench.core.model.pusherKey)"
        bench.core.realtime.connected(id, path: path, version: "7", at: bench.now)
        let established = messages(&bench).first
        let data = try? JSONValue(parsing: ArraySlice((established?["data"]?.string ?? "").utf8))
        return (bench, data?["socket_id"]?.string ?? "")
    }

    /// The texts sent since the last call.
    private static func messages(_ bench: inout Bench) -> [JSONValue] {
        bench.outputs().compactMap {
            if case .realtime(.send(_, let text)) = $0 { try? JSONValue(parsing: ArraySlice(text.utf8)) } else { nil }
        }
    }

    private static func subscribe(_ bench: inout Bench, _ channel: String, auth: String?) {
        let message: JSONValue = [
            "event": "pusher:subscribe",
            "data": ["channel": .string(channel), "auth": auth.map(JSONValue.string) ?? .null],
        ]
        bench.core.realtime.received(message.text, on: id, at: bench.now)
    }

    /// What the auth endpoint signs for a payment's channel.
    private static func authorize(
        _ bench: inout Bench, _ token: String, _ channel: String, _ socketID: String
    ) -> SandboxAnswer {
        let reception = bench.core.receive(
            SandboxRequest(
                method: "POST", path: "/pay/broadcasting/auth", headers: ["authorization": "Bearer \(token)"],
                body: Array("channel_name=\(channel)&socket_id=\(socketID)".utf8)),
            at: bench.now)
        guard case .deliver(.answer(let answer)) = reception else { return SandboxAnswer(status: 0, json: [:]) }
        return answer
    }

    private static func subscribed(_ behaviour: JSONValue? = nil) -> (bench: Bench, payment: String, channel: String) {
        var (bench, socketID) = connected(behaviour)
        let payment = bench.create()
        let channel = "private-payment.\(payment.reference)"
        let auth = authorize(&bench, payment.token, channel, socketID).json?["auth"]?.string
        subscribe(&bench, channel, auth: auth)
        return (bench, payment.id, channel)
    }

    @Test func `a channel with the right signature is subscribed and gets the payment's status`() {
        var (bench, payment, channel) = Self.subscribed()
        #expect(
            Self.messages(&bench) == [
                ["event": "pusher_internal:subscription_succeeded", "channel": .string(channel), "data": "{}"]
            ])
        _ = bench.ask("POST", "/sandbox/payments/\(payment)/status", ["status": "succeeded"])
        #expect(
            Self.messages(&bench) == [
                [
                    "event": "PaymentStatusUpdated", "channel": .string(channel),
                    "data": .string(#"{"status":"succeeded"}"#),
                ]
            ])
        _ = bench.ask("POST", "/sandbox/payments/\(payment)/status", ["status": "failed", "push": false])
        #expect(Self.messages(&bench).isEmpty)
    }

    @Test func `another payment's channel is not signed, and a signature for another socket is refused`() {
        var (bench, socketID) = Self.connected()
        let (mine, other) = (bench.create(), bench.create())
        let channel = "private-payment.\(mine.reference)"
        #expect(Self.authorize(&bench, other.token, channel, socketID).status == 403)
        let auth = Self.authorize(&bench, mine.token, channel, "1.2").json?["auth"]?.string
        Self.subscribe(&bench, channel, auth: auth)
        let refusal = Self.messages(&bench)
        #expect(refusal.map { $0["event"] } == ["pusher:error"])
        #expect(refusal.first?["data"]?.string?.contains("4009") == true)
        #expect(bench.core.realtime.subscriptionCount == 0)
    }

    @Test(
        arguments: [
            ("subscription_error", "pusher:subscription_error"), ("error_4009", "pusher:error"),
            ("internal_error", "pusher_internal:subscription_error"), ("ignore", nil),
        ] as [(String, String?)])
    func `a refused subscription has each shape that servers give it`(shape: String, event: String?) {
        var (bench, _, _) = Self.subscribed(["subscriptions": .string(shape), "subscription_times": 1])
        #expect(Self.messages(&bench).map { $0["event"]?.string } == (event.map { [$0] } ?? []))
        #expect(bench.core.realtime.subscriptionCount == 0)
    }

    @Test func `events come twice, as objects and under the class's name when asked`() {
        var (bench, payment, _) = Self.subscribed([
            "duplicates": 1, "data_as_object": true, "event_name": "App\\Events\\PaymentStatusUpdated",
        ])
        _ = Self.messages(&bench)
        _ = bench.ask("POST", "/sandbox/payments/\(payment)/status", ["status": "processing"])
        let events = Self.messages(&bench)
        #expect(events.count == 2)
        #expect(events.first?["event"] == "App\\Events\\PaymentStatusUpdated")
        #expect(events.first?["data"] == ["status": "processing"])
    }

    @Test func `a double subscription is an error without a code`() {
        var (bench, _, channel) = Self.subscribed()
        _ = Self.messages(&bench)
        Self.subscribe(&bench, channel, auth: nil)
        #expect(Self.messages(&bench).first?["data"]?.string?.contains(#""code":null"#) == true)
    }

    @Test func `a ping is answered, unless pongs are off`() {
        var (bench, _) = Self.connected()
        bench.core.realtime.received(#"{"event":"pusher:ping"}"#, on: Self.id, at: bench.now)
        #expect(Self.messages(&bench) == [["event": "pusher:pong"]])
        _ = bench.ask("POST", "/sandbox/realtime", ["action": "behave", "pongs": false])
        bench.core.realtime.received(#"{"event":"pusher:ping","data":{}}"#, on: Self.id, at: bench.now)
        #expect(Self.messages(&bench).isEmpty)
    }

    @Test func `a quiet client is pinged and then dropped with 4201`() {
        var (bench, _) = Self.connected()
        bench.advance(119)
        bench.core.realtime.heard(from: Self.id, at: bench.now)
        bench.advance(119)
        #expect(bench.outputs().isEmpty)
        bench.advance(1)
        #expect(Self.messages(&bench) == [["event": "pusher:ping"]])
        bench.advance(60)
        let outputs = bench.outputs()
        #expect(outputs.count == 2)
        #expect(outputs.last == .realtime(.close(Self.id, code: 4201, reason: "Pong reply not received in time")))
    }

    @Test func `an unknown key is 4001 in-band and as close code`() {
        var bench = Bench()
        bench.core.realtime.connected(Self.id, path: "/app/nobody", version: "7", at: bench.now)
        let outputs = bench.outputs()
        #expect(outputs.count == 2)
        #expect(outputs.last == .realtime(.close(Self.id, code: 4001, reason: "Application does not exist")))
    }

    @Test func `one that is never established hears nothing, and the next one does`() {
        var (bench, socketID) = Self.connected(["establish": "never", "establish_times": 1])
        #expect(socketID.isEmpty)
        let next = PusherServer.ConnectionID(number: 2)
        bench.core.realtime.connected(
            next, path: "/app/\(bench.core.model.pusherKey)", version: "7", at: bench.now)
        #expect(Self.messages(&bench).map { $0["event"] } == ["pusher:connection_established"])
    }

    @Test func `what is no message is answered with an error that is not fatal`() {
        var (bench, _) = Self.connected()
        bench.core.realtime.received("{", on: Self.id, at: bench.now)
        #expect(Self.messages(&bench).map { $0["event"] } == ["pusher:error"])
        bench.core.realtime.received(#"{"event":"pusher:ping"}"#, on: Self.id, at: bench.now)
        #expect(Self.messages(&bench).map { $0["event"] } == ["pusher:pong"])
    }

    @Test func `connections end as asked`() {
        var (bench, payment, _) = Self.subscribed()
        _ = bench.outputs()
        _ = bench.ask("POST", "/sandbox/realtime", ["action": "error", "code": 4200])
        #expect(Self.messages(&bench).map { $0["event"] } == ["pusher:error"])
        _ = bench.ask("POST", "/sandbox/realtime", ["action": "drop", "payment": .string(payment)])
        #expect(bench.outputs() == [.realtime(.drop(Self.id))])
        #expect(bench.ask("POST", "/sandbox/realtime", ["action": "dance"]).status == 422)
        #expect(bench.ask("POST", "/sandbox/realtime", ["action": "behave", "pongs": "no"]).status == 422)
    }
}
