import Platform
import Testing

@Suite("Digest")
struct DigestTests {
    @Test("SHA-256 of the empty string is the published one")
    func emptySHA256() {
        #expect(
            Digest.hex(Digest.sha256([UInt8]())) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("HMAC-SHA256 is RFC 4231's second case")
    func hmac() {
        let code = Digest.hmacSHA256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(Digest.hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test("SHA-1 gives RFC 6455's Sec-WebSocket-Accept")
    func sha1() {
        let digest = Digest.sha1(Array("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        #expect(Digest.hex(digest) == "b37a4f2cc0624f1690f64606cf385945b2bec4ea")
    }
}
