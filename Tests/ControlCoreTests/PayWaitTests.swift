import JSON
import JSONRPC
import Synchronization
import Testing

@testable import ControlCore

/// A payment of a fake daemon that moves on: each move is an event, and what the payment is from then on.
private final class MovingPayment: Sendable {
    private struct State {
        var payment: JSONValue
        var seq = 7
        var listener: RPCConnection?
    }

    private let state = Mutex(State(payment: paying))
    private let settled: AsyncStream<Void>
    private let settle: AsyncStream<Void>.Continuation

    /// - parameter start: what happens once somebody waits.
    init(_ daemon: FakeDaemon, start: @escaping @Sendable (MovingPayment) -> Void) {
        (settled, settle) = AsyncStream.makeStream()
        daemon.on("payment.pay") { [self] _, _ in .success(RPCResult(["payment": now])) }
        daemon.on("payment.status") { [self] _, _ in .success(RPCResult(["payment": now])) }
        daemon.on("events.subscribe") { [self] _, connection in
            state.withLock { $0.listener = connection }
            return .success(RPCResult(["last_seq": 7]))
        }
        daemon.on("payment.wait") { [self] _, _ in
            start(self)
            for await _ in settled {}
            return .success(RPCResult(["payment": now]))
        }
    }

    var now: JSONValue { state.withLock { $0.payment } }

    func move(_ event: String, _ data: JSONValue = [:], to payment: JSONValue) {
        let (line, listener) = state.withLock { state in
            state.seq += 1
            let seq = JSONValue(integerLiteral: state.seq)
            state.payment = .object((payment.object ?? [:]).merging(["seq": seq]) { $1 })
            return (Notice.event(state.seq, event, data).line, state.listener)
        }
        _ = listener?.trySend(notification: line)
        if payment["result"] != nil { settle.finish() }
    }

    func end(_ status: String) {
        move("complete", ["status": .string(status)], to: ControlCoreTests.settled(status))
    }

    /// Ends the wait as its timeout does.
    func timeOut() { settle.finish() }
}

@Suite("pay --wait", .timeLimit(.minutes(10)))
struct PayWaitTests {
    private func pay(_ daemon: FakeDaemon, _ more: String..., typist: Typist = Typist()) async -> Run {
        await wajubctl(
            words: ["pay", "pay_1", "--wallet", "w", "--wait", "--socket", daemon.path] + more, typist: typist)
    }

    @Test(
        "shows what happens to its end, with the exit codes of wait",
        arguments: [
            ("complete", ExitCode.success), ("processing", .processing), ("failed", .failed), ("cancelled", .cancelled),
        ])
    func results(word: String, status: ExitCode) async throws {
        try await withDaemon { daemon, _ in
            _ = MovingPayment(daemon) { payment in
                payment.move("state", ["state": "PENDING"], to: ControlCoreTests.payment())
                payment.end(word)
            }
            let person = await pay(daemon)
            #expect(person.status == status)
            #expect(person.lines[0].hasSuffix("state            PENDING"))
            #expect(person.lines[1].hasSuffix("complete         " + word))
            #expect(person.lines[2] == "payment    pay_1")
            #expect(daemon.params(of: "payment.wait") == [["payment": "pay_1"]])
        }
    }

