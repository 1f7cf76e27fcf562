import Testing

@testable import Sharing

@Suite("Pages on which people share themselves")
struct ShareLinksTests {
    @Test("have everything that is not unreserved in hexadecimal")
    func encoded() {
        #expect(
            ShareLinks.x("9.0 km & mehr: Grüße\n#1", "https://example.org/?d=1#x")
                == "https://x.com/intent/post?text=9.0%20km%20%26%20mehr%3A%20Gr%C3%BC%C3%9Fe%0A%231&url=https%3A%2F%2Fexample.org%2F%3Fd%3D1%23x"
        )
        #expect(ShareLinks.x("a", nil) == "https://x.com/intent/post?text=a")
        #expect(
            ShareLinks.facebook("https://example.org/a b")
                == "https://www.facebook.com/sharer/sharer.php?u=https%3A%2F%2Fexample.org%2Fa%20b")
    }

    @Test("have no more of a text than X takes, and no part of a character")
    func long() {
        let plain = ShareLinks.x(String(repeating: "a", count: 1000), nil)
        #expect(
            plain.hasSuffix(String(repeating: "a", count: 280)) && !plain.hasSuffix(String(repeating: "a", count: 281)))
        // The link, too, counts: as 23 characters, and a space.
        let linked = ShareLinks.x(String(repeating: "a", count: 1000), "https://example.org/")
        #expect(linked.contains("=" + String(repeating: "a", count: 256) + "&url="))
        // Chinese characters count twice.
        let chinese = ShareLinks.x(String(repeating: "好", count: 1000), nil)
        #expect(chinese == ShareLinks.x(String(repeating: "好", count: 140), nil))
        #expect(chinese != ShareLinks.x(String(repeating: "好", count: 139), nil))
        // Each has 25 bytes.
        let family = "👨‍👩‍👧‍👦"
        let many = ShareLinks.x(String(repeating: family, count: 280), nil)
        #expect(many.utf8.count < 3500)
        #expect(many.hasSuffix(ShareLinks.x(family, nil).dropFirst("https://x.com/intent/post?text=".count)))
    }
}
