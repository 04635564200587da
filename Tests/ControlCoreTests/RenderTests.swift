import JSON
import JSONRPC
import Testing

@testable import ControlCore

@Suite("What a person sees")
struct RenderTests {
    private let plain = Style(isTerminal: false, environment: [:])

    @Test("a payment is a few aligned lines, of what is known")
    func paymentLines() {
        let shown = payment([
            "screen": ["kind": "ussd", "instruction": "Dial *126#"],
            "watch": [
                "active": true, "realtime": "connected", "reads": 3, "signals": 1, "next_read_in_seconds": 4,
                "ends_in_seconds": 860,
            ],
            "error": ["code": "declined", "message": "The payment was declined.", "certainty": "definite"],
        ])
        #expect(
            Render.payment(shown, plain) == [
                "payment    pay_1",
                "reference  order-17",
                "amount     15000 XAF",
                "state      PENDING (mobile_money)",
                "status     pending",
                "screen     ussd: Dial *126#",
                "watch      realtime connected · reads 3 · signals 1 · next in 4 s · ends in 14 min 20 s",
                "error      The payment was declined. [declined]",
                "advice     Not paid yet.",
            ])
    }

    @Test("a result says when and why")
    func result() {
        let result: JSONValue = ["status": "cancelled", "reason": "dismissed", "at": "2026-12-01T08:16:00.123Z"]
        #expect(Render.result(result, plain) == "cancelled (dismissed) at 2026-12-01 08:16:00 UTC")
        #expect(Render.result(nil, plain) == nil)
        #expect(Render.result(.null, plain) == nil)
    }

    @Test("a list has a head, and a row for each payment")
    func list() {
        let id = "pay_dc8cfb322ce8c833b1d81a03392f4af3"
        #expect(
            Render.list([payment(["id": .string(id)])], plain, withHead: true) == [
                "PAYMENT                               RESULT                   STATUS      AMOUNT          REFERENCE",
                "pay_dc8cfb322ce8c833b1d81a03392f4af3  PENDING                  pending     15000 XAF       order-17",
            ])
    }

    @Test("events and the timeline tell the same about an event, and nothing stands behind the last word")
    func events() {
        let ready: JSONValue = ["environment": "sandbox", "methods": [["channel": "cm.mobile"], ["channel": "card"]]]
        let lines = [
            Render.event(eventParams(3, "ready", ready), plain), Render.event(eventParams(4, "accepted"), plain),
            Render.event(eventParams(5, "cancel", ["reason": "dismissed"]), plain, withPayment: false),
            Render.timeline(["at": "2026-12-01T08:15:30.250Z", "what": "event: ready", "detail": ready], plain),
            Render.timeline(["at": "2026-12-01T08:15:30.250Z", "what": "recovered"], plain),
        ]
        #expect(
            lines == [
                "3       08:15:30.250  pay_1                                 ready            sandbox offers cm.mobile, card",
                "4       08:15:30.250  pay_1                                 accepted",
                "5       08:15:30.250  cancel           dismissed",
                "08:15:30.250  event: ready              sandbox offers cm.mobile, card",
                "08:15:30.250  recovered",
            ])
    }

    @Test("nothing that came from outside steers the terminal")
    func control() {
        let hostile: JSONValue = "a\u{1B}[2Jb\nc\u{7}\u{9B}d\u{202E}e"
        let shown = payment(["reference": hostile, "error": ["message": hostile, "code": hostile]])
        let lines =
            Render.payment(shown, plain) + [Render.event(eventParams(1, "unheard_of", ["x": hostile]), plain)]
            + [Render.timeline(["what": hostile, "detail": ["k\u{1B}": hostile]], plain)]
            + Render.info(["version": hostile, "new\u{1B}": hostile], plain)
        for line in lines {
            #expect(!line.unicodeScalars.contains { ["\u{1B}", "\n", "\u{7}", "\u{9B}", "\u{202E}"].contains($0) })
        }
    }

    @Test(
        "durations count the started second",
        arguments: [
            (0, "0 s"), (0.2, "1 s"), (59.9, "1 min"), (60, "1 min"), (860, "14 min 20 s"), (7_500, "2 h 5 min"),
            (90_000, "1 d 1 h"), (-3, "0 s"), (Double.infinity, "11574074 d 1 h"),
        ])
    func durations(seconds: Double, text: String) {
        #expect(Render.duration(seconds) == text)
    }

    @Test("a terminal has colour unless the person wants none, and then the same words")
    func colour() {
        let coloured = Style(isTerminal: true, environment: ["TERM": "xterm"])
        #expect(Render.result(["status": "complete"], coloured) == "\u{1B}[32mcomplete\u{1B}[0m")
        for environment in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let style = Style(isTerminal: true, environment: environment)
            #expect(Render.result(["status": "complete"], style) == "complete")
            #expect(Render.payment(settled("complete"), style) == Render.payment(settled("complete"), plain))
        }
        #expect(!Style(isTerminal: true, environment: ["TERM": "dumb"]).isLive)
    }

    @Test("a realtime server is HOST:PORT, with /tls where it has TLS")
    func realtime() {
        #expect(Commands.realtime("ws.test:80") == ["host": "ws.test", "port": 80, "tls": false])
        #expect(Commands.realtime("[::1]:443/tls") == ["host": "::1", "port": 443, "tls": true])
        for wrong in ["", "ws.test", ":80", "ws.test:", "ws.test:0", "ws.test:65536", "::1:80", "wss://h:1", "h:1/ssl"]
        {
            #expect(Commands.realtime(wrong) == nil)
        }
    }
}
