import Testing
import WajubWatch

@Suite("API origin")
struct APIOriginTests {
    @Test(
        "https anywhere and http on loopback are accepted",
        arguments: [
            ("https://api.wajub.com", "https://api.wajub.com", false),
            ("https://api.wajub.com/", "https://api.wajub.com", false),
            ("HTTPS://Staging.Wajub.com:8443", "https://staging.wajub.com:8443", false),
            ("http://localhost:8080", "http://localhost:8080", true),
            ("http://127.0.0.1", "http://127.0.0.1", true),
            ("http://127.9.8.7:1", "http://127.9.8.7:1", true),
            ("http://[::1]:9000/", "http://[::1]:9000", true),
            ("https://127.0.0.1:4443", "https://127.0.0.1:4443", true),
        ])
    func accepted(text: String, origin: String, isLoopback: Bool) throws {
        let parsed = try APIOrigin.parse(text)
        #expect(parsed.text == origin)
        #expect(parsed.isLoopback == isLoopback)
    }

    @Test(
        "anything else is refused with what is wrong",
        arguments: [
            ("api.wajub.com", APIOriginError.scheme), ("ftp://api.wajub.com", .scheme), ("", .scheme),
            ("http://api.wajub.com", .plainHTTP), ("http://127.0.0.1.evil.com", .plainHTTP),
            ("http://127.0.0.256", .plainHTTP), ("http://localhost.evil.com", .plainHTTP),
            ("https://user@api.wajub.com", .userInformation), ("http://127.0.0.1@evil.com", .userInformation),
            ("https://api.wajub.com/v2", .path), ("https://api.wajub.com//", .path), (#"http://127.0.0.1\evil"#, .path),
            ("https://api.wajub.com?x=1", .query), ("https://api.wajub.com#x", .query),
            ("https://", .host), ("https://a b", .host), ("https://a:0", .host), ("https://a:65536", .host),
            ("https://a:", .host), ("https://[zz]", .host), ("https://é", .host), ("https://a:+80", .host),
        ])
    func refused(text: String, error: APIOriginError) {
        #expect(throws: error) { try APIOrigin.parse(text) }
    }
}
