internal import Contract
internal import JSON
internal import Platform

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
        /// Those of ``RequestLog/shownHeaders`` that it had, by lower-case name.
        let headers: [String: String]
        /// Equal for equal bodies, and tells nothing else of them; `nil` for an empty one.
        let bodyDigest: String?
        /// The device signals of a payment request (seed 000, "Device signals and privacy").
        let device: JSONValue?
        let fault: String?
        /// `nil` while there is no answer, and for good when there never was one.
        var status: Int?

        var json: JSONValue {
            .fields([
                "number": .integer(number), "at": .string(at), "method": .string(method), "path": .string(path),
                "payment": payment.map(JSONValue.string), "idempotency_key": idempotencyKey.map(JSONValue.string),
                "client": client.map(JSONValue.string), "headers": .object(headers.mapValues(JSONValue.string)),
                "body_digest": bodyDigest.map(JSONValue.string), "device": device, "fault": fault.map(JSONValue.string),
                "status": status.map { .integer($0) } ?? .null,
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
    /// What a client says of itself and of its body; never a credential.
    static let shownHeaders = ["accept", "accept-language", "content-type", "user-agent", "x-wajub-client"]
    /// Device signals that are longer are no device's.
    private static let longestDevice = 2_048

    /// Numbers and codes are few enough to be found out from a bare digest.
    private let digestKey: [UInt8]
    /// How many requests were received since the start; the number of the newest.
    private(set) var count = 0
    /// A ring: entry `n` is at `(n - 1) % mostEntries`.
    private var ring: [Entry] = []

    /// - parameter seed: the sandbox's: the same bodies have the same digests for it.
    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed ^ 0x4449_4745)
        digestKey = Array(generator.hex(words: 4).utf8)
    }

    /// Adds an entry and returns its number.
    mutating func append(
        _ request: SandboxRequest, payment: String?, fault: String?, at timestamp: String
    ) -> Int {
        count += 1
        let entry = Entry(
            number: count, at: timestamp, method: request.method, path: request.path, payment: payment,
            idempotencyKey: request.headers["idempotency-key"], client: request.headers["x-wajub-client"],
            headers: request.headers.filter { Self.shownHeaders.contains($0.key) }, bodyDigest: digest(request.body),
            device: Self.device(of: request), fault: fault, status: nil)
        if ring.count < Self.mostEntries { ring.append(entry) } else { ring[(count - 1) % Self.mostEntries] = entry }
        return count
    }

    private func digest(_ body: [UInt8]) -> String? {
        body.isEmpty ? nil : Digest.hex(Digest.hmacSHA256(body, key: digestKey))
    }

    private static func device(of request: SandboxRequest) -> JSONValue? {
        guard request.path == "/pay/process", let device = request.json?["device"],
            device.text.utf8.count <= longestDevice
        else { return nil }
        return device
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
