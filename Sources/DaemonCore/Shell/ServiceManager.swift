internal import CSystemd
internal import Glibc
internal import Platform

/// What the daemon and systemd tell each other. Says nothing where there is no systemd.
struct ServiceManager: Sendable {
    /// What is wrong with the sockets that were passed.
    struct ActivationError: Error, CustomStringConvertible {
        let description: String
    }

    private let log: Log

    /// - parameter log: is told when systemd is there and cannot be reached.
    init(log: Log = .none) {
        self.log = log
    }

    /// The listening socket of socket activation; nil where the daemon makes its own. Asked once, before there are
    /// threads that look at the environment: its variables are taken away, since they are for this process alone.
    ///
    /// - throws: where something else was passed than one listening Unix stream socket.
    func passedSocket() throws(ActivationError) -> Int32? {
        let count = sd_listen_fds(1)
        if count == 0 { return nil }
        guard count > 0 else {
            throw ActivationError(description: "the passed sockets cannot be read: \(Self.text(of: -count))")
        }
        guard count == 1 else { throw ActivationError(description: "\(count) sockets were passed, not one") }
        // SD_LISTEN_FDS_START; systemd passes them from 3 on, and close-on-exec is set by the call above.
        let descriptor: Int32 = 3
        let answer = sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0)
        guard answer >= 0 else {
            throw ActivationError(description: "the passed socket cannot be looked at: \(Self.text(of: -answer))")
        }
        guard answer > 0 else {
            throw ActivationError(description: "the passed socket is no listening Unix stream socket")
        }
        return descriptor
    }

    /// The daemon serves; after ``reloading(at:)`` also: it has read its configuration again.
    func ready() { notify("READY=1") }

    /// The daemon was asked to end and is at it.
    func stopping() { notify("STOPPING=1\nSTATUS=Stopping") }

    /// The daemon lives (``Watchdog``).
    func watchdog() { notify("WATCHDOG=1") }

    /// One line for `systemctl status`.
    func status(_ text: String) {
        // A line break would begin a message of another kind.
        notify("STATUS=" + String(text.map { $0.isNewline ? " " : $0 }))
    }

    /// Begins a reload (SIGHUP), as `Type=notify-reload` wants it; ``ready()`` ends it.
    ///
    /// - parameter now: microseconds of `CLOCK_MONOTONIC`, and of no other clock (sd_notify(3)).
    func reloading(at now: UInt64 = monotonicMicroseconds) { notify("RELOADING=1\nMONOTONIC_USEC=\(now)") }

    private static var monotonicMicroseconds: UInt64 {
        var time = timespec()
        // Cannot fail: the clock exists on every Linux and the pointer is valid.
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
    }

    /// How often to prove that the daemon lives: half of what systemd allows; nil: not at all.
    var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        let answer = sd_watchdog_enabled(0, &microseconds)
        if answer < 0 {
            log.error("the watchdog's interval cannot be read", ("reason", Self.text(of: -answer)))
        }
        guard answer > 0 else { return nil }
        return .microseconds(Int64(microseconds / 2))
    }

    private func notify(_ state: String) {
        let answer = sd_notify(0, state)
        // 0 is: no systemd.
        guard answer < 0 else { return }
        log.error("systemd could not be told", ("message", state), ("reason", Self.text(of: -answer)))
    }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }
}
