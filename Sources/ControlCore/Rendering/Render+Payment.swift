internal import JSON
internal import JSONRPC

extension Render {
    /// A payment on a few aligned lines.
    static func payment(_ payment: JSONValue, _ style: Style) -> [String] {
        let screen = payment["screen"]
        return labelled([
            ("payment", text(payment["id"]).map(style.bold)),
            ("reference", text(payment["reference"])),
            ("at Wajub", [text(payment["wajub_reference"]), text(payment["wajub_id"]).map { "(\($0))" }].joined()),
            ("amount", [amount(payment), payment["environment"] == "sandbox" ? "(sandbox)" : nil].joined()),
            ("state", [text(payment["state"]), method(payment["method"])].joined()),
            ("status", text(payment["status"])),
            ("screen", [text(screen?["kind"]), text(screen?["instruction"])].joined(": ")),
            ("page", text(screen?["action_url"])),
            ("attempt", attempt(payment["attempt"])),
            ("watch", watch(payment["watch"])),
            ("error", problem(payment["error"])),
            ("last read", problem(payment["last_read_error"])),
            ("result", result(payment["result"], style)),
            ("receipt", text(payment["result"]?["payment"]?["receipt_url"])),
            ("advice", text(payment["advice"]?["reason"]).map(style.bold)),
        ])
    }

    /// Payments as a table.
    static func list(_ payments: [JSONValue], _ style: Style, withHead: Bool) -> [String] {
        let rows = payments.map { payment in
            let outcome = text(payment["result"]?["status"]) ?? text(payment["state"]) ?? ""
            return (
                [text(payment["id"]) ?? "", outcome, text(payment["status"]) ?? "", amount(payment) ?? "-"],
                text(payment["reference"]) ?? text(payment["wajub_reference"]) ?? "",
                colour(ofResult: text(payment["result"]?["status"]))
            )
        }
        let head = (["PAYMENT", "RESULT", "STATUS", "AMOUNT"], "REFERENCE", Style.Colour?.none)
        // As wide as the contract's longest words, so that the pages of one list stand below each other.
        let widths = [36, 23, 10, 14]
        return ((withHead ? [head] : []) + rows).map { columns, last, colour in
            var cells = zip(columns, widths).map(padded)
            cells[1] = style.coloured(cells[1], colour)
            return (cells + [last]).joined(separator: "  ")
        }
    }

    /// The line that is rewritten while a person waits.
    static func live(_ payment: JSONValue) -> String {
        let watch = payment["watch"]
        return "… "
            + [
                text(payment["state"]), amount(payment), realtime(watch),
                watch?["next_read_in_seconds"]?.double.map { "next read in \(duration($0))" },
                watch?["ends_in_seconds"]?.double.map { "ends in \(duration($0))" },
                text(payment["last_read_error"]?["code"]).map { "last read: \($0)" },
            ].joined(" · ")
    }

    /// What a result says, with its colour.
    static func result(_ result: JSONValue?, _ style: Style) -> String? {
        guard let status = text(result?["status"]) else { return nil }
        let why = text(result?["reason"]) ?? text(result?["error"]?["code"])
        return [
            style.coloured(status, colour(ofResult: status)), why.map { "(\($0))" },
            time(result?["at"]).map { "at \($0)" },
        ].joined()
    }

    /// An error: what it says, its code, and what Wajub said.
    static func problem(_ error: JSONValue?) -> String? {
        guard let error else { return nil }
        return [
            text(error["message"]), text(error["code"]).map { "[\($0)]" },
            error["certainty"] == "indefinite" ? "(money may still move)" : nil,
            text(error["api_message"]).map { "Wajub: \($0)" },
        ].joined()
    }

    private static func colour(ofResult status: String?) -> Style.Colour? {
        switch status {
        case "complete"?: .green
        case "failed"?: .red
        case "processing"?: .yellow
        case .some, nil: nil
        }
    }

    static func method(_ method: JSONValue?) -> String? {
        method == "unknown" ? nil : text(method).map { "(\($0))" }
    }

    private static func attempt(_ attempt: JSONValue?) -> String? {
        guard let attempt else { return nil }
        return [
            attempt["number"]?.int.map { "\($0)." }, text(attempt["channel"]), text(attempt["phase"]),
            attempt["undecided"] == true ? "(undecided)" : nil,
        ].joined()
    }

    private static func realtime(_ watch: JSONValue?) -> String? {
        text(watch?["realtime"]).map { "realtime \($0)" }
    }

    private static func watch(_ watch: JSONValue?) -> String? {
        guard watch?["active"] == true else { return nil }
        return [
            realtime(watch), watch?["reads"]?.int.map { "reads \($0)" }, watch?["signals"]?.int.map { "signals \($0)" },
            watch?["next_read_in_seconds"]?.double.map { "next in \(duration($0))" },
            watch?["ends_in_seconds"]?.double.map { "ends in \(duration($0))" },
        ].joined(" · ")
    }
}
