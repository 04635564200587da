internal import CCrypto
package import FoundationEssentials

/// Digests by libcrypto.
package enum Digest {
    /// SHA-256, 32 bytes.
    package static func sha256(_ bytes: some DataProtocol) -> [UInt8] {
        digest(Array(bytes), EVP_sha256())
    }

    /// SHA-1, 20 bytes; for the WebSocket handshake (RFC 6455, 4.2.2) alone.
    package static func sha1(_ bytes: some DataProtocol) -> [UInt8] {
        digest(Array(bytes), EVP_sha1())
    }

    /// HMAC with SHA-256, 32 bytes; signs Pusher channels.
    package static func hmacSHA256(_ bytes: some DataProtocol, key: some DataProtocol) -> [UInt8] {
        let (key, bytes) = (Array(key), Array(bytes))
        var output = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let made = HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, &output, &count)
        precondition(made != nil, "libcrypto has no HMAC-SHA256")
        return Array(output.prefix(Int(count)))
    }

    /// Bytes as lower-case hexadecimal digits.
    package static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes that hexadecimal digits stand for; nil where they are none.
    package static func bytes(hex text: String) -> [UInt8]? {
        let digits = text.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }

    private static func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let done = EVP_Digest(bytes, bytes.count, &output, &count, algorithm, nil)
        precondition(done == 1, "libcrypto refused a digest")
        return Array(output.prefix(Int(count)))
    }
}
