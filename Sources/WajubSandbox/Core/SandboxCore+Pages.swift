internal import Contract
internal import JSON

extension SandboxCore {
    /// `/pages/{payment}`: the hosted page of `authorization_url` and of every redirect, where a person plays the
    /// payer. Its forms post to `/pages/{payment}/approve` and `/pages/{payment}/decline`.
    mutating func page(_ request: SandboxRequest, at now: Instant) -> SandboxAnswer {
        let parts = request.path.split(separator: "/").map(String.init)
        if parts.isEmpty { return Self.help }
        guard parts.count >= 2, let id = model.identifier(parts[1]), let payment = model.payments[id] else {
            return SandboxAnswer(status: 404, html: "<!DOCTYPE html><title>Wajub sandbox</title><p>No such payment.")
        }
        switch (request.method, parts.count > 2 ? parts[2] : nil) {
        case ("POST", "approve"):
            if !payment.status.hasEnded { _ = model.drive(payment: id, ["status": "succeeded"], at: now) }
            return Self.seeOther(id)
        case ("POST", "decline"):
            if !payment.status.hasEnded {
                _ = model.drive(payment: id, ["status": "pending", "code": "payment_declined"], at: now)
            }
            return Self.seeOther(id)
        case ("GET", nil):
            let buttons =
                payment.status.hasEnded
                ? ""
                : """
                <form method="post" action="/pages/\(id)/approve"><button>Approve</button></form>\
                <form method="post" action="/pages/\(id)/decline"><button>Decline</button></form>
                """
            return SandboxAnswer(
                status: 200,
                html: """
                    <!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Wajub sandbox</title>\
                    <h1>Test payment</h1><p>\(payment.amount) \(Self.escaped(payment.currency)): \
                    \(Self.escaped(payment.status.text))</p>\(buttons)</html>
                    """)
        default:
            return .error(405, nil, "Use GET.")
        }
    }

    private static var help: SandboxAnswer {
        var answer = SandboxAnswer(status: 200, json: .null)
        answer.headers["Content-Type"] = "text/plain; charset=utf-8"
        answer.body = Array(SandboxHelp.text.utf8)
        return answer
    }

    private static func seeOther(_ id: String) -> SandboxAnswer {
        var answer = SandboxAnswer(status: 303, html: "")
        answer.headers["Location"] = "/pages/\(id)"
        return answer
    }

    /// A merchant's words inside HTML.
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
