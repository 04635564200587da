import Platform
import Testing

@Suite("API origin")
struct APIOriginTests {
    @Test(
        "https anywhere, plain http on loopback alone",
        arguments: [
            ("https://api.wajub.com", "https://api.wajub.com", false), ("HTTPS://API.Wajub.com/", "https://api.wajub.com", false),
            ("https://10.0.0.1:8443", "https://10.0.0.1:8443", false), ("http://localhost:80", "http://localhost:80", true),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080", true), ("http://[::1]:8080", "http://[::1]:8080", true),
            ("http://127.255.1.2", "http://127.255.1.2", true),
        ])
    func allowed(text: String, origin: String, isLoopback: Bool) throws {
        let parsed = try APIOrigin(text)
        #expect(parsed.text == origin)
        #expect(parsed.isLoopback == isLoopback)
    }

    @Test(
        "Anything else is refused, with what is wrong",
        arguments: [
            "", "api.wajub.com", "ftp://api.wajub.com", "http://api.wajub.com", "http://10.0.0.1", "http://127.0.0.1.evil.com",
            "http://localhost.evil.com", "http://localhost@evil.com", "https://", "https:///", "https://host/path",
            "https://host?x", "https://host#x", "https://user:pass@host", "https://host:0", "https://host:65536",
            "https://host:x", "https://ho st", "https://[::1", "http://[::2]", "https://host\\evil",
        ])
    func refused(text: String) {
        #expect(throws: APIOriginError.self) { _ = try APIOrigin(text) }
    }
}
