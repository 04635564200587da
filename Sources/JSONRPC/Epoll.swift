internal import CLinux
internal import Glibc

/// An epoll instance and the eventfd that wakes it from other threads.
///
/// Connections are edge-triggered: one registration each, and a connection that is not read from for a while costs no
/// wake-ups. The listener is level-triggered, so that what one turn leaves unaccepted is told again.
final class Epoll {
    /// What happened to one registration.
    struct Event {
        let key: UInt64
        let events: UInt32

        /// Both directions are shut: nobody will read an answer.
        var isHungUp: Bool { events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
    }

    static let readable = EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
    static let readableAndWritable = readable | EPOLLOUT.rawValue
    static let acceptable = EPOLLIN.rawValue

    private let descriptor: Int32
    private var buffer = [epoll_event](repeating: epoll_event(), count: 128)

    init() throws(SystemError) {
        descriptor = try SystemError.check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    }

    deinit { SystemError.closeDescriptor(descriptor) }

    func add(_ target: Int32, key: UInt64, events: UInt32) throws(SystemError) {
        try control(EPOLL_CTL_ADD, target, key, events)
    }

    /// Changes what is waited for; an edge that is there already is told again.
    func change(_ target: Int32, key: UInt64, events: UInt32) throws(SystemError) {
        try control(EPOLL_CTL_MOD, target, key, events)
    }

    func remove(_ target: Int32) throws(SystemError) {
        try control(EPOLL_CTL_DEL, target, 0, 0)
    }

    /// What happened, at most 128 at once; empty after `milliseconds` (-1: no limit) or a signal.
    func wait(milliseconds: Int32) throws(SystemError) -> [Event] {
        let count = epoll_wait(descriptor, &buffer, Int32(buffer.count), milliseconds)
        if count < 0 {
            let code = errno
            if code == EINTR { return [] }
            throw SystemError(call: "epoll_wait", code: code)
        }
        return buffer.prefix(Int(count)).map { Event(key: $0.data.u64, events: $0.events) }
    }

    private func control(_ operation: Int32, _ target: Int32, _ key: UInt64, _ events: UInt32) throws(SystemError) {
        var event = epoll_event(events: events, data: epoll_data_t(u64: key))
        try SystemError.check("epoll_ctl") { epoll_ctl(descriptor, operation, target, &event) }
    }
}
