internal import JSONRPC

/// What a person sees: values in, lines out.
enum Render {
    /// A payment on a few aligned lines.
    static func payment(_ payment: JSONValue) -> [String] {
        var rows: [(String, String)] = []
        func add(_ label: String, _ text: String?) {
            if let text, !text.isEmpty { rows.append((label, text)) }
        }
        add("payment", payment["id"]?.string)
        add("reference", payment["reference"]?.string)
        add("at Wajub", payment["wajub_reference"]?.string)
        add("amount", amount(payment))
        add("state", [payment["state"]?.string, payment["method"]?.string.map { "(\($0))" }].joined)
        add("status", [payment["status"]?.string, payment["environment"]?.string.map { "(\($0))" }].joined)
        add("screen", [payment["screen"]?["kind"]?.string, payment["screen"]?["instruction"]?.string].joined)
        add("page", payment["screen"]?["action_url"]?.string)
        add("watch", watch(payment["watch"]))
        add("result", result(payment["result"]))
        add("error", problem(payment["error"]))
        add("last read", problem(payment["last_read_error"]))
        add("advice", payment["advice"]?["reason"]?.string)
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "\(padded($0.0, width))  \($0.1)" }
    }

    /// A payment on one line of a list.
    static func row(_ payment: JSONValue) -> String {
        let outcome = payment["result"]?["status"]?.string ?? payment["status"]?.string ?? ""
        return [
            payment["id"]?.string ?? "", padded(outcome, 10), padded(amount(payment) ?? "-", 14),
            payment["reference"]?.string ?? payment["wajub_reference"]?.string ?? "",
        ].joined(separator: "  ")
    }

    /// The line that is rewritten while a person waits.
    static func live(_ payment: JSONValue) -> String {
        let parts: [String?] = [
            payment["state"]?.string, amount(payment), "realtime \(payment["watch"]?["realtime"]?.string ?? "off")",
            payment["watch"]?["next_read_in_seconds"]?.double.map { "next read in \(Int($0.rounded(.up))) s" },
            payment["watch"]?["ends_in_seconds"]?.double.map { "ends in \(clock($0))" },
            payment["last_read_error"]?["code"]?.string.map { "last read: \($0)" },
        ]
        return "… " + parts.compactMap(\.self).joined(separator: " · ")
    }

    /// An event on one line.
    static func event(_ event: JSONValue) -> String {
        let kind = event["event"]?.string ?? ""
        return [
            padded("\(event["seq"]?.int ?? 0)", 5), time(event["at"]?.string), String((event["payment"]?.string ?? "").prefix(12)),
            padded(kind, 16), detail(kind, event["data"] ?? .null),
        ].joined(separator: "  ").trimmedEnd
    }

    /// A line of `payment.explain`.
    static func timeline(_ entry: JSONValue) -> String {
        let what = entry["what"]?.string ?? ""
        let detail =
            what.hasPrefix("event: ")
            ? self.detail(String(what.dropFirst(7)), entry["detail"] ?? .null)
            : (entry["detail"]?.object ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\(text($0.value))" }
                .joined(separator: " ")
        return "\(time(entry["at"]?.string))  \(padded(what, 26))  \(detail)".trimmedEnd
    }

    /// An object's members, one a line.
    static func fields(_ value: JSONValue) -> [String] {
        let members = (value.object ?? [:]).sorted { $0.key < $1.key }
        let width = members.map(\.key.count).max() ?? 0
        return members.map { "\(padded($0.key, width))  \(text($0.value))" }
    }

    private static func detail(_ kind: String, _ data: JSONValue) -> String {
        switch kind {
        case "ready":
            let methods = data["methods"]?.array?.compactMap { $0["channel"]?.string }.joined(separator: ", ")
            return [data["environment"]?.string, methods.map { "offers \($0)" }].joined
        case "state": return [data["state"]?.string, data["method"]?.string.map { "(\($0))" }].joined
        case "success": return amount(data) ?? ""
        case "error", "load_error": return problem(data) ?? ""
        case "cancel": return data["reason"]?.string ?? ""
        case "complete": return result(data) ?? ""
        case "status": return data["status"]?.string ?? ""
        default: return ""
        }
    }

    private static func amount(_ value: JSONValue) -> String? {
        value["amount"]?.string.map { [$0, value["currency"]?.string].joined }
    }

    private static func result(_ result: JSONValue?) -> String? {
        guard let result, !result.isNull else { return nil }
        return [
            result["status"]?.string, result["reason"]?.string.map { "(\($0))" }, result["error"]?["code"]?.string.map { "(\($0))" },
        ].joined
    }

    private static func problem(_ error: JSONValue?) -> String? {
        guard let error, !error.isNull else { return nil }
        return [error["message"]?.string, error["code"]?.string.map { "[\($0)]" }, error["api_message"]?.string].joined
    }

    private static func watch(_ watch: JSONValue?) -> String? {
        guard let watch, watch["active"] == true else { return nil }
        return [
            "realtime \(watch["realtime"]?.string ?? "off"), \(watch["reads"]?.int ?? 0) reads, \(watch["signals"]?.int ?? 0) signals",
            watch["ends_in_seconds"]?.double.map { "ends in \(clock($0))" },
        ].compactMap(\.self).joined(separator: ", ")
    }

    private static func text(_ value: JSONValue) -> String {
        value.string ?? String(decoding: value.encoded, as: UTF8.self)
    }

    /// The time of day of an RFC 3339 time.
    private static func time(_ text: String?) -> String {
        String((text ?? "").drop { $0 != "T" }.dropFirst().prefix(12))
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension [String?] {
    /// What is there, with spaces between.
    fileprivate var joined: String { compactMap(\.self).joined(separator: " ") }
}

extension String {
    fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
