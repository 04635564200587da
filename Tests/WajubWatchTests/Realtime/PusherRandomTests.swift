import Contract
import Platform
import PlatformTestSupport
import Testing
import WajubWatch

/// The world around a machine: a server, an API and payments that do anything which can happen, by seed, and a model
/// that knows what the machine may do.
private struct World {
    private enum Socket { case none, opening, open, ending }

    private let randomness: SeededRandomness
    private var pusher = Pusher()
    private var socket = Socket.none
    private var socketID: String?
    private var serial = 0
    private var joined: Set<String> = []
    private var told: Set<String> = []
    private var inFlight: Set<String> = []
    private var acknowledged: Set<String> = []
    private var authorisations: [(channel: String, socketID: String)] = []
    private(set) var complaint: String?

    init(seed: UInt64) {
        randomness = SeededRandomness(seed: seed)
        pusher.randomness = SeededRandomness(seed: ~seed)
    }

    private mutating func check(_ holds: Bool, _ rule: String) {
        if !holds, complaint == nil { complaint = rule }
    }

    private func pick(_ count: Int) -> Int { Int(randomness.next() % UInt64(count)) }

    private mutating func feed(_ event: PusherMachine.Event) {
        for action in pusher.feed(event) {
            switch action {
            case .open:
                check(socket == .none, "two opens at once")
                socket = .opening
            case .drop, .close:
                check(socket != .none, "an end without a connection")
                if socket != .opening || action == .close { socket = .ending }
                lost()
            case .send(let text): sent(text)
            case .authorise(let channel, let id):
                check(id == socketID, "authorised for an old socket")
                check(joined.contains(channel), "authorised without anybody joined")
                authorisations.append((channel, id))
            case .tell(let channel, .subscribed):
                check(acknowledged.contains(channel), "subscribed without subscription_succeeded on this socket")
                told.insert(channel)
            case .tell(let channel, .down):
                check(told.remove(channel) != nil, "down without having been subscribed")
            case .deliver(let channel, _): check(joined.contains(channel), "delivered to nobody")
            case .note: break
            }
        }
        let ioUnderWay = socket == .opening || socket == .ending
        check(joined.isEmpty || ioUnderWay || pusher.machine.nextWake != nil, "dead: no wake and nothing under way")
        check(!pusher.machine.isIdle || (joined.isEmpty && socket == .none), "idle with a channel or a connection")
        check(!joined.isEmpty || pusher.machine.nextWake == nil, "a timer without a channel")
        check(socketID != nil || told.isEmpty, "subscribed without a connection")
    }

