internal import JSON
internal import JSONRPC

extension Render {
    /// An event on one line.
    ///
    /// - parameter withPayment: whether it says whose it is.
    static func event(_ event: JSONValue, _ style: Style, withPayment: Bool = true) -> String {
        let kind = text(event["event"]) ?? ""
        return row([
            padded(event["seq"]?.int.map { "\($0)" } ?? "", 6), timeOfDay(event["at"]),
            withPayment ? padded(text(event["payment"]) ?? "", 36) : nil, padded(kind, 15),
            detail(kind, event["data"] ?? .null, style),
        ])
    }

    /// A line of `payment.explain`: an event of the payment, or what led to it.
    static func timeline(_ entry: JSONValue, _ style: Style) -> String {
        let what = text(entry["what"]) ?? ""
        let evidence: String?
        if what.hasPrefix("event: ") {
            evidence = detail(String(what.dropFirst(7)), entry["detail"] ?? .null, style)
        } else {
            evidence = (entry["detail"]?.object ?? [:]).sorted { $0.key < $1.key }
                .map { "\(text(.string($0.key)) ?? "")=\(anything($0.value))" }.joined(separator: " ")
        }
        return row([timeOfDay(entry["at"]), padded(what, 24), evidence])
    }

    /// Columns, without spaces at the end.
    private static func row(_ columns: [String?]) -> String {
        let row = columns.joined("  ")
        return String(row[..<(row.lastIndex { $0 != " " }.map(row.index(after:)) ?? row.startIndex)])
    }

    /// The daemon's state on a few aligned lines; members of a later version at the end.
    static func info(_ info: JSONValue, _ style: Style) -> [String] {
        let (storage, clock) = (text(info["storage"]), text(info["clock"]))
        let realtime = info["realtime"]
        let known: Set = [
            "name", "version", "protocol", "contract", "api_origin", "pid", "uptime_seconds", "watching", "payments",
            "last_seq", "realtime", "storage", "clock",
        ]
        let others = (info.object ?? [:]).filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
        func marked(_ state: String?) -> String? { state.map { $0 == "ok" ? $0 : style.coloured($0, .red) } }
        return labelled(
            [
                (
                    "daemon",
                    [text(info["name"]), text(info["version"]), info["pid"]?.int.map { "(pid \($0))" }].joined()
                ),
                (
                    "speaks",
                    [
                        info["protocol"]?.int.map { "protocol \($0)" }, text(info["contract"]).map { "contract \($0)" },
                    ].joined(", ")
                ),
                ("API", text(info["api_origin"])),
                ("up for", info["uptime_seconds"]?.double.map(duration)),
                (
                    "payments",
                    [
                        info["payments"]?.int.map { "\($0) stored" }, info["watching"]?.int.map { "\($0) watched" },
                    ].joined(", ")
                ),
                ("last event", info["last_seq"]?.int.map { "\($0)" }),
                (
                    "realtime",
                    [
                        realtime?["connected"]?.int.map { "\($0) connected" },
                        realtime?["connecting"]?.int.map { "\($0) connecting" },
                    ].joined(", ")
                ),
                ("storage", marked(storage)), ("clock", marked(clock)),
            ] + others.map { (text(.string($0.key)) ?? "", anything($0.value)) })
    }

    private static func detail(_ kind: String, _ data: JSONValue, _ style: Style) -> String? {
        switch kind {
        case "ready":
            let channels = data["methods"]?.array?.compactMap { text($0["channel"]) ?? text($0) } ?? []
            return [text(data["environment"]), channels.isEmpty ? nil : "offers " + channels.joined(separator: ", ")]
                .joined()
        case "state": return [text(data["state"]), method(data["method"])].joined()
        case "payment_started": return [text(data["channel"]), data["attempt"]?.int.map { "attempt \($0)" }].joined()
        case "redirect": return text(data["url"])
        case "progress": return data["active"]?.bool.map { $0 ? "working" : "done" }
        case "step": return [text(data["kind"]), data["attempts_left"]?.int.map { "(\($0) attempts left)" }].joined()
        case "success": return amount(data)
        case "error", "load_error": return problem(data)
        case "cancel": return text(data["reason"])
        case "complete": return result(data, style)
        case "status": return text(data["status"])
        case _: return data.object?.isEmpty == false ? anything(data) : nil
        }
    }
}
