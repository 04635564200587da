/// How many jobs may run at once towards one host.
///
/// Each look-up that hangs holds a thread of its own, even after its request gave up; so a host that is not known to resolve
/// gets few at a time.
final class HostGate {
    /// Concurrent jobs towards a host that is not known to resolve.
    static let maxUnresolved = 4
    /// Hosts remembered; beyond it all are forgotten, which costs no more than a look-up's wait.
    static let maxHosts = 1024

    private var known: Set<String> = []
    private var running: [String: Int] = [:]

    func mayStart(_ host: String) -> Bool {
        known.contains(host) || running[host, default: 0] < Self.maxUnresolved
    }

    func started(_ host: String) {
        running[host, default: 0] += 1
    }

    func ended(_ host: String) {
        running[host] = running[host].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    func resolved(_ host: String) {
        if known.count >= Self.maxHosts { known = [] }
        known.insert(host)
    }

    func didNotResolve(_ host: String) {
        known.remove(host)
    }
}
