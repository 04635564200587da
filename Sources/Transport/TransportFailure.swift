/// Why there is no answer, and whether the server may have seen the request all the same.
package struct TransportFailure: Error, Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// The name does not resolve, or nobody could be asked.
        case nameResolution
        case refused
        /// No route, no network, or another reason not to connect; with the system's error number, 0 if unknown.
        case unreachable(errno: Int32)
        case tls(TLSProblem)
        case timeout(Phase)
        /// The connection ended inside the answer.
        case cutBody
        /// The connection ended before the answer.
        case emptyReply
        /// The proxy did not connect us.
        case proxy
        /// A body over the request's bound, or headers over 64 KiB.
        case tooLarge
        /// By the task, or by ``Transport/shutdown()``.
        case cancelled
        /// The transport was shut down before.
        case closed
        /// Too many requests wait in line already.
        case overloaded
        /// The URL or a header cannot be sent.
        case invalidRequest
        /// The server answered a WebSocket upgrade with this status.
        case upgradeRefused(status: Int)
        /// What answered a WebSocket upgrade is no WebSocket server.
        case upgradeMalformed
        /// Another result of libcurl, with its constant text.
        case other(code: Int, text: String)
    }

    package enum TLSProblem: Equatable, Sendable {
        /// Not issued by a trusted authority, or for another name.
        case certificate
        /// Not valid yet or no longer (X.509 verify results 9 and 10): the local clock may be wrong.
        case date
        case handshake
        /// The file of trusted authorities does not load.
        case trustStore
    }

    package enum Phase: Equatable, Sendable {
        case queue
        case lookup
        /// TCP, proxy and TLS.
        case connect
        /// From the request's first byte on; for a WebSocket, the upgrade.
        case answer
    }

    package let kind: Kind
    /// False only if it is certain that no byte of the request left on any connection.
    package let mayHaveReachedServer: Bool

    package init(_ kind: Kind, mayHaveReachedServer: Bool) {
        self.kind = kind
        self.mayHaveReachedServer = mayHaveReachedServer
    }
}
