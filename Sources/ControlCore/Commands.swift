internal import Arguments
internal import JSONRPC

/// All commands, in the order in which `--help` lists them.
enum Commands {
    static let tokenFile = OptionSpec.value("token-file", "PATH", "the token stands in this file", variable: false)
    static let timeout = OptionSpec.value("timeout", "SECONDS", "wait no longer than this", variable: false)

    static let all: [Command] = [
        Command(
            "watch", "TOKEN|-", "hand a token off; - reads it from standard input",
            options: [
                tokenFile,
                .value("reference", "REF", "the till's own reference", variable: false),
                .value("locale", "LOCALE", "the language of messages", variable: false),
                .flag("no-realtime", "poll only", variable: false),
                .flag("keep-on-dismiss", "do not cancel the payment when it is dismissed", variable: false),
                .value("follow-up-seconds", "N", "go on reading after the watch", variable: false),
                .flag("wait", "stay until the result", variable: false), timeout,
            ], run: watch),
        Command("status", "PAYMENT", "show a payment", options: [
            tokenFile, .flag("refresh", "after one live read of Wajub", variable: false),
        ]) { session in
            let refresh = session.options.has("refresh")
            let answer = try await session.client.call(
                "payment.status", ["payment": try session.selector(), "refresh": .bool(refresh)])
            session.show(answer["payment"] ?? .null)
            return .success
        },
        Command("list", "", "list payments, newest first", options: [
            .flag("settled", "only those with a result", variable: false),
            .flag("unsettled", "only those without", variable: false),
            .value("limit", "N", "how many; default 50", variable: false),
        ], run: list),
        Command("wait", "PAYMENT", "wait for the result", options: [tokenFile, timeout]) { session in
            try await Waiting(session).result(of: try session.selector())
        },
        Command("events", "", "show events as they happen", options: [
            .value("after", "N", "first the stored ones after this seq", variable: false),
            .value("payment", "PAYMENT", "only one payment's", variable: false),
            .flag("once", "stop when all that is stored was shown", variable: false),
        ], run: events),
        Command("explain", "PAYMENT", "show all that happened to a payment, with its evidence", options: [tokenFile]) { session in
            let answer = try await session.client.call("payment.explain", ["payment": try session.selector()])
            for entry in answer["timeline"]?.array ?? [] {
                session.isJSON ? session.json(entry) : session.console.line(Render.timeline(entry))
            }
            return .success
        },
        Command("close", "PAYMENT", "close as the payment sheet would; may cancel", options: [
            tokenFile, .value("reason", "REASON", "dismissed (default) or host_gone", variable: false),
        ]) { session in
            let reason = try session.options.string("reason") ?? "dismissed"
            return try await act("payment.close", session, ["reason": .string(reason)])
        },
        Command("cancel", "PAYMENT", "cancel a pending payment for good", options: [tokenFile]) { session in
            try await act("payment.cancel", session)
        },
        Command("info", "", "show the daemon's state") { session in
            let info = try await session.client.call("daemon.info")
            session.isJSON ? session.json(info) : Render.fields(info).forEach(session.console.line)
            return .success
        },
        Command("contract", "", "show the contract's tables as JSON") { session in
            session.json(try await session.client.call("contract.describe"))
            return .success
        },
    ]

    @Sendable private static func watch(_ session: Session) async throws -> ExitStatus {
        var params: [String: JSONValue] = ["token": .string(try session.tokenToHandOff())]
        params["reference"] = try session.options.string("reference").map { .string($0) }
        params["locale"] = try session.options.string("locale").map { .string($0) }
        if session.options.has("no-realtime") { params["realtime"] = false }
        if session.options.has("keep-on-dismiss") { params["cancel_on_dismiss"] = false }
        params["follow_up_seconds"] = try session.options.int("follow-up-seconds", in: 0...2_592_000)
            .map { JSONValue(integerLiteral: $0) }
        let payment = try await session.client.call("payment.watch", params)["payment"] ?? .null
        guard session.options.has("wait") else {
            session.show(payment)
            return .success
        }
        return try await Waiting(session).result(of: payment["id"] ?? .null)
    }

    @Sendable private static func list(_ session: Session) async throws -> ExitStatus {
        var params: [String: JSONValue] = [:]
        if session.options.has("settled") { params["settled"] = true }
        if session.options.has("unsettled") { params["settled"] = false }
        var left = try session.options.int("limit", in: 1...1_000_000) ?? 50
        while left > 0 {
            params["limit"] = JSONValue(integerLiteral: min(left, 500))
            let page = try await session.client.call("payment.list", params)
            let payments = page["payments"]?.array ?? []
            for payment in payments {
                session.isJSON ? session.json(payment) : session.console.line(Render.row(payment))
            }
            left -= payments.count
            guard let next = page["next"] else { break }
            params["before"] = next
        }
        return .success
    }

    private static func act(_ method: String, _ session: Session, _ more: [String: JSONValue] = [:]) async throws -> ExitStatus {
        let params = more.merging(["payment": try session.selector()]) { first, _ in first }
        session.show(try await session.client.call(method, params)["payment"] ?? .null)
        return .success
    }

    @Sendable private static func events(_ session: Session) async throws -> ExitStatus {
        var params: [String: JSONValue] = [:]
        params["after"] = try session.options.int("after", in: 0...Int.max).map { JSONValue(integerLiteral: $0) }
        if let word = try session.options.string("payment") {
            params["payment"] = word.hasPrefix("pay_") ? .string(word) : ["reference": .string(word)]
        }
        let stored = try await session.client.call("events.subscribe", params)["last_seq"]?.int ?? 0
        var last = stored
        if session.options.has("once"), let payment = params["payment"] {
            last = try await session.client.call("payment.status", ["payment": payment])["payment"]?["seq"]?.int ?? 0
        }
        var shown = try session.options.int("after", in: 0...Int.max) ?? stored
        if session.options.has("once"), shown >= last { return .success }
        for await note in session.client.notifications {
            if note.method == "events.lagged" {
                // The daemon dropped a stream that we read too slowly; nothing is lost.
                params["after"] = note.params["after"] ?? JSONValue(integerLiteral: shown)
                _ = try await session.client.call("events.subscribe", params)
            } else if note.method == "event" {
                shown = note.params["seq"]?.int ?? shown
                session.isJSON ? session.json(note.params) : session.console.line(Render.event(note.params))
                if session.options.has("once"), shown >= last { return .success }
            }
        }
        throw RPCClientError.connectionLost
    }
}
