import Contract
import FoundationEssentials
import Glibc
import Platform
import PlatformTestSupport
import Store
import StoreTestSupport
import Synchronization

/// A directory that is there for one test.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = "/tmp/wajubd-store-" + SystemRandomness().hex128()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("cannot remove \(path): \(error)")
        }
    }

    var database: String { path + "/wajubd.sqlite3" }
    var log: String { database + "-wal" }

    func size(_ file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    func mode(_ file: String) -> mode_t {
        var status = stat()
        return stat(file, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    /// The numbers of the tokens of which any piece is in any of the files.
    func tokens() throws -> Set<Int> {
        var found: Set<Int> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path + "/" + name)))
            // Every piece of a token has its mark, so that half of one is found too.
            for piece in bytes.split(separator: UInt8(ascii: ";")) {
                let digits = piece.reversed().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.reversed()
                guard piece.dropLast(digits.count).suffix(6).elementsEqual("SECRET".utf8) else { continue }
                if let number = Int(String(decoding: digits, as: UTF8.self)) { found.insert(number) }
            }
        }
        return found
    }
}

/// Runs a program to its end.
///
/// - returns: its exit status.
@discardableResult
func run(_ arguments: String...) -> Int32 {
    var pid = pid_t()
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { pointers.forEach { free($0) } }
    guard posix_spawnp(&pid, arguments[0], nil, nil, &pointers, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    return status
}

func openStore(
    _ directory: TemporaryDirectory, disk: FaultyDisk? = nil, boot: String = "boot-1", seed: UInt64 = 1,
    erasureDelay: Duration = .seconds(3_600),
    onFault: @escaping @Sendable (StoreError) -> Void = { print("the store failed: \($0)") }
) throws(StoreError) -> Store {
    try Store.open(
        directory: directory.path, bootID: BootID(boot), randomness: SeededRandomness(seed: seed), vfs: disk?.name,
        erasureDelay: erasureDelay, onFault: onFault)
}

/// What happened on another thread, in order.
final class Recorder<Value: Sendable>: Sendable {
    private let recorded = Mutex<[Value]>([])

    var values: [Value] { recorded.withLock { $0 } }

    func record(_ new: [Value]) { recorded.withLock { $0 += new } }
}

let start = Date(timeIntervalSince1970: 1_800_000_000)

func record(
    _ number: Int, reference: String? = nil, wajubReference: String? = nil, machine: String = "{}",
    settledAt: Date? = nil, live: Bool = true
) -> PaymentRecord {
    let token = token(number)
    return PaymentRecord(
        id: "pay_\(number)", reference: reference, wajubID: "tx_\(number)", wajubReference: wajubReference,
        tokenDigest: Digest.sha256(Array(token.utf8)), token: token, machine: Data(machine.utf8),
        settled: settledAt != nil, live: live, checkpoint: Instant(nanoseconds: 42), createdAt: start,
        updatedAt: start, settledAt: settledAt)
}

func token(_ number: Int) -> String { String(repeating: "SECRET\(number);", count: 12) }

func event(_ kind: String) -> NewEvent {
    NewEvent(kind: kind, data: #"{"kind":"\#(kind)"}"#, at: start)
}

func attempt(_ number: Int, key: String, phase: String = "recorded", tries: Int = 0) -> AttemptRecord {
    AttemptRecord(
        number: number, method: "mobile_money", channel: "mtn_cm", phase: phase, idempotencyKey: key,
        bodyDigest: [1, 2, 3], tries: tries, startedAt: start, undecided: true)
}

extension Store {
    /// Opens what another store left behind, hands it to `body`, and closes it.
    static func reopened<T>(
        _ directory: TemporaryDirectory, boot: String = "boot-1", _ body: (Store) async throws -> T
    ) async throws -> T {
        let store = try openStore(directory, boot: boot)
        let result = try await body(store)
        await store.close()
        return result
    }
}
