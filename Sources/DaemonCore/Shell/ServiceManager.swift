internal import CSystemd
internal import Glibc
internal import Platform

/// What the daemon and systemd tell each other. Says nothing where there is no systemd.
struct ServiceManager: Sendable {
    /// What is wrong with the sockets that were passed.
    struct ActivationError: Error, CustomStringConvertible {
        let description: String
    }

    /// The listening socket of socket activation; nil where the daemon makes its own.
    ///
    /// - throws: where something else was passed than one listening Unix stream socket.
    func passedSocket() throws(ActivationError) -> Int32? {
        // The variables are for this process alone.
        let count = sd_listen_fds(1)
        if count == 0 { return nil }
        guard count == 1 else {
            throw ActivationError(description: count < 0 ? "the passed sockets cannot be read" : "\(count) sockets were passed, not one")
        }
        // SD_LISTEN_FDS_START; systemd passes them from 3 on, and close-on-exec is set by the call above.
        let descriptor: Int32 = 3
        guard sd_is_socket_unix(descriptor, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
            throw ActivationError(description: "the passed socket is no listening Unix stream socket")
        }
        return descriptor
    }

    func ready() { notify("READY=1") }
    func stopping() { notify("STOPPING=1\nSTATUS=Stopping") }
    func watchdog() { notify("WATCHDOG=1") }

    /// One line for `systemctl status`.
    func status(_ text: String) { notify("STATUS=" + text) }

    /// Brackets a reload (SIGHUP), as `Type=notify-reload` wants it.
    func reloading(at now: UInt64) { notify("RELOADING=1\nMONOTONIC_USEC=\(now)") }

    /// How often to prove that the daemon lives: half of what systemd allows; nil: not at all.
    var watchdogInterval: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(microseconds / 2))
    }

    private func notify(_ state: String) {
        // Without systemd it returns 0; a failed datagram is systemd's to notice, by its own timeouts.
        _ = sd_notify(0, state)
    }
}
