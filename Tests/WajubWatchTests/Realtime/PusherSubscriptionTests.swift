import Contract
import Platform
import Testing
import WajubWatch

@Suite("Pusher machine: the channels")
struct PusherMachineSubscriptionTests {
    @Test("connected is not subscribed: only the server's word for the channel makes it healthy")
    func healthyMeansSubscribed() {
        var pusher = Pusher.greeted()
        #expect(pusher.authorised() == [subscribe()])
        #expect(pusher.succeeded("other") == [])
        #expect(pusher.text(#"{"event":"pusher_internal:subscription_succeeded","data":{"channel":"a"}}"#) == [])
        #expect(pusher.succeeded() == [.tell(channel: "a", .subscribed)])
        #expect(pusher.succeeded() == [])
    }

    @Test("success without a subscribe in flight is not believed")
    func unaskedSuccess() {
        var pusher = Pusher.greeted()
        #expect(pusher.succeeded() == [])
    }

    @Test(
        "a refused subscription in each of its three shapes is retried slowly, the socket staying open",
        arguments: [
            #"{"event":"pusher:subscription_error","channel":"a","data":{"type":"AuthError","status":401}}"#,
            #"{"event":"pusher:error","data":"{\"code\":4009,\"message\":\"Connection is unauthorized\"}"}"#,
            #"{"event":"pusher_internal:subscription_error","channel":"a","data":"{}"}"#,
            #"{"event":"pusher_internal:subscription_error","data":"{}"}"#,
            #"{"event":"pusher:error","channel":"a","data":{"code":null}}"#,
        ])
    func threeShapes(text: String) {
        var pusher = Pusher.greeted()
        pusher.authorised()
        #expect(pusher.text(text) == [unsubscribe()])
        #expect(pusher.untilWake == .milliseconds(11_250))
        #expect(pusher.wake() == [.authorise(channel: "a", socketID: "1.1")])
    }

    @Test("4009 without a channel refuses nobody in particular while two are in flight: each has its own deadline")
    func refusalOfOneOfTwo() {
        var pusher = Pusher.greeted(["a", "b"])
        pusher.wake()
        pusher.authorised("a")
        pusher.authorised("b")
        #expect(pusher.text(#"{"event":"pusher:error","data":{"code":4009}}"#) == [])
        #expect(pusher.succeeded("b") == [.tell(channel: "b", .subscribed)])
        #expect(pusher.untilWake == .seconds(10))
        #expect(pusher.wake() == [unsubscribe("a")])
    }

    @Test("a subscription that nobody answers has its own deadline, and is left before it is asked for again")
    func subscriptionDeadline() {
        var pusher = Pusher.greeted()
        pusher.authorised()
        #expect(pusher.untilWake == .seconds(10))
        #expect(pusher.wake() == [unsubscribe()])
        #expect(pusher.succeeded() == [])
        #expect(pusher.untilWake == .milliseconds(3750))
        #expect(pusher.wake() == [.authorise(channel: "a", socketID: "1.1")])
    }

    @Test("a subscribed channel that is refused later goes down and is retried")
    func refusedLater() {
        var pusher = Pusher.subscribed()
        #expect(
            pusher.text(#"{"event":"pusher:subscription_error","channel":"a","data":{"status":403}}"#)
                == [.tell(channel: "a", .down), unsubscribe()])
        pusher.wake()
        pusher.authorised()
        #expect(pusher.succeeded() == [.tell(channel: "a", .subscribed)])
    }

    @Test("one refused authorisation does not leave the channel dead: slow retries, up to 5 minutes apart, for ever")
    func refusedAuthorisation() {
        var pusher = Pusher.greeted()
        var waits: [Double] = []
        for _ in 0..<50 {
            #expect(pusher.refused() == [])
            let start = pusher.now
            // Pings go on meanwhile, and are answered.
            var actions: [PusherMachine.Action] = []
            repeat {
                actions = pusher.wake()
                if actions == [ping] { pusher.feed(.otherFrame) }
            } while actions == [ping] || actions == []
            #expect(actions.last == .authorise(channel: "a", socketID: "1.1"))
            waits.append((pusher.now - start).inSeconds)
        }
        #expect(waits.prefix(7) == [11.25, 22.5, 45, 90, 180, 225, 225])
        #expect(waits.dropFirst(7).allSatisfy { $0 == 225 })
    }

