import FoundationEssentials
import Testing

@testable import Contract

@Suite("Restart and reboot")
struct RecoveryTests {
    private func restarted(_ machine: PaymentMachine) throws -> PaymentMachine {
        try JSONDecoder().decode(PaymentMachine.self, from: try JSONEncoder().encode(machine))
    }

    @Test("A loaded payment is ready from the store: one read, realtime again, nothing sent twice")
    func loaded() throws {
        var sheet = Sheet(loaded: .pending)
        sheet.machine = try restarted(sheet.machine)
        sheet.send(.recovered)
        #expect(sheet.calls == [.status])
        #expect(sheet.actions.contains(.connect(Sheet.channel)))
        #expect(sheet.kinds == [])
        #expect(sheet.machine.isLoaded)
    }

    @Test("A payment that had not loaded is loaded")
    func loading() throws {
        var sheet = Sheet()
        sheet.machine = try restarted(sheet.machine)
        sheet.send(.recovered)
        #expect(sheet.calls == [.session, .configuration])
    }

    @Test(
        "A cancel whose answer the crash swallowed is not sent again: a read decides",
        arguments: [
            (PaymentStatus.pending, ResultStatus.cancelled), (.cancelled, .cancelled), (.succeeded, .complete),
            (.processing, .processing),
        ])
    func cancelling(status: PaymentStatus, result: ResultStatus) throws {
        var sheet = Sheet(loaded: .pending)
        sheet.send(.closeRequested(.dismissed))
        sheet.machine = try restarted(sheet.machine)
        sheet.send(.recovered)
        #expect(sheet.calls == [.status])
        sheet.read(status)
        #expect(sheet.machine.result?.status == result)
    }

    @Test("A settled payment is not touched")
    func settled() throws {
        var sheet = Sheet(loaded: .succeeded)
        let before = try restarted(sheet.machine)
        sheet.machine = before
        sheet.send(.recovered)
        #expect(sheet.actions.isEmpty)
        #expect(sheet.machine == before)
    }

    @Test("On another boot what was used up at the last checkpoint counts, the rest remains")
    func reboot() throws {
        var sheet = Sheet(loaded: .pending, realtime: nil)
        sheet.wait(.seconds(300))
        let checkpoint = sheet.now
        sheet.machine = try restarted(sheet.machine)
        sheet.now = Instant(nanoseconds: 7_000_000_000)
        sheet.machine.rebase(from: checkpoint, to: sheet.now)
        sheet.send(.recovered)
        #expect(sheet.machine.watch == .active(until: sheet.now + .seconds(600)))
    }

    @Test("A deadline that passed while the power was off ends with one read")
    func passedDeadline() throws {
        var sheet = Sheet(loaded: .pending, realtime: nil)
        sheet.machine = try restarted(sheet.machine)
        sheet.wait(.seconds(2000))
        sheet.send(.recovered)
        sheet.wake()
        sheet.read(.pending)
        if sheet.calls.contains(.status) { sheet.read(.pending) }
        #expect(sheet.machine.result == .processing)
    }

    @Test("A power cut forgets at most a minute of the watch: the running time is made durable every minute")
    func checkpoints() {
        var sheet = Sheet(loaded: .pending, realtime: nil)
        var last = sheet.now
        let start = sheet.now
        while sheet.now - start < .seconds(600) {
            sheet.wake()
            if sheet.actions.contains(.persist) {
                #expect(sheet.now - last <= .seconds(60))
                last = sheet.now
            }
            if sheet.calls.contains(.status) { sheet.read(.pending) }
        }
        #expect(sheet.now - last <= .seconds(60))
    }

    @Test("What was under way when a settled payment's process died holds up no later read")
    func settledWithCallsUnderWay() throws {
        var reading = Sheet(loaded: .pending, realtime: nil)
        reading.send(.refreshRequested)
        var loading = Sheet()
        loading.send(.configurationMissed(Sheet.silence))
        for var sheet in [reading, loading] {
            sheet.send(.closeRequested(.hostGone))
            sheet.machine = try restarted(sheet.machine)
            sheet.send(.recovered)
            #expect(!sheet.machine.isReadUnderWay)
            sheet.send(.refreshRequested)
            #expect(sheet.calls.count == 1)
        }
    }
}
