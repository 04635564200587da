import Contract
import Platform
import PlatformTestSupport
import Testing
import Transport
import WajubWatch

@Suite("Realtime hub", .timeLimit(.minutes(10)))
struct RealtimeHubTests {
    @Test("the connection goes to the address that the protocol names, with its bounds")
    func address() async throws {
        try await HubFixture.run { world in
            let (_, membership) = world.join("private-payment.a", key: "k/1")
            let request = try await world.server.requests.next()
            #expect(request.url == "wss://ws.example:443/app/k%2F1?protocol=7&client=wajubd&version=1.2.3")
            #expect(request.connectTimeout == .seconds(10))
            #expect(request.maxMessageBytes == 1 << 20)
            world.hub.leave(membership)
        }
    }

    @Test("two payments share one connection, each authorised with its own token and told its own news")
    func shared() async throws {
        try await HubFixture.run { world in
            let (first, _, peer) = try await world.subscribed("a", token: "tokA")
            #expect(try await world.server.authorisations.next() == "tokA 1.1 a")
            let (second, _) = world.join("b", token: "tokB")
            world.time.advance(by: .milliseconds(20))
            #expect(try await world.server.authorisations.next() == "tokB 1.1 b")
            let text = try await peer.nextText()
            #expect(text.contains("signature-of-b"))
            peer.subscribed("b")
            #expect(try await second.next() == .connected)
            peer.say(#"{"event":"PaymentStatusUpdated","channel":"b","data":"{\"status\":\"paid\"}"}"#)
            #expect(try await second.next() == .signal("paid"))
            peer.say(#"{"event":"PaymentStatusUpdated","channel":"a","data":{"status":"failed"}}"#)
            #expect(try await first.next() == .signal("failed"))
            #expect(world.hub.counts == (connected: 2, connecting: 0))
        }
    }

    @Test("other keys have connections of their own")
    func otherKeys() async throws {
        try await HubFixture.run { world in
            _ = world.join("a", key: "k1")
            _ = world.join("a", key: "k2")
            let urls = [try await world.server.requests.next().url, try await world.server.requests.next().url]
            #expect(
                Set(urls.map { $0.split(separator: "?").first }) == [
                    "wss://ws.example:443/app/k1", "wss://ws.example:443/app/k2",
                ])
            #expect(world.hub.counts == (connected: 0, connecting: 2))
        }
    }

    @Test("when the last payment leaves the connection is closed, nothing is left, and the next one opens anew")
    func idle() async throws {
        try await HubFixture.run { world in
            let (_, first, peer) = try await world.subscribed("a")
            world.hub.leave(first)
            #expect(try await peer.deeds.next() == .closed(code: 1000))
            #expect(world.hub.counts == (connected: 0, connecting: 0))
            let (news, _) = world.join("b")
            _ = try await world.accept("b", socketID: "2.2")
            #expect(try await news.next() == .connected)
        }
    }

    @Test(
        "after a restart of the server it waits its jitter, authorises anew and tells that it is connected again",
        arguments: [1006, 4200])
    func restart(code: Int) async throws {
        try await HubFixture.run { world in
            let (news, _, peer) = try await world.subscribed("a")
            peer.end(code: code)
            #expect(try await news.next() == .connecting)
            #expect(world.hub.counts == (connected: 0, connecting: 1))
            world.time.advance(by: .seconds(2))
            _ = try await world.accept("a", socketID: "2.2")
            #expect(try await world.server.authorisations.next() == "tok 1.1 a")
            #expect(try await world.server.authorisations.next() == "tok 2.2 a")
            #expect(try await news.next() == .connected)
        }
    }

    @Test("a half-open socket is found by ping and pong deadline, dropped hard and replaced")
    func halfOpen() async throws {
        try await HubFixture.run { world in
            let (news, _, peer) = try await world.subscribed("a")
            world.time.advance(by: .seconds(30))
            let text = try await peer.nextText()
            #expect(text.contains("pusher:ping"))
            world.time.advance(by: .seconds(30))
            #expect(try await peer.deeds.next() == .dropped)
            #expect(try await news.next() == .connecting)
            world.time.advance(by: .seconds(2))
            _ = try await world.accept("a", socketID: "2.2")
            #expect(try await news.next() == .connected)
        }
    }

    @Test("a server that cannot be reached is asked again and again")
    func unreachable() async throws {
        try await HubFixture.run { world in
            world.server.become(.fails)
            _ = world.join("a")
            for _ in 0..<10 {
                _ = try await world.server.requests.next()
                await world.time.sleeperArrived()
                world.time.advance(to: try #require(world.time.nextDeadline))
            }
            world.server.become(.opens)
            _ = try await world.server.requests.next()
            await world.time.sleeperArrived()
            world.time.advance(to: try #require(world.time.nextDeadline))
            _ = try await world.server.peers.next()
        }
    }

    @Test("two payments on one channel are one subscription; a refused token gives way to the other's")
    func sameChannel() async throws {
        try await HubFixture.run { world in
            world.server.refuse(Secret("bad"))
            let (first, leaving) = world.join("a", token: "bad")
            let (second, _) = world.join("a", token: "good")
            let peer = try await world.server.peers.next()
            peer.greet("1.1")
            #expect(try await world.server.authorisations.next() == "bad 1.1 a")
            try await world.log.wait(for: "authorisation refused")
            world.time.advance(by: .milliseconds(11_250))
            #expect(try await world.server.authorisations.next() == "good 1.1 a")
            _ = try await peer.nextText()
            peer.subscribed("a")
            #expect(try await first.next() == .connected)
            #expect(try await second.next() == .connected)
            let (third, _) = world.join("a", token: "late")
            #expect(try await third.next() == .connected)
            #expect(world.hub.counts == (connected: 3, connecting: 0))
            world.hub.leave(leaving)
            peer.say(#"{"event":"PaymentStatusUpdated","channel":"a","data":"paid"}"#)
            #expect(try await second.next() == .signal("paid"))
            #expect(try await third.next() == .signal("paid"))
        }
    }

    @Test("a payment that leaves while its server hangs ends the attempt at once")
    func leavesWhileHanging() async throws {
        try await HubFixture.run { world in
            world.server.become(.hangs)
            let (_, membership) = world.join("a")
            _ = try await world.server.requests.next()
            world.server.become(.opens)
            world.hub.leave(membership)
            let (news, _) = world.join("b")
            _ = try await world.accept("b", socketID: "1.1")
            #expect(try await news.next() == .connected)
        }
    }

    @Test("a server that asked to be left alone is, also by the next payment")
    func resting() async throws {
        try await HubFixture.run { world in
            let (news, membership, peer) = try await world.subscribed("a")
            peer.end(code: 4001)
            #expect(try await news.next() == .connecting)
            world.hub.leave(membership)
            _ = world.join("b")
            world.time.advance(by: .seconds(224))
            await world.time.sleeperArrived()
            #expect(world.server.openSockets == 0)
            world.time.advance(by: .seconds(1))
            _ = try await world.server.peers.next()
        }
    }

    @Test("a channel name that no server takes is never asked for")
    func illegalName() async throws {
        try await HubFixture.run { world in
            let (_, membership) = world.join("private payment/a")
            #expect(world.hub.counts == (connected: 0, connecting: 1))
            let (_, legal) = world.join("b", key: "k2")
            let request = try await world.server.requests.next()
            #expect(request.url.contains("/app/k2?"))
            world.hub.leave(membership)
            world.hub.leave(legal)
            #expect(world.hub.counts == (connected: 0, connecting: 0))
        }
    }

    @Test("payments that come and go leave no socket, no timer and never two sockets")
    func churn() async throws {
        try await HubFixture.run { world in
            for round in 0..<200 {
                let (news, membership) = world.join("c\(round)")
                if round % 3 == 0 {
                    _ = try await world.accept("c\(round)", socketID: "\(round).1")
                    #expect(try await news.next() == .connected)
                } else if round % 3 == 1 {
                    // Left at any moment of its opening: whatever became of it, the next one must find a free place.
                    await Task.yield()
                }
                world.hub.leave(membership)
                if round % 3 != 0 { try await settle(world) }
            }
        }
    }

    /// Joins and leaves until a payment gets through, past sockets that were opened for nobody.
    private func settle(_ world: HubFixture) async throws {
        let (news, membership) = world.join("settle")
        var isSubscribed = false
        while !isSubscribed {
            let peer = try await world.server.peers.next()
            peer.greet("s.1")
            // A subscribe, or the end of a socket that nobody wanted.
            if case .sent = try await peer.deeds.next() {
                peer.subscribed("settle")
                isSubscribed = true
            }
        }
        #expect(try await news.next() == .connected)
        world.hub.leave(membership)
    }

    @Test("the log tells what happened, without tokens, signatures or channels")
    func logs() async throws {
        let lines = Happenings<String>()
        try await HubFixture.run { world in
            let (news, _, peer) = try await world.subscribed("private-payment.secret", token: "tok_secret")
            peer.say(#"{"event":"pusher:error","data":{"code":4200,"message":"secret"}}"#)
            peer.end(code: 1006)
            #expect(try await news.next() == .connecting)
            world.time.advance(by: .seconds(2))
            _ = try await world.accept("private-payment.secret", socketID: "2.2")
            #expect(try await news.next() == .connected)
            lines.add(world.log.text)
        }
        let text = try await lines.next()
        #expect(text.contains("Realtime connected"))
        #expect(text.contains("closed with 1006"))
        #expect(text.contains("code=4200"))
        #expect(!text.contains("secret") && !text.contains("signature"))
    }
}
