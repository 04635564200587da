internal import CLinux
internal import Glibc

extension ServerLoop {
    private static let acceptsPerTurn = 64
    /// A closing connection ends the wait earlier; this is for descriptors that others in the process hold.
    private static let rearmDelay = Duration.seconds(1)

    static func openReserve() -> Int32 {
        CLinux_open_null()
    }

    /// Takes the clients that wait; what is left after a bounded number is told again.
    func acceptClients() throws(SystemError) {
        for _ in 0..<Self.acceptsPerTurn {
            guard case .armed = accepting else { return }
            let descriptor = CLinux_accept4(context.listener.descriptor)
            if descriptor >= 0 {
                admit(descriptor)
                continue
            }
            let code = errno
            switch code {
            case EAGAIN: return
            // The client left the queue again; a signal.
            case ECONNABORTED, EINTR: continue
            case EMFILE, ENFILE:
                if !refuseOneWithReserve() { try disarm() }
            case ENOBUFS, ENOMEM: try disarm()
            case _: throw SystemError(call: "accept4", code: code)
            }
        }
    }

    private func admit(_ descriptor: Int32) {
        guard hasPlace else { return refuse(descriptor) }
        lastID += 1
        do throws(SystemError) {
            try epoll.add(descriptor, key: lastID, events: Epoll.readable)
        } catch {
            // The kernel has no room to watch it: the client is told the same.
            return refuse(descriptor)
        }
        let connection = RPCConnection(
            id: lastID, peer: PeerCredentials(of: descriptor), limits: context.limits, inbox: context.inbox)
        channels[lastID] = ServerChannel(
            connection: connection, descriptor: descriptor, requestBytes: context.limits.requestBytes)
    }

    /// Requests outlive their connection, so clients that ask and leave again and again are bounded by their requests.
    private var hasPlace: Bool {
        let limits = context.limits
        return channels.count < limits.connections
            && context.inbox.requestsInFlight < limits.connections * limits.requestsInFlight
    }

    private func refuse(_ descriptor: Int32) {
        let line = RPCLine.answer(.failure(.tooManyClients), id: .null)
        // One short line fits a new socket; a client that has gone already does not miss it.
        _ = line.withUnsafeBytes { CLinux_send(descriptor, $0.baseAddress, $0.count) }
        SystemError.closeDescriptor(descriptor)
    }

    /// Out of descriptors, the one kept back serves to tell a client so. Whether that worked.
    private func refuseOneWithReserve() -> Bool {
        guard reserve >= 0 else { return false }
        SystemError.closeDescriptor(reserve)
        let descriptor = CLinux_accept4(context.listener.descriptor)
        let isEmpty = descriptor < 0 && errno == EAGAIN
        if descriptor >= 0 { refuse(descriptor) }
        reserve = Self.openReserve()
        return descriptor >= 0 || isEmpty
    }

    private func disarm() throws(SystemError) {
        try epoll.change(context.listener.descriptor, key: Self.listenerKey, events: 0)
        accepting = .disarmed(until: .now + Self.rearmDelay)
    }

    func rearmWhenDue() throws(SystemError) {
        guard case .disarmed(let until) = accepting, until <= .now else { return }
        if reserve < 0 { reserve = Self.openReserve() }
        try epoll.change(context.listener.descriptor, key: Self.listenerKey, events: Epoll.acceptable)
        accepting = .armed
    }

    /// A descriptor is free again.
    func descriptorFreed() {
        if case .disarmed = accepting { accepting = .disarmed(until: .now) }
    }
}