    @Test("tells a script the payment first and the result last, and nothing else")
    func script() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { payment in
                payment.move("state", ["state": "OTP_REQUIRED"], to: asked("otp"))
                payment.end("complete")
            }
            let run = await wajubctl(
                "pay", "pay_1", "--wallet", "w", "--wait", "--json", "--socket", daemon.path, isTerminal: true,
                typist: Typist(isTerminal: true))
            #expect(run.status == .success)
            #expect(run.json == [paying, moving.now])
            #expect(run.complaints.isEmpty)
        }
    }

    @Test("asks for a step's answer, again after a wrong one, and goes on to the result")
    func step() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { payment in
                payment.move("state", ["state": "OTP_REQUIRED"], to: asked("otp"))
                payment.move("step", ["kind": "otp", "attempts_left": 3], to: asked("otp"))
            }
            daemon.on("payment.verify") { request, _ in
                if request.params["fields"] == ["code": "2222"] {
                    moving.end("complete")
                } else {
                    let error: JSONValue = ["code": "invalid_code", "message": "This code is not right."]
                    moving.move("step", ["kind": "otp"], to: asked("otp", attempts: 2, ["error": error]))
                }
                return .success(RPCResult(["payment": moving.now]))
            }
            let typist = Typist("1111", "2222", isTerminal: true)
            let run = await pay(daemon, typist: typist)
            #expect(run.status == .success)
            let prompts = [3, 2].map { "Code (not shown; \($0) attempts left; 'resend' sends a new one)" }
            #expect(Array(Set(typist.prompts)).sorted() == prompts.sorted())
            let fields = daemon.params(of: "payment.verify").map { $0["fields"]?["code"] }
            #expect(fields == ["1111", "2222"])
            #expect(run.complaints == ["This code is not right. [invalid_code]"])
            #expect(!run.output.contains("1111") && !run.output.contains("2222"))
        }
    }

    @Test("has a new code sent in place of an answer, and tells what the daemon refuses")
    func resend() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { $0.move("step", to: asked("3ds")) }
            daemon.on("payment.resend") { _, _ in
                .failure(RPCError(.serverError, "Too early.", data: ["code": "resend_too_early"]))
            }
            daemon.on("payment.verify") { _, _ in
                moving.end("complete")
                return .success(RPCResult(["payment": moving.now]))
            }
            let run = await pay(daemon, typist: Typist("resend", "1234", isTerminal: true))
            #expect(run.status == .success)
            #expect(daemon.params(of: "payment.resend") == [["payment": "pay_1"]])
            #expect(run.complaints == ["Too early. [resend_too_early]"])
        }
    }

    @Test("takes a question back when the payment moves on without its answer")
    func withdrawn() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { $0.move("step", to: asked("otp")) }
            let typist = Typist(lines: [], isTerminal: true) { moving.end("complete") }
            let run = await pay(daemon, typist: typist)
            #expect(run.status == .success)
            #expect(typist.asked.count == 1)
            #expect(daemon.params(of: "payment.verify").isEmpty)
            #expect(run.lines[1].hasSuffix("complete         complete"))
        }
    }

    @Test("asks no more of who ends the input, and waits on")
    func gaveUp() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { $0.move("step", to: asked("otp")) }
            let run = await wajubctl(
                "pay", "pay_1", "--wallet", "w", "--wait", "--socket", daemon.path,
                typist: Typist(lines: [], isTerminal: true, ends: true),
                onOutput: { if $0.contains("wajubctl verify") { moving.end("processing") } })
            #expect(run.status == .processing)
            #expect(run.complaints.isEmpty)
        }
    }

    @Test("without a terminal a step is told with the command that answers it")
    func unasked() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { $0.move("step", to: asked("pin")) }
            let run = await wajubctl(
                "pay", "pay_1", "--wallet", "w", "--wait", "--socket", daemon.path,
                onOutput: { if $0.contains("→") { moving.end("complete") } })
            #expect(run.status == .success)
            #expect(run.lines[1] == "→ the payer is asked for a step of the kind pin: wajubctl verify pay_1")
        }
    }

    @Test("shows each page and instruction once")
    func screens() async throws {
        try await withDaemon { daemon, _ in
            let page: JSONValue = ["kind": "redirect", "action_url": "https://pay.test/1"]
            _ = MovingPayment(daemon) { moving in
                moving.move("redirect", ["url": "https://pay.test/1"], to: payment(["screen": page]))
                moving.move("progress", ["active": false], to: payment(["screen": page]))
                moving.move("state", to: payment(["screen": ["kind": "ussd", "instruction": "Dial *126#"]]))
                moving.end("complete")
            }
            let run = await pay(daemon)
            let arrows = run.lines.filter { $0.hasPrefix("→") }
            #expect(Set(arrows).count == arrows.count)
            #expect(run.status == .success)
        }
    }

    @Test("ends where the attempt was refused and the payment is open, with the error and the advice")
    func refused() async throws {
        try await withDaemon { daemon, _ in
            let error: JSONValue = ["code": "declined", "message": "Declined.", "certainty": "definite"]
            let open = payment([
                "state": "FAILED", "error": error, "advice": ["safe_to_retry": true, "reason": "Not paid yet."],
            ])
            for more in [[], ["--json"]] {
                let moving = MovingPayment(daemon) { moving in
                    moving.move("state", ["state": "FAILED"], to: open)
                    moving.move("error", error, to: open)
                }
                let run = await wajubctl(
                    words: ["pay", "pay_1", "--wallet", "w", "--wait", "--socket", daemon.path] + more)
                #expect(run.status == .open)
                if more.isEmpty {
                    #expect(run.lines.contains("error      Declined. [declined]"))
                    #expect(run.lines.last == "advice     Not paid yet.")
                } else {
                    #expect(run.json == [paying, moving.now])
                }
            }
        }
    }

    @Test("ends without a result at --timeout, even while a question stands")
    func timeout() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { $0.move("step", to: asked("otp")) }
            let typist = Typist(lines: [], isTerminal: true) { moving.timeOut() }
            let run = await pay(daemon, "--timeout", "2", typist: typist)
            #expect(run.status == .unsettled)
            #expect(daemon.params(of: "payment.wait") == [["payment": "pay_1", "timeout_seconds": 2]])
        }
    }

    @Test("tells of a daemon that goes while a question stands")
    func lost() async throws {
        try await withDaemon { daemon, server in
            _ = MovingPayment(daemon) { $0.move("step", to: asked("otp")) }
            let run = await pay(
                daemon, typist: Typist(lines: [], isTerminal: true) { server.stop(grace: .zero) })
            #expect(run.status == .unreachable)
            #expect(run.complaints.first?.contains("payments go on there") == true)
        }
    }

    @Test("draws no live line over a question that stands")
    func live() async throws {
        try await withDaemon { daemon, _ in
            let moving = MovingPayment(daemon) { $0.move("step", to: asked("otp")) }
            let (looks, looked) = AsyncStream.makeStream(of: Void.self)
            daemon.on("payment.status") { _, _ in
                looked.yield()
                return .success(RPCResult(["payment": moving.now]))
            }
            daemon.on("payment.verify") { _, _ in
                moving.end("complete")
                return .success(RPCResult(["payment": moving.now]))
            }
            let standing = Mutex(false)
            let drawn = Mutex(0)
            let typist = Typist(lines: ["1234"], isTerminal: true) {
                standing.withLock { $0 = true }
                var count = 0
                for await _ in looks {
                    count += 1
                    if count == 20 { break }
                }
                standing.withLock { $0 = false }
            }
            let run = await wajubctl(
                "pay", "pay_1", "--wallet", "w", "--wait", "--socket", daemon.path, isTerminal: true, typist: typist,
                ticks: { () },
                onOutput: { text in
                    if text.contains("…") && standing.withLock({ $0 }) { drawn.withLock { $0 += 1 } }
                })
            #expect(run.status == .success)
            #expect(drawn.withLock { $0 } == 0)
        }
    }
}
