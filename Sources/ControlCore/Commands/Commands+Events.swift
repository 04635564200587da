internal import Arguments
internal import JSON
internal import JSONRPC

extension Commands {
    static let events = Command(
        "events", "show events as they happen, until interrupted",
        options: [
            .value("after", "SEQ", "first the stored ones after this; default: only new ones, with --once all"),
            .value("payment", "PAYMENT", "of one payment only"),
            .flag("once", "show what is stored, and end"),
        ]
    ) { session in
        let options = session.options
        let isOnce = options.has("once")
        let after = try options.int("after", in: 0...Int.max) ?? (isOnce ? 0 : nil)
        let payment = try options.string("payment").map(Session.selector)
        let stream = EventStream(socket: session.socket, after: after, payment: payment, endsAtLastStored: isOnce)
        try await stream.run { event in
            session.isJSON ? session.json(event) : session.console.line(Render.event(event, session.style))
        }
        return .success
    }
}
