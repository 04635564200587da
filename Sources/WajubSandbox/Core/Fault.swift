internal import Contract
internal import JSON

/// Something that goes wrong between a client and Wajub, asked for with `POST /sandbox/faults`:
/// `{"match": {"path"?, "method"?, "payment"?}, "times": N|null, "phase": "before"|"after", "fault": {…}}`.
///
/// `fault` has one or more of: `drop` (the connection closes without an answer), `silence` (no answer, ever),
/// `delay_seconds`, `status` (with `error_code`, `message`, `errors`, `body`, `retry_after`), `html` (true for a
/// captive portal's page, or the page), `truncate` (the body is cut in the middle), `wrong` (a JSON merge patch on the
/// answer), `headers` (added to the answer). `phase` says whether Wajub saw the request: `before` it did not, `after`
/// it did and its answer is lost or spoilt. `before` is the default where the answer is lost or replaced.
struct Fault: Sendable {
    enum Phase: String, Sendable {
        case before, after
    }

    /// What becomes of the answer.
    enum Loss: Hashable, Sendable {
        case none
        /// The connection closes.
        case dropped
        /// Nothing is sent until the client gives up.
        case silence
        /// Another answer is sent instead.
        case replaced(SandboxAnswer)
    }

    let id: String
    let path: String?
    let method: String?
    let payment: String?
    let phase: Phase
    let delay: Duration
    let loss: Loss
    let truncates: Bool
    let patch: JSONValue?
    let headers: [String: String]
    /// How many requests it still concerns; `nil` for all.
    var timesLeft: Int?
    var used = 0

    func matches(_ request: SandboxRequest, payment id: String?) -> Bool {
        (path == nil || path == request.path) && (method == nil || method == request.method)
            && (payment == nil || payment == id) && timesLeft != 0
    }

    /// The answer after everything this fault does to one that is sent.
    func spoil(_ answer: SandboxAnswer) -> SandboxAnswer {
        var spoilt = answer
        if let patch, let json = answer.json { spoilt.body = json.merging(patch).encoded }
        spoilt.headers.merge(headers) { $1 }
        if truncates { spoilt.cutAfter = spoilt.body.count / 2 }
        return spoilt
    }

    var json: JSONValue {
        .fields([
            "id": .string(id), "times_left": timesLeft.map { .integer($0) }, "used": .integer(used),
            "phase": .string(phase.rawValue),
            "match": .fields([
                "path": path.map(JSONValue.string), "method": method.map(JSONValue.string),
                "payment": payment.map(JSONValue.string),
            ]),
        ])
    }
}
