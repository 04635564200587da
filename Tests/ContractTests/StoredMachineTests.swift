import Contract
import FoundationEssentials
import Testing

/// Machines as the first version stored them, word for word: every later version has to read them.
@Suite struct StoredMachineTests {
    private static func machine(_ json: String) throws -> PaymentMachine {
        try JSONDecoder().decode(PaymentMachine.self, from: Data(json.utf8))
    }

    /// On the same boot, 100 s later.
    private static func recovered(_ json: String) throws -> Sheet {
        var sheet = Sheet()
        sheet.machine = try machine(json)
        sheet.now = Instant(nanoseconds: 1_100_000_000_000)
        sheet.send(.recovered)
        return sheet
    }

    @Test func `A payment that was being read is read on`() throws {
        var sheet = try Self.recovered(StoredMachines.live)
        #expect(sheet.machine.state == .ussdRequired)
        #expect(sheet.calls == [.status])
        sheet.read(.pending, refusal: Refusal(code: .insufficientFunds, message: "No.", at: "t1"))
        #expect(sheet.kinds == [.state], "the refusal was known")
        #expect(sheet.machine.state == .initiated)
    }

    @Test func `A payment closed while money may move is watched on`() throws {
        let sheet = try Self.recovered(StoredMachines.closed)
        #expect(sheet.machine.result == .processing)
        #expect(sheet.calls == [.status])
    }

    @Test func `A cancel whose answer was lost is decided by a read`() throws {
        var sheet = try Self.recovered(StoredMachines.cancelling)
        #expect(sheet.calls == [.status])
        sheet.read(.cancelled)
        #expect(sheet.machine.result == .cancelled(.payerCancelled))
    }

    @Test func `A failed payment stays failed, and its token erased`() throws {
        let sheet = try Self.recovered(StoredMachines.failed)
        #expect(sheet.machine.result?.status == .failed)
        #expect(sheet.machine.isTokenErased)
        #expect(sheet.actions.isEmpty)
    }

    @Test func `A payment that was loading, with every option set, is loaded`() throws {
        let sheet = try Self.recovered(StoredMachines.loading)
        #expect(sheet.calls == [.session, .configuration])
        #expect(sheet.machine.options.realtime == .server(host: "h", port: 443, tls: true))
        #expect(sheet.machine.options.language == .fr)
        #expect(sheet.machine.options.followUp == .seconds(600))
        #expect(!sheet.machine.options.cancelOnDismiss)
    }

    @Test func `An attempt at a confirmation step is at it still, undecided, with its key`() throws {
        let sheet = try Self.recovered(StoredMachines.paying)
        #expect(sheet.machine.state == .threeDSRequired)
        #expect(sheet.machine.pendingStep?.attemptsLeft == 2)
        #expect(sheet.machine.attempt?.key == IdempotencyKey("0123456789abcdef0123456789abcdef"))
        #expect(sheet.machine.refusalToCancel() == .attemptUndecided)
        #expect(sheet.calls == [.status])
    }
}
