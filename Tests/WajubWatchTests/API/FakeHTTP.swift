import Contract
import FoundationEssentials
import Platform
import PlatformTestSupport
import Synchronization
import Transport

@testable import WajubWatch

/// Answers every request alike, and keeps the requests.
final class FakeHTTP: HTTPSending {
    private let answer: Result<HTTPResponse, TransportFailure>
    private let kept = Mutex<[HTTPRequest]>([])

    init(_ answer: Result<HTTPResponse, TransportFailure>) {
        self.answer = answer
    }

    convenience init(_ status: Int, _ body: String, headers: [(String, String)] = []) {
        self.init(
            .success(
                HTTPResponse(status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
            ))
    }

    var requests: [HTTPRequest] { kept.withLock { $0 } }

    func send(_ request: HTTPRequest) async -> Result<HTTPResponse, TransportFailure> {
        kept.withLock { $0.append(request) }
        return answer
    }

    /// A client that asks this server.
    func client(time: any TimeSource = ManualTime()) -> APIClient {
        APIClient(
            origin: .wajub, http: self, time: time,
            identity: ClientIdentity(version: "1.2.3", kernelRelease: "6.1.0", languages: ["fr-CM", "en", "no good"]))
    }
}

let token = Secret("tok_secret")

/// What a session answer of this body becomes.
func session(_ body: String, headers: [(String, String)] = []) async throws -> Session {
    try await FakeHTTP(200, body, headers: headers).client().session(token: token).get()
}

/// What a status answer becomes.
func reading(_ body: String, headers: [(String, String)] = []) async throws -> StatusReading {
    try await FakeHTTP(200, body, headers: headers).client().status(token: token).get()
}

/// How a status call with this answer misses.
func miss(_ status: Int, _ body: String, headers: [(String, String)] = []) async throws -> CallFailure {
    switch await FakeHTTP(status, body, headers: headers).client().status(token: token) {
    case .success(let reading): throw Unexpected(text: "\(reading)")
    case .failure(let failure): failure
    }
}

struct Unexpected: Error {
    let text: String
}

extension CallFailure {
    var refusal: APIRefusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    var unanswered: Unanswered? {
        if case .unanswered(let unanswered) = self { unanswered } else { nil }
    }
}
