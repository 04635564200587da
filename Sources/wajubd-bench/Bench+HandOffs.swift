import CSQLite
import FoundationEssentials
import Glibc
import JSON
import JSONRPC
import Platform

extension Bench {
    /// Durable hand-offs, against a bare insert loop with the same durability on the same disk. Wajub is silent meanwhile, so that
    /// nothing but the hand-off is measured.
    func handOffs() async throws {
        let bare = try bareInserts(count: 1500)
        let silence = try SilentServer()
        let (process, socket) = try await daemon("handoffs", origin: silence.origin)
        let one = try await handOffRate(clients: 1, each: 1500, socket: socket, name: "one")
        let many = try await handOffRate(clients: 64, each: 150, socket: socket, name: "many")
        await stop(process)
        silence.close()
        report("bare insert, WAL + FULL", "\(Int(bare)) a second (baseline)")
        report("durable hand-off, 1 client", "\((one / bare).short) of the baseline (\(Int(one)) a second; aim: 0.50)")
        report("durable hand-off, 64 clients", "\((many / bare).short) of the baseline (\(Int(many)) a second)")
        report("64 clients against 1", "\((many / one).short) times (aim: 5.00 of either)")
    }

    /// Each client is a till that blocks: a thread with a socket, and nothing of the bench's own in between.
    private func handOffRate(clients: Int, each: Int, socket: String, name: String) async throws -> Double {
        let channels = try (0..<clients).map { _ in try LineChannel(path: socket) }
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, channel) in channels.enumerated() {
                group.addTask {
                    let result = await withCheckedContinuation { continuation in
                        let thread = Result { () throws in
                            try OwnedThread.start {
                                continuation.resume(
                                    returning: Result { try Self.handOff("\(name)-\(number)", each, channel) })
                            }
                        }
                        if case .failure(let error) = thread { continuation.resume(returning: .failure(error)) }
                    }
                    try result.get()
                }
            }
            try await group.waitForAll()
        }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(clients * each) / (Double(seconds) + Double(attoseconds) / 1e18)
    }

    private static func handOff(_ till: String, _ count: Int, _ channel: LineChannel) throws {
        for turn in 0..<count {
            let params: [String: JSONValue] = ["token": .string("\(till)-\(turn)")]
            try channel.send(RPCLine.request(RPCRequest(id: .integer(1), method: "payment.watch", params: params)))
            guard let line = try channel.receive(), String(decoding: line, as: UTF8.self).contains("\"result\":") else {
                throw BenchError(what: "a hand-off was refused")
            }
        }
    }

    /// Rows of a hand-off's size, one transaction each.
    private func bareInserts(count: Int) throws -> Double {
        var database: OpaquePointer?
        guard sqlite3_open("\(directory)/bare.db", &database) == SQLITE_OK else { throw BenchError(what: "no SQLite") }
        defer { sqlite3_close(database) }
        func run(_ sql: String) throws {
            guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
                throw BenchError(what: "SQLite: \(String(cString: sqlite3_errmsg(database)))")
            }
        }
        try run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, row TEXT)")
        let row = String(repeating: "x", count: 600)
        let start = ContinuousClock.now
        for _ in 0..<count { try run("INSERT INTO t (row) VALUES ('\(row)')") }
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(count) / (Double(seconds) + Double(attoseconds) / 1e18)
    }
}

/// A port that takes connections and never says a word.
final class SilentServer: Sendable {
    private let descriptor: Int32
    let origin: String

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && listen(descriptor, 512) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard bound else { throw BenchError(what: "no port: \(errno)") }
        origin = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    }

    func close() { Glibc.close(descriptor) }
}