    private mutating func sent(_ text: String) {
        check(socket == .open, "sent without a connection")
        guard let channel = ["a", "b", "c", "d"].first(where: { text.contains(#""channel":"\#($0)""#) }) else { return }
        if text.contains("pusher:subscribe") {
            check(inFlight.insert(channel).inserted, "two subscribes in flight for one channel")
            check(!acknowledged.contains(channel), "subscribed twice on one socket")
        } else {
            inFlight.remove(channel)
            acknowledged.remove(channel)
        }
    }

    private mutating func lost() {
        socketID = nil
        inFlight = []
        acknowledged = []
    }

    private mutating func ended(_ event: PusherMachine.Event) {
        socket = .none
        lost()
        feed(event)
    }

    mutating func step() {
        let channel = ["a", "b", "c", "d"][pick(4)]
        switch pick(16) {
        case 0, 1:
            joined.insert(channel)
            feed(.subscribe(channel: channel))
        case 2:
            joined.remove(channel)
            told.remove(channel)
            feed(.unsubscribe(channel: channel))
        case 3, 4:
            if let wake = pusher.machine.nextWake { pusher.now = max(pusher.now, wake) }
            feed(.timerFired)
        case 5:
            pusher.pass(.milliseconds(pick(pick(10) == 0 ? 4_000_000 : 20_000)))
            feed(.timerFired)
        case 6, 7: finishAuthorisation()
        case 8, 9, 10: moveSocket()
        case 11: speak(#"{"event":"PaymentStatusUpdated","channel":"\#(channel)","data":{"status":"paid"}}"#)
        case 12: answerSubscribe()
        case 13: refuseSubscribe(channel)
        case 14:
            speak(#"{"event":"pusher:error","data":{"code":\#([4009, 4200, 4301, 4001, 4100, 4201, 0][pick(7)])}}"#)
        default: speak([#"{"event":"pusher:ping"}"#, #"{"event":"pusher:pong"}"#, "", "{}", #"{"event":5}"#][pick(5)])
        }
    }

    private mutating func speak(_ text: String) {
        guard socket == .open else { return }
        feed(.text(text))
    }

    private mutating func moveSocket() {
        switch socket {
        case .none: break
        case .opening:
            if pick(3) == 0 {
                ended(.openFailed)
            } else {
                socket = .open
                feed(.opened)
            }
        case .open:
            if socketID == nil, pick(4) != 0 {
                serial += 1
                socketID = "\(serial).1"
                feed(.text(#"{"event":"pusher:connection_established","data":{"socket_id":"\#(serial).1"}}"#))
            } else if pick(4) == 0 {
                ended(.closed(code: [1006, 4200, 4001, 4009, 4100, 1000][pick(6)]))
            } else {
                feed(.otherFrame)
            }
        case .ending: ended(.closed(code: 1006))
        }
    }

    private mutating func finishAuthorisation() {
        guard !authorisations.isEmpty else { return }
        let (channel, id) = authorisations.remove(at: pick(authorisations.count))
        let failures: [CallFailure] = [
            .refused(APIRefusal(httpStatus: 403, code: .blocked)), .unanswered(Unanswered(.timeout, reason: "x")),
        ]
        let kind = pick(4)
        let result: Result<ChannelAuthorization, CallFailure> =
            kind < 2 ? .success(authorization(channel)) : .failure(failures[kind - 2])
        feed(.authorised(channel: channel, socketID: id, result))
    }

    private mutating func answerSubscribe() {
        guard socket == .open, let channel = inFlight.min() else { return }
        inFlight.remove(channel)
        acknowledged.insert(channel)
        feed(.text(#"{"event":"pusher_internal:subscription_succeeded","channel":"\#(channel)"}"#))
    }

    private mutating func refuseSubscribe(_ channel: String) {
        guard socket == .open, inFlight.remove(channel) != nil || acknowledged.remove(channel) != nil else { return }
        feed(.text(#"{"event":"pusher:subscription_error","channel":"\#(channel)","data":{"status":401}}"#))
    }

    /// With a world that turns kind, every channel is subscribed in the end.
    mutating func recover() {
        joined.insert("a")
        feed(.subscribe(channel: "a"))
        for _ in 0..<10_000 where told != joined {
            switch socket {
            case .opening:
                socket = .open
                feed(.opened)
            case .ending: ended(.closed(code: 1006))
            case .open where socketID == nil: moveSocket()
            case .open where !authorisations.isEmpty:
                let (channel, id) = authorisations.removeLast()
                feed(.authorised(channel: channel, socketID: id, .success(authorization(channel))))
            case .open where !inFlight.isEmpty: answerSubscribe()
            case .open, .none:
                if let wake = pusher.machine.nextWake { pusher.now = max(pusher.now, wake) }
                feed(.timerFired)
                if socket == .open { feed(.otherFrame) }
            }
        }
        check(told == joined, "not every channel was subscribed in a kind world")
    }
}

@Suite("Pusher machine: anything that can happen")
struct PusherMachineRandomTests {
    @Test("never two connections, two subscribes, a false health or a dead end, whatever happens", arguments: 0..<8)
    func anything(block: UInt64) {
        for seed in block * 250..<(block + 1) * 250 {
            var world = World(seed: seed)
            for _ in 0..<120 where world.complaint == nil { world.step() }
            if world.complaint == nil { world.recover() }
            #expect(world.complaint == nil, "seed \(seed)")
        }
    }
}
