internal import JSON
internal import JSONRPC

extension Render {
    /// Ways to pay, as a table; the last column is what `wajubctl pay` is told.
    static func methods(_ offers: [Offer]) -> [String] {
        let head = ["METHOD", "CHANNEL", "NAME", "WHERE", "PAY WITH"]
        let rows = [head] + offers.map { [method($0), plain($0.channel), $0.name, place($0), options($0)] }
        let widths = head.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            (zip(row, widths).dropLast().map(padded) + [row[head.count - 1]]).joined(separator: "  ")
        }
    }

    /// A checked number.
    static func number(_ check: JSONValue) -> [String] {
        labelled([
            ("number", text(check["e164"])), ("formatted", text(check["formatted"])),
            ("country", text(check["country"])), ("operator", text(check["operator"])),
        ])
    }

    /// What the payer is to do now, and the command for afterwards.
    ///
    /// - parameter isStepAsked: whether a step is asked for here, so that nothing need be said of it.
    static func screen(_ payment: JSONValue, isStepAsked: Bool) -> [String] {
        let instruction = text(payment["screen"]?["instruction"]).map { "→ \($0)" }
        let lines = [instruction, page(payment["screen"]?["action_url"])].compactMap { $0 }
        return lines + next(payment, isStepAsked: isStepAsked)
    }

    /// A page for the payer to open.
    static func page(_ url: JSONValue?) -> String? { text(url).map { "→ open \($0)" } }

    /// The command for after what the payer is to do now.
    static func next(_ payment: JSONValue, isStepAsked: Bool = false) -> [String] {
        let id = text(payment["id"]) ?? "PAYMENT"
        switch payment["screen"]?["kind"] {
        case "redirect"?, "client_session"?: return ["→ when the payer is back: wajubctl returned \(id)"]
        case _: break
        }
        guard !isStepAsked, let step = PendingStep(payment), let kind = text(.string(step.kind)) else { return [] }
        return ["→ the payer is asked for a step of the kind \(kind): wajubctl verify \(id)"]
    }

    private static func plain(_ word: String) -> String { text(.string(word)) ?? "" }

    private static func method(_ offer: Offer) -> String { offer.family?.rawValue ?? "-" }

    private static func place(_ offer: Offer) -> String {
        let countries = plain(offer.countries.joined(separator: ", "))
        let operators = plain(offer.operators.map(\.id).joined(separator: ", "))
        return [countries.isEmpty ? nil : countries, operators.isEmpty ? nil : "(\(operators))"].joined()
    }

    private static func options(_ offer: Offer) -> String {
        let channel = plain(offer.channel)
        switch offer.need {
        case .phone: return "--phone NUMBER"
        case .clientSession: return "--client-session --channel \(channel)"
        case .paymentMethod: return "--channel \(channel) --payment-method-id ID"
        case .fields(let names):
            return (["--channel \(channel)"] + names.map { "--field \(plain($0))=VALUE" }).joined(separator: " ")
        case .nothing: return offer.family == .wallet ? "--wallet \(channel)" : "--channel \(channel)"
        }
    }
}
