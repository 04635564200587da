import Contract
import FoundationEssentials
import Platform
import PlatformTestSupport
import Store
import Testing

@testable import WajubWatch

/// A registry over a real store in a directory of its own, with a Wajub and a clock that the test commands.
final class Till: Sendable {
    let directory: String
    let wajub: FakeWajub
    let time: ManualTime
    let store: Store
    let registry: PaymentRegistry
    private let running: Task<Void, Never>

    static func open(
        directory: String? = nil, wajub: FakeWajub = FakeWajub(), time: ManualTime = ManualTime(), boot: String = "boot-1"
    ) throws -> Till {
        try Till(
            directory: directory ?? FileManager.default.temporaryDirectory.path + "/till-" + UUID().uuidString,
            wajub: wajub, time: time, boot: BootID(boot))
    }

    private init(directory: String, wajub: FakeWajub, time: ManualTime, boot: BootID) throws {
        (self.directory, self.wajub, self.time) = (directory, wajub, time)
        let randomness = SystemRandomness()
        let store = try Store.open(directory: directory, bootID: boot, randomness: randomness) { fault in
            Issue.record("the store faulted: \(fault)")
        }
        self.store = store
        let registry = PaymentRegistry(
            store: store, api: wajub, realtime: wajub, time: time, randomness: randomness, bootID: boot, log: .none)
        self.registry = registry
        running = Task { await registry.run() }
    }

    /// Ends it in order, as SIGTERM does.
    func stop() async {
        running.cancel()
        await running.value
        await store.close()
    }

    /// Runs a body with a till, and cleans up after it.
    static func with(_ body: (Till) async throws -> Void) async throws {
        let till = try Till.open()
        do {
            try await body(till)
        } catch {
            await till.stop()
            try FileManager.default.removeItem(atPath: till.directory)
            throw error
        }
        await till.stop()
        try FileManager.default.removeItem(atPath: till.directory)
    }

    func handOff(_ token: String = "token-1", reference: String? = nil, _ options: PaymentOptions = PaymentOptions()) async
        -> Result<PaymentSnapshot, RequestFailure>
    {
        await registry.handOff(token: Secret(token), reference: reference, options: options)
    }

    func kinds(of payment: String) throws -> [String] {
        try store.events(after: 0, payment: payment).map(\.kind)
    }
}