    @Test("a token refused after a reconnect slows down its channel only", arguments: [401, 403, 404, 410, 422])
    func refusedChannelOnly(status: Int) {
        var pusher = Pusher.subscribed(["a", "b"])
        pusher.feed(.closed(code: 1006))
        #expect(pusher.reconnect("2.2") == [.authorise(channel: "a", socketID: "2.2")])
        #expect(pusher.wake() == [.authorise(channel: "b", socketID: "2.2")])
        #expect(pusher.refused("a", "2.2", status: status) == [])
        #expect(pusher.authorised("b", "2.2") == [subscribe("b")])
        #expect(pusher.succeeded("b") == [.tell(channel: "b", .subscribed)])
    }

    @Test(
        "an authorisation without an answer is retried sooner, and Retry-After is obeyed",
        arguments: [
            (nil, 3.75), (Duration.seconds(20), 20),
        ] as [(Duration?, Double)])
    func unansweredAuthorisation(retryAfter: Duration?, seconds: Double) {
        var pusher = Pusher.greeted()
        let failure = CallFailure.unanswered(
            Unanswered(.notJSON, reason: "HTML", httpStatus: 200, retryAfter: retryAfter))
        #expect(pusher.feed(.authorised(channel: "a", socketID: "1.1", .failure(failure))) == [])
        #expect(pusher.untilWake == .seconds(seconds))
        #expect(pusher.wake() == [.authorise(channel: "a", socketID: "1.1")])
    }

    @Test("an authorisation of which no answer ever comes is timed out")
    func authorisationDeadline() {
        var pusher = Pusher.greeted()
        #expect(pusher.untilWake == .seconds(20))
        #expect(pusher.wake() == [])
        #expect(pusher.notes == [.subscriptionMissed(.authorisationUnanswered)])
        // Its late answer changes nothing.
        #expect(pusher.authorised() == [])
        #expect(pusher.wake() == [.authorise(channel: "a", socketID: "1.1")])
    }

    @Test("the new socket_id needs every channel authorised anew")
    func reauthorised() {
        var pusher = Pusher.subscribed(["a", "b"])
        #expect(pusher.feed(.closed(code: 1006)) == [.tell(channel: "a", .down), .tell(channel: "b", .down)])
        #expect(pusher.reconnect("2.2") == [.authorise(channel: "a", socketID: "2.2")])
        #expect(pusher.wake() == [.authorise(channel: "b", socketID: "2.2")])
        #expect(pusher.authorised("a", "2.2") == [subscribe("a")])
        #expect(pusher.succeeded("a") == [.tell(channel: "a", .subscribed)])
    }

    @Test("a late answer for an old socket_id is thrown away")
    func lateAuthorisation() {
        var pusher = Pusher.greeted()
        pusher.feed(.closed(code: 1006))
        #expect(pusher.authorised("a", "1.1") == [])
        #expect(pusher.reconnect("2.2") == [.authorise(channel: "a", socketID: "2.2")])
        #expect(pusher.authorised("a", "1.1") == [])
        #expect(pusher.refused("a", "1.1") == [])
        #expect(pusher.authorised("a", "2.2") == [subscribe()])
    }

    @Test("a new connection does not shorten a refused channel's wait")
    func refusalOutlivesSocket() {
        var pusher = Pusher.greeted()
        for _ in 0..<5 {
            pusher.refused()
            while pusher.wake() != [.authorise(channel: "a", socketID: "1.1")] { pusher.feed(.otherFrame) }
        }
        pusher.refused()
        let retry = pusher.now + .seconds(225)
        pusher.feed(.closed(code: 1006))
        #expect(pusher.reconnect("2.2") == [])
        while pusher.wake() != [.authorise(channel: "a", socketID: "2.2")] { pusher.feed(.otherFrame) }
        #expect(pusher.now == retry)
    }

    @Test("only one subscribe is in flight per channel, however often it is joined and authorised")
    func oneInFlight() {
        var pusher = Pusher.greeted()
        #expect(pusher.feed(.subscribe(channel: "a")) == [])
        #expect(pusher.authorised() == [subscribe()])
        #expect(pusher.authorised() == [])
        #expect(pusher.feed(.subscribe(channel: "a")) == [])
        pusher.succeeded()
        #expect(pusher.feed(.subscribe(channel: "a")) == [.tell(channel: "a", .subscribed)])
    }

    @Test("a channel that is left while it is authorised is not subscribed")
    func leftWhileAuthorised() {
        var pusher = Pusher.subscribed(["a"])
        pusher.pass(.seconds(1))
        #expect(pusher.feed(.subscribe(channel: "b")) == [.authorise(channel: "b", socketID: "1.1")])
        #expect(pusher.feed(.unsubscribe(channel: "b")) == [])
        #expect(pusher.authorised("b") == [])
    }

