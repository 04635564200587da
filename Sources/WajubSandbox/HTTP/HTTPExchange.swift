internal import CMicrohttpd

/// One request of a connection, while libmicrohttpd reads it and we answer it.
///
/// `@unchecked Sendable`: until ``suspend()`` the server's own thread alone touches it; from then until
/// ``resume(with:)`` libmicrohttpd leaves the connection alone, and whoever delivers calls `resume` once, under the
/// driver's lock; after that the server's thread alone touches it again.
final class HTTPExchange: @unchecked Sendable {
    /// The largest body that is read.
    static let largestBody = 65_536
    /// What is read and thrown away beyond it before the connection is cut.
    private static let largestUpload = 1_048_576

    let method: String
    let path: String
    private let connection: OpaquePointer
    private var body: [UInt8] = []
    private var uploaded = 0
    private var delivery: SandboxCore.Delivery?
    private var isHandled = false

    init(connection: OpaquePointer, method: String, path: String) {
        self.connection = connection
        self.method = method
        self.path = path
    }

    /// Takes a part of the body; false when the connection must be cut.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        uploaded += bytes.count
        if uploaded <= Self.largestBody { body.append(contentsOf: bytes) }
        return uploaded <= Self.largestUpload
    }

    /// On the first call what `handler` makes of the whole request, `nil` when it suspended the connection; after that
    /// what ``resume(with:)`` brought.
    func outcome(_ handler: (HTTPExchange) -> SandboxCore.Delivery?) -> SandboxCore.Delivery? {
        guard !isHandled else { return delivery }
        isHandled = true
        if uploaded > Self.largestBody {
            return .answer(.error(413, nil, "The body is larger than \(Self.largestBody) bytes."))
        }
        // `delivery` is not read here: once suspended, another thread may be writing it.
        return handler(self)
    }

    var request: SandboxRequest {
        SandboxRequest(
            method: method, path: path, query: values(.GET_ARGUMENT_KIND),
            headers: Dictionary(values(.HEADER_KIND).map { ($0.key.lowercased(), $0.value) }) { first, _ in first },
            body: body)
    }

    /// To be called from `handler` alone, inside the lock that ``resume(with:)`` is called in.
    func suspend() {
        MHD_suspend_connection(connection)
    }

    func resume(with delivery: SandboxCore.Delivery) {
        self.delivery = delivery
        MHD_resume_connection(connection)
    }

    private func values(_ kind: MHD_ValueKind) -> [String: String] {
        var values: [String: String] = [:]
        withUnsafeMutablePointer(to: &values) { pointer in
            _ = MHD_get_connection_values(connection, kind, collectHTTPValue, pointer)
        }
        return values
    }
}

/// `MHD_KeyValueIterator`; the context points to a dictionary. A second header of the same name is left out.
private func collectHTTPValue(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, key: UnsafePointer<CChar>?, value: UnsafePointer<CChar>?
) -> MHD_Result {
    guard let context, let key else { return .NO }
    let values = context.assumingMemoryBound(to: [String: String].self)
    let name = String(cString: key)
    if values.pointee[name] == nil { values.pointee[name] = value.map { String(cString: $0) } ?? "" }
    return .YES
}
