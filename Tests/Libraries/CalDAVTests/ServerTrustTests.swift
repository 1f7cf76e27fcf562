import Fetch
import Testing

@testable import CalDAV

@Suite("Where a calendar server may lead", .timeLimit(.minutes(60)))
struct ServerTrustTests {
    @Test(
        "the password goes to hosts that one owner has registered, and nowhere else",
        arguments: [
            ("https://caldav.icloud.com/", "https://p34-caldav.icloud.com:443/1/calendars/", true),
            ("https://example.co.uk/", "https://dav.example.co.uk/", true),
            ("https://dav.example.com/", "https://example.com/", true),
            ("https://dav.example.com/", "https://dav.example.com:8443/", true),
            ("https://dav.example.com/", "https://example.org/", false),
            ("https://one.co.uk/", "https://two.co.uk/", false),
            ("https://ann.github.io/", "https://bob.github.io/", false),
            ("https://dav.example.com/", "https://dav.example.com.evil.org/", false),
            ("https://192.0.2.1/", "https://192.0.2.2/", false),
            ("https://10.1.2.3/", "https://20.1.2.3/", false),
            ("https://192.0.2.1/", "https://192.0.2.1:8443/", true),
            ("https://127.0.0.1/", "http://127.0.0.1/", false),
            ("http://127.0.0.1:1/", "http://127.0.0.1:1/x", true),
            ("http://127.0.0.1:1/", "http://127.0.0.1:2/", false),
            ("https://cloud/", "https://cloud/x", true), ("https://cloud/", "https://other/", false),
        ])
    func covers(_ given: String, _ other: String, _ isCovered: Bool) throws {
        let trust = ServerTrust(try WebAddress(given))
        #expect(trust.covers(try WebAddress(other)) == isCovered, "\(given) \(other)")
    }

    @Test("only the person's own host may be a private one")
    func privateHosts() throws {
        let trust = ServerTrust(try WebAddress("https://dav.example.com/"))
        #expect(trust.allowsPrivate(try WebAddress("https://dav.example.com/x")))
        #expect(!trust.allowsPrivate(try WebAddress("https://www.example.com/")))
    }
}