    @Test("subscriptions are paced: 50 a second, and 8 authorisations under way at once")
    func paced() {
        let channels = (0..<20).map { "c\($0)" }
        var pusher = Pusher.greeted(channels)
        var asked = 1
        let start = pusher.now
        while asked < 8 {
            #expect(pusher.untilWake == .milliseconds(20))
            #expect(pusher.wake() == [.authorise(channel: "c\(asked)", socketID: "1.1")])
            asked += 1
        }
        #expect(pusher.now - start == .milliseconds(140))
        pusher.pass(.seconds(1))
        #expect(pusher.feed(.timerFired) == [])
        #expect(pusher.authorised("c3") == [subscribe("c3"), .authorise(channel: "c8", socketID: "1.1")])
    }

    @Test("after 4301 dropped the excess, subscriptions start 1.5 s apart for the rest of the connection")
    func carefulPace() {
        var pusher = Pusher.greeted(["a", "b", "c"])
        pusher.text(#"{"event":"pusher:error","data":{"code":4301,"message":"Rate limit"}}"#)
        #expect(pusher.untilWake == .milliseconds(1500))
        #expect(pusher.wake() == [.authorise(channel: "b", socketID: "1.1")])
        #expect(pusher.untilWake == .milliseconds(1500))
    }

    @Test("1,000 channels on one connection are all subscribed")
    func thousandChannels() {
        let channels = (0..<1000).map { "c\($0)" }
        var pusher = Pusher.greeted(channels)
        var subscribed = 0
        var waiting = [PusherMachine.Action.authorise(channel: "c0", socketID: "1.1")]
        while subscribed < channels.count {
            if waiting.isEmpty { waiting = pusher.wake() }
            guard case .authorise(let channel, _)? = waiting.first else {
                Issue.record("\(waiting)")
                return
            }
            #expect(pusher.authorised(channel) == [subscribe(channel)])
            waiting = []
            #expect(pusher.succeeded(channel) == [.tell(channel: channel, .subscribed)])
            subscribed += 1
        }
    }

    @Test("channel_data is passed on")
    func channelData() {
        var pusher = Pusher.greeted()
        let authorization = ChannelAuthorization(auth: Secret("k:s"), channelData: #"{"user":1}"#)
        #expect(
            pusher.feed(.authorised(channel: "a", socketID: "1.1", .success(authorization))) == [
                .send(
                    #"{"data":{"auth":"k:s","channel":"a","channel_data":"{\"user\":1}"},"event":"pusher:subscribe"}"#
                )
            ])
    }

    @Test(
        "both event names are accepted, with data in every shape",
        arguments: [
            "PaymentStatusUpdated", #"App\\Events\\PaymentStatusUpdated"#,
        ],
        [
            (#"{"status":"paid"}"#, "paid"), (#""{\"status\":\"paid\"}""#, "paid"),
            (#""\"{\\\"status\\\":\\\"paid\\\"}\"""#, "paid"),
            (#""paid""#, "paid"), ("{}", "unknown"), (#""{}""#, "unknown"), ("null", "unknown"), ("[]", "unknown"),
            (#"{"status":null}"#, "unknown"), (#"{"status":"failed","payment":{"x":[1,{}]}}"#, "failed"),
            (#""""#, "unknown"),
        ])
    func events(name: String, data: (String, String)) {
        var pusher = Pusher.subscribed()
        #expect(
            pusher.text(#"{"event":"\#(name)","channel":"a","data":\#(data.0)}"#)
                == [.deliver(channel: "a", status: data.1)])
    }

    @Test("an event without data is a hint as well; the leading dot is never sent, and other channels are not ours")
    func otherEvents() {
        var pusher = Pusher.subscribed()
        #expect(
            pusher.text(#"{"event":"PaymentStatusUpdated","channel":"a"}"#) == [
                .deliver(channel: "a", status: "unknown")
            ])
        #expect(pusher.text(#"{"event":".PaymentStatusUpdated","channel":"a","data":"paid"}"#) == [])
        #expect(pusher.text(#"{"event":"PaymentStatusUpdated","channel":"b","data":"paid"}"#) == [])
        #expect(pusher.text(#"{"event":"PaymentStatusUpdated","data":"paid"}"#) == [])
        #expect(pusher.text(#"{"event":"client-x","channel":"a","data":"paid"}"#) == [])
    }

    @Test("data nested without end does not hurt")
    func deepData() {
        var pusher = Pusher.subscribed()
        let deep = String(repeating: "[", count: 100_000)
        #expect(pusher.text(#"{"event":"PaymentStatusUpdated","channel":"a","data":\#(deep)}"#) == [])
    }
}
