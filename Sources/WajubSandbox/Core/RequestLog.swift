internal import Contract

/// The last requests received, never with a token, a number or a code.
struct RequestLog: Sendable {
    struct Entry: Sendable {
        let number: Int
        let at: String
        let method: String
        let path: String
        let payment: String?
        let idempotencyKey: String?
        let client: String?
        let fault: String?
        /// `nil` while there is no answer, and for good when there never was one.
        var status: Int?

        var json: JSON {
            .fields([
                "number": .number("\(number)"), "at": .string(at), "method": .string(method), "path": .string(path),
                "payment": payment.map(JSON.string), "idempotency_key": idempotencyKey.map(JSON.string),
                "client": client.map(JSON.string), "fault": fault.map(JSON.string),
                "status": status.map { .number("\($0)") } ?? .null,
            ])
        }
    }

    /// Which entries somebody asks for.
    struct Filter: Sendable {
        /// Entries with a greater number.
        var after = 0
        var path: String?
        var payment: String?

        func matches(_ entry: Entry) -> Bool {
            entry.number > after && (path == nil || path == entry.path)
                && (payment == nil || payment == entry.payment)
        }
    }

    static let mostEntries = 10_000

    /// How many requests were received since the start; the number of the newest.
    private(set) var count = 0
    /// A ring: entry `n` is at `(n - 1) % mostEntries`.
    private var ring: [Entry] = []

    /// Adds an entry and returns its number.
    mutating func append(
        _ request: SandboxRequest, payment: String?, fault: String?, at timestamp: String
    ) -> Int {
        count += 1
        let entry = Entry(
            number: count, at: timestamp, method: request.method, path: request.path, payment: payment,
            idempotencyKey: request.headers["idempotency-key"], client: request.headers["x-wajub-client"],
            fault: fault, status: nil)
        if ring.count < Self.mostEntries { ring.append(entry) } else { ring[(count - 1) % Self.mostEntries] = entry }
        return count
    }

    mutating func setStatus(_ status: Int, of number: Int) {
        let index = (number - 1) % Self.mostEntries
        guard ring.indices.contains(index), ring[index].number == number else { return }
        ring[index].status = status
    }

    var newest: Entry? { count == 0 ? nil : ring[(count - 1) % Self.mostEntries] }

    /// Oldest first.
    func entries(_ filter: Filter) -> [Entry] {
        ring.filter(filter.matches).sorted { $0.number < $1.number }
    }
}
