internal import Arguments
internal import Contract
internal import JSON
internal import JSONRPC

/// All commands, in the order in which `--help` lists them.
enum Commands {
    static let all: [Command] = [
        watch,
        .onPayment(
            "status", "payment.status", "show a payment",
            options: [.flag("refresh", "after one live read of Wajub")]
        ) { $0.has("refresh") ? ["refresh": true] : [:] },
        list,
        Command("wait", words: "PAYMENT", "wait for a payment's result", options: [Command.tokenFile, Command.timeout])
        {
            try await Waiting($0).result(of: try $0.selector())
        },
        methods, pay, verify, resend, returned, checkNumber, events,
        Command(
            "explain", words: "PAYMENT", "show all that happened to a payment, with its evidence",
            options: [Command.tokenFile]
        ) {
            let answer = try await $0.call("payment.explain", ["payment": try $0.selector()])
            for entry in try Session.member("timeline", of: answer).array ?? [] {
                $0.isJSON ? $0.json(entry) : $0.console.line(Render.timeline(entry, $0.style))
            }
            return .success
        },
        Command("info", "show the state of the daemon") {
            let info = try await $0.call("daemon.info")
            $0.isJSON ? $0.json(info) : Render.info(info, $0.style).forEach($0.console.line)
            return .success
        },
        .onPayment(
            "close", "payment.close", "close a payment as its sheet would; may cancel it",
            options: [.value("reason", "REASON", "dismissed, the default, or host_gone")]
        ) { options in
            let reason = try options.choice("reason", of: CloseReason.self) ?? .dismissed
            return ["reason": .string(reason.rawValue)]
        },
        .onPayment("cancel", "payment.cancel", "cancel a pending payment for good"),
        Command("contract", "print the contract's tables as JSON") {
            $0.json(try await $0.call("contract.describe"))
            return .success
        },
    ]
}
