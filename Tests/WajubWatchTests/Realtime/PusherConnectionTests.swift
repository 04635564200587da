import Contract
import Platform
import Testing
import WajubWatch

@Suite("Pusher machine: the connection")
struct PusherMachineConnectionTests {
    @Test("the first channel opens the connection, the greeting authorises it, the server's word subscribes it")
    func fromNothingToSubscribed() {
        var pusher = Pusher()
        #expect(pusher.machine.isIdle && pusher.machine.nextWake == nil)
        #expect(pusher.feed(.subscribe(channel: "a")) == [.open])
        #expect(pusher.feed(.opened) == [])
        #expect(pusher.established() == [.authorise(channel: "a", socketID: "1.1")])
        #expect(pusher.authorised() == [subscribe()])
        #expect(pusher.succeeded() == [.tell(channel: "a", .subscribed)])
    }

    @Test("4004 over quota answers pings and never establishes: the deadline from connect to established ends it")
    func neverEstablished() {
        var pusher = Pusher()
        pusher.feed(.subscribe(channel: "a"))
        pusher.feed(.opened)
        #expect(pusher.untilWake == .seconds(10))
        pusher.pass(.seconds(5))
        #expect(pusher.text(#"{"event":"pusher:pong"}"#) == [])
        #expect(pusher.text(#"{"event":"pusher:ping"}"#) == [pong])
        #expect(pusher.wake() == [.drop])
        pusher.feed(.closed(code: 1006))
        #expect(pusher.notes == [.lost(.notEstablished, wait: .seconds(2))])
    }

    @Test(
        "a greeting that a proxy swallows or mangles is none",
        arguments: [
            #"{"event":"pusher:connection_established"}"#, #"{"event":"pusher:connection_established","data":"{}"}"#,
            #"{"event":"pusher:connection_established","data":{"socket_id":7}}"#, "not JSON", "[]", "",
        ])
    func noGreeting(text: String) {
        var pusher = Pusher()
        pusher.feed(.subscribe(channel: "a"))
        pusher.feed(.opened)
        #expect(pusher.text(text) == [])
        #expect(pusher.wake() == [.drop])
    }

