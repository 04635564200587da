package import Contract
internal import FoundationEssentials
internal import Platform
package import PlatformTestSupport
package import Store
package import WajubWatch

/// A registry over a real store in a directory of its own, with a Wajub and a clock that the test commands.
package final class Till: Sendable {
    package let directory: String
    package let wajub: FakeWajub
    package let time: ManualTime
    package let store: Store
    package let registry: PaymentRegistry
    private let running: Task<Void, Never>

    package static func open(
        directory: String? = nil, wajub: FakeWajub = FakeWajub(), time: ManualTime = ManualTime(),
        boot: String = "boot-1", disk: String? = nil
    ) throws -> Till {
        try Till(
            directory: directory ?? FileManager.default.temporaryDirectory.path + "/till-" + UUID().uuidString,
            wajub: wajub, time: time, boot: BootID(boot), disk: disk)
    }

    private init(directory: String, wajub: FakeWajub, time: ManualTime, boot: BootID, disk: String?) throws {
        (self.directory, self.wajub, self.time) = (directory, wajub, time)
        let randomness = SystemRandomness()
        let store = try Store.open(directory: directory, bootID: boot, randomness: randomness, vfs: disk) { fault in
            preconditionFailure("the store faulted: \(fault)")
        }
        self.store = store
        let registry = PaymentRegistry(
            store: store, api: wajub, realtime: wajub, time: time, randomness: randomness, bootID: boot,
            device: DeviceSignals(installID: store.installID, languages: ["fr"], timezone: "Africa/Douala"), log: .none)
        self.registry = registry
        running = Task { await registry.run() }
    }

    /// Ends it in order, as SIGTERM does.
    package func stop() async {
        await halt()
        await store.close()
    }

    /// Ends its payments' drivers, and leaves the store open.
    package func halt() async {
        running.cancel()
        await running.value
    }

    /// Runs a body with a till, and cleans up after it.
    ///
    /// - parameter disk: the name of an SQLite file system, for a disk that fails.
    package static func with(disk: String? = nil, _ body: (Till) async throws -> Void) async throws {
        let till = try Till.open(disk: disk)
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

    package func handOff(
        _ token: String = "token-1", reference: String? = nil, _ options: PaymentOptions = PaymentOptions()
    ) async
        -> Result<PaymentSnapshot, RequestFailure>
    {
        await registry.handOff(token: Secret(token), reference: reference, options: options)
    }

    package func kinds(of payment: String) throws -> [String] {
        try store.events(after: 0, payment: payment).map(\.kind)
    }
}
