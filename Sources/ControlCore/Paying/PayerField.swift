internal import JSON
internal import JSONRPC

/// What a payer tells about themselves or types in, by its name in `protocol.md` and `wire.md`.
enum PayerField {
    /// How each is asked for; only these names are ever repeated.
    private static let prompts: [String: String] = [
        "first_name": "First name", "last_name": "Last name", "email": "Email", "phone": "Phone number",
        "address": "Address", "city": "City", "country": "Country, two letters", "state": "State or region",
        "zip_code": "Zip code", "code": "Code", "pin": "PIN", "birthday": "Birthday, YYYY-MM-DD",
        "number": "Test card number",
    ]

    /// Whether it is typed without its echo, and out of place on a command line.
    static func isSecret(_ name: String) -> Bool { name == "code" || name == "pin" }

    /// - parameter note: what stands behind it in brackets.
    static func question(_ name: String, note: String? = nil) -> Question {
        let notes = [isSecret(name) ? "not shown" : nil, note].joined("; ")
        let prompt = prompts[name] ?? Render.text(.string(name)) ?? name
        let called =
            switch name {
            case "phone": "phone number"
            case "pin": "PIN"
            case _: prompts[name] == nil ? "field" : name.replacing("_", with: " ")
            }
        return Question(
            called, prompt: notes.isEmpty ? prompt : "\(prompt) (\(notes))", isSecret: isSecret(name))
    }
}