    @Test(
        "the smaller activity timeout counts, a missing one means 120, and an absurd one is bounded",
        arguments: [
            ("30", 30), ("120", 30), ("20", 20), (#""20""#, 20), ("null", 30), ("0", 30), ("-4", 30), ("0.001", 5),
            ("17.5", 17.5),
        ])
    func activityTimeout(theirs: String, seconds: Double) {
        var pusher = Pusher()
        pusher.feed(.subscribe(channel: "a"))
        pusher.feed(.opened)
        pusher.text(
            #"{"event":"pusher:connection_established","data":{"socket_id":"1.1","activity_timeout":\#(theirs)}}"#)
        pusher.authorised()
        pusher.succeeded()
        #expect(pusher.untilWake == .seconds(seconds))
    }

    @Test("after activity_timeout of silence comes a ping, and without any frame within 30 s the connection is dead")
    func noPong() {
        var pusher = Pusher.subscribed()
        #expect(pusher.untilWake == .seconds(30))
        #expect(pusher.wake() == [ping])
        #expect(pusher.untilWake == .seconds(30))
        #expect(pusher.wake() == [.drop, .tell(channel: "a", .down)])
        pusher.feed(.closed(code: 1006))
        #expect(pusher.notes == [.lost(.noPong, wait: .seconds(2))])
    }

    @Test("any inbound frame counts as life, a WebSocket frame as well", arguments: [true, false])
    func anyFrame(isText: Bool) {
        var pusher = Pusher.subscribed()
        #expect(pusher.wake() == [ping])
        pusher.pass(.seconds(29))
        #expect(pusher.feed(isText ? .text("?") : .otherFrame) == [])
        #expect(pusher.wake() == [ping])
    }

    @Test("the application-level ping is sent even while WebSocket pings flow")
    func pingDespiteFrames() {
        var pusher = Pusher.subscribed()
        for _ in 0..<2 {
            pusher.pass(.seconds(14))
            pusher.feed(.otherFrame)
        }
        pusher.pass(.seconds(2))
        #expect(pusher.feed(.timerFired) == [ping])
    }

    @Test(
        "pusher:ping is answered with pusher:pong, whatever its data",
        arguments: [
            #"{"event":"pusher:ping"}"#, #"{"event":"pusher:ping","data":{}}"#, #"{"event":"pusher:ping","data":"{}"}"#,
            #"{"event":"pusher:ping","data":null}"#, #"{"event":"pusher:ping","data":[1]}"#,
        ])
    func pongs(text: String) {
        var pusher = Pusher.subscribed()
        #expect(pusher.text(text) == [pong])
    }

    @Test("on a clock jump it pings at once, and a ping from before it is asked again, once")
    func clockJump() {
        var pusher = Pusher.subscribed()
        #expect(pusher.wake() == [ping])
        pusher.pass(.seconds(3600))
        #expect(pusher.feed(.timerFired) == [ping])
        #expect(pusher.notes == [.clockJumped])
        #expect(pusher.untilWake == .seconds(30))
        pusher.pass(.seconds(3600))
        #expect(pusher.feed(.timerFired) == [.drop, .tell(channel: "a", .down)])
    }

    @Test("a connection that survived a clock jump lives on")
    func clockJumpSurvived() {
        var pusher = Pusher.subscribed()
        pusher.pass(.seconds(3600))
        #expect(pusher.feed(.timerFired) == [ping])
        pusher.text(#"{"event":"pusher:pong","data":{}}"#)
        #expect(pusher.wake() == [ping])
    }

    @Test(
        "close codes: 40xx long, 41xx after at least a second, 42xx and all others with full jitter",
        arguments: [
            (4000, 225), (4001, 225), (4004, 225), (4009, 225), (4099, 225), (4100, 3), (4199, 3), (4200, 2), (4201, 2),
            (4300, 2), (1000, 2), (1001, 2), (1005, 2), (1006, 2), (1009, 2), (1011, 2), (4400, 2), (0, 2), (-1, 2),
        ])
    func closeCodes(code: Int, seconds: Int) {
        var pusher = Pusher.subscribed()
        #expect(pusher.feed(.closed(code: code)) == [.tell(channel: "a", .down)])
        #expect(pusher.notes == [.lost(.closed(code: code), wait: .seconds(seconds))])
        #expect(pusher.untilWake == .seconds(seconds))
        #expect(pusher.wake() == [.open])
    }

    @Test(
        "in-band codes: 40xx and 41xx end it, 4201 of Reverb too, with the wait of their family",
        arguments: [
            (4001, 225), (4003, 225), (4004, 225), (4008, 225), (4100, 3), (4201, 2), (4202, 2),
        ])
    func fatalInBand(code: Int, seconds: Int) {
        var pusher = Pusher.subscribed()
        let actions = pusher.text(#"{"event":"pusher:error","data":{"code":\#(code),"message":"x"}}"#)
        #expect(actions == [.drop, .tell(channel: "a", .down)])
        // The TCP drop that follows changes nothing.
        #expect(pusher.feed(.closed(code: 1006)) == [])
        #expect(pusher.notes == [.lost(.errorInBand(code: code), wait: .seconds(seconds))])
        #expect(pusher.wake() == [.open])
    }

    @Test(
        "4001 in-band before the greeting, in every shape of data, backs off long",
        arguments: [
            #"{"code":4001,"message":"x"}"#, #""{\"code\":4001,\"message\":\"x\"}""#, #"{"code":"4001"}"#,
        ])
    func fatalBeforeGreeting(data: String) {
        var pusher = Pusher()
        pusher.feed(.subscribe(channel: "a"))
        pusher.feed(.opened)
        #expect(pusher.text(#"{"event":"pusher:error","data":\#(data)}"#) == [.drop])
        pusher.feed(.closed(code: 1006))
        #expect(pusher.untilWake == .seconds(225))
    }

    @Test("4009 before the greeting stops nobody for good: long back-off, then again")
    func unauthorisedConnection() {
        var pusher = Pusher()
        pusher.feed(.subscribe(channel: "a"))
        pusher.feed(.opened)
        #expect(pusher.text(#"{"event":"pusher:error","data":{"code":4009}}"#) == [.drop])
        pusher.feed(.closed(code: 4009))
        #expect(pusher.untilWake == .seconds(225))
        #expect(pusher.wake() == [.open])
    }

    @Test(
        "4200 of Reverb is an invalid message and not fatal; neither are 43xx, a null code or none",
        arguments: [
            #"{"code":4200,"message":"Invalid message format"}"#, #"{"code":4302}"#,
            #"{"code":null,"message":"Existing subscription"}"#,
            "{}", #""plain""#, "null", #"{"code":99}"#, #"{"code":1.5}"#,
        ])
    func notFatal(data: String) {
        var pusher = Pusher.subscribed()
        #expect(pusher.text(#"{"event":"pusher:error","data":\#(data)}"#) == [])
        #expect(pusher.feed(.otherFrame) == [])
    }

    @Test("a server that sends errors without end fills no log")
    func errorFlood() {
        var pusher = Pusher.subscribed()
        pusher.text(#"{"event":"pusher:error","data":{"code":4200}}"#)
        #expect(pusher.notes == [.serverError(code: 4200)])
        pusher.text(#"{"event":"pusher:error","data":{"code":4200}}"#)
        #expect(pusher.notes == [])
    }

    @Test("Soketi's shutdown is 4200 as an error and as a close: it reconnects with jitter")
    func soketiShutdown() {
        var pusher = Pusher.subscribed()
        #expect(pusher.text(#"{"event":"pusher:error","data":{"code":4200,"message":"Server closed"}}"#) == [])
        #expect(pusher.feed(.closed(code: 4200)) == [.tell(channel: "a", .down)])
        #expect(pusher.untilWake == .seconds(2))
    }

    @Test("reconnection never gives up: full jitter under 4, 8, 16, 32, then 60 s for ever")
    func endlessReconnection() {
        var pusher = Pusher()
        pusher.feed(.subscribe(channel: "a"))
        var waits: [Duration?] = []
        for _ in 0..<200 {
            pusher.feed(.openFailed)
            waits.append(pusher.untilWake)
            #expect(pusher.wake() == [.open])
        }
        #expect(waits.prefix(6) == [.seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30), .seconds(30)])
        #expect(waits.dropFirst(4).allSatisfy { $0 == .seconds(30) })
    }

    @Test("full jitter spreads a fleet over the whole wait", arguments: [1006, 4200])
    func fullJitter(code: Int) {
        for fraction in [0, 0.25, 0.75, 0.999] {
            var pusher = Pusher.subscribed()
            pusher.randomness = FixedRandomness(value: fraction)
            pusher.feed(.closed(code: code))
            #expect(abs((pusher.untilWake ?? .zero).inSeconds - 4 * fraction) < 0.001)
        }
    }

    @Test("a server that greets and drops at once is not hammered; a minute of health pays the failures off")
    func failuresArePaidOff() {
        var pusher = Pusher.subscribed()
        pusher.feed(.closed(code: 1006))
        _ = pusher.reconnect("2.2")
        pusher.authorised("a", "2.2")
        pusher.succeeded()
        pusher.feed(.closed(code: 1006))
        #expect(pusher.untilWake == .seconds(4))
        _ = pusher.reconnect("3.3")
        pusher.authorised("a", "3.3")
        pusher.succeeded()
        for _ in 0..<3 {
            pusher.wake()
            pusher.feed(.otherFrame)
        }
        pusher.feed(.closed(code: 1006))
        #expect(pusher.untilWake == .seconds(2))
    }

    @Test("the connection is closed when no channel is left, and nothing remains to wait for")
    func closedWhenIdle() {
        var pusher = Pusher.subscribed(["a", "b"])
        #expect(pusher.feed(.unsubscribe(channel: "a")) == [unsubscribe()])
        #expect(pusher.feed(.unsubscribe(channel: "b")) == [.close])
        #expect(pusher.machine.nextWake == nil)
        #expect(pusher.text(#"{"event":"pusher:ping"}"#) == [])
        #expect(pusher.feed(.closed(code: 1000)) == [])
        #expect(pusher.machine.isIdle && pusher.machine.nextWake == nil)
        #expect(pusher.feed(.subscribe(channel: "c")) == [.open])
    }

    @Test("never two sockets: a channel that comes while the old one closes waits for its end")
    func neverOverlap() {
        var pusher = Pusher.subscribed()
        #expect(pusher.feed(.unsubscribe(channel: "a")) == [.close])
        #expect(pusher.feed(.subscribe(channel: "b")) == [])
        #expect(pusher.feed(.closed(code: 1000)) == [.open])
    }

    @Test(
        "an attempt that nobody wants any more is dropped, even when it succeeds after all", arguments: [true, false])
    func abandonedOpening(succeeds: Bool) {
        var pusher = Pusher()
        pusher.feed(.subscribe(channel: "a"))
        #expect(pusher.feed(.unsubscribe(channel: "a")) == [.drop])
        if succeeds {
            #expect(pusher.feed(.opened) == [.drop])
            #expect(pusher.feed(.closed(code: 1006)) == [])
        } else {
            #expect(pusher.feed(.openFailed) == [])
        }
        #expect(pusher.machine.isIdle && pusher.machine.nextWake == nil)
    }

    @Test("a payment that goes and another that comes do not shorten a back-off, and nothing waits meanwhile")
    func backoffSurvivesIdleness() {
        var pusher = Pusher.subscribed()
        pusher.feed(.closed(code: 4001))
        pusher.feed(.unsubscribe(channel: "a"))
        #expect(pusher.machine.isIdle && pusher.machine.nextWake == nil)
        #expect(pusher.machine.isResting(at: pusher.now))
        #expect(pusher.feed(.subscribe(channel: "b")) == [])
        #expect(pusher.untilWake == .seconds(225))
        #expect(pusher.wake() == [.open])
    }

    @Test("a second greeting on one connection ends it")
    func secondGreeting() {
        var pusher = Pusher.subscribed()
        #expect(pusher.established("9.9") == [.drop, .tell(channel: "a", .down)])
    }
}
