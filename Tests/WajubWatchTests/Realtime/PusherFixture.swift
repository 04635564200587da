import Contract
import Platform
import PlatformTestSupport
import WajubWatch

/// Always the same fraction, so that a test can state the back-off.
struct FixedRandomness: Randomness {
    let value: Double

    func next() -> UInt64 { UInt64(value * 0x1p53) << 11 }
}

/// A machine with its clock, for tests that read as a conversation.
struct Pusher {
    typealias Action = PusherMachine.Action

    var machine = PusherMachine()
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var randomness: any Randomness = FixedRandomness(value: 0.5)
    /// Notes that came with the last event.
    private(set) var notes: [PusherMachine.Note] = []

    /// Feeds an event and returns the actions but the notes.
    @discardableResult
    mutating func feed(_ event: PusherMachine.Event) -> [Action] {
        let actions = machine.handle(event, at: now, randomness: randomness)
        notes = actions.compactMap { if case .note(let note) = $0 { note } else { nil } }
        return actions.filter { if case .note = $0 { false } else { true } }
    }

    /// Lets time pass without an event.
    mutating func pass(_ duration: Duration) {
        now = now + duration
    }

    /// Goes to the next wake and fires the timer; returns the actions.
    @discardableResult
    mutating func wake() -> [Action] {
        if let wake = machine.nextWake { now = max(now, wake) }
        return feed(.timerFired)
    }

    /// How long until the next wake.
    var untilWake: Duration? { machine.nextWake.map { $0 - now } }

    @discardableResult
    mutating func text(_ text: String) -> [Action] {
        feed(.text(text))
    }

    @discardableResult
    mutating func established(_ socketID: String = "1.1", timeout: String = "30") -> [Action] {
        text(
            #"{"event":"pusher:connection_established","data":"#
                + #""{\"socket_id\":\"\#(socketID)\",\"activity_timeout\":\#(timeout)}"}"#
        )
    }

    @discardableResult
    mutating func authorised(_ channel: String = "a", _ socketID: String = "1.1") -> [Action] {
        feed(.authorised(channel: channel, socketID: socketID, .success(authorization(channel))))
    }

    @discardableResult
    mutating func refused(_ channel: String = "a", _ socketID: String = "1.1", status: Int = 403) -> [Action] {
        let refusal = APIRefusal(httpStatus: status, code: ErrorCode(httpStatus: status))
        return feed(.authorised(channel: channel, socketID: socketID, .failure(.refused(refusal))))
    }

    @discardableResult
    mutating func succeeded(_ channel: String = "a") -> [Action] {
        text(#"{"event":"pusher_internal:subscription_succeeded","data":"{}","channel":"\#(channel)"}"#)
    }

    /// Joins a channel and gets as far as an established connection.
    static func greeted(_ channels: [String] = ["a"], timeout: String = "30") -> Pusher {
        var pusher = Pusher()
        for channel in channels { pusher.feed(.subscribe(channel: channel)) }
        pusher.feed(.opened)
        pusher.established(timeout: timeout)
        return pusher
    }

    /// Joins channels and gets them subscribed.
    static func subscribed(_ channels: [String] = ["a"], timeout: String = "30") -> Pusher {
        var pusher = Pusher.greeted(channels, timeout: timeout)
        for channel in channels {
            if channel != channels.first { pusher.wake() }
            pusher.authorised(channel)
            pusher.succeeded(channel)
        }
        return pusher
    }

    /// Reconnects after a loss, as far as an established connection.
    mutating func reconnect(_ socketID: String) -> [Action] {
        wake()
        feed(.opened)
        return established(socketID)
    }
}

func authorization(_ channel: String) -> ChannelAuthorization {
    ChannelAuthorization(auth: Secret("key:\(channel)"))
}

func subscribe(_ channel: String = "a") -> PusherMachine.Action {
    .send(#"{"data":{"auth":"key:\#(channel)","channel":"\#(channel)"},"event":"pusher:subscribe"}"#)
}

func unsubscribe(_ channel: String = "a") -> PusherMachine.Action {
    .send(#"{"data":{"channel":"\#(channel)"},"event":"pusher:unsubscribe"}"#)
}

let ping = PusherMachine.Action.send(#"{"data":{},"event":"pusher:ping"}"#)
let pong = PusherMachine.Action.send(#"{"data":{},"event":"pusher:pong"}"#)
