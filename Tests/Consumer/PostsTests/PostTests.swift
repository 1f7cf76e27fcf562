import HouseholdSupport
import Telemetry
import Testing

@testable import Posts

@Suite("A post")
struct PostTests {
    @Test("may have lines, letters of any language and faces, and neither controls nor marks of direction")
    func texts() {
        let face = "\u{1F469}\u{200D}\u{1F466}"
        for text in ["", "two\nlines", "Größe, שלום, 你好 \(face)", String(repeating: "ä", count: 1000)] {
            #expect(PlainText.isText(text, atMost: Post.longestText), "\(text)")
        }
        for scalar in [
            "\u{0}", "\t", "\r", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}", "\u{61C}", "\u{200E}",
            "\u{200F}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}",
        ] { #expect(!PlainText.isText("a\(scalar)b", atMost: Post.longestText), "\(scalar.unicodeScalars)") }
        #expect(!PlainText.isText(String(repeating: "a", count: 1001), atMost: Post.longestText))
        #expect(!PlainText.isText("e" + String(repeating: "\u{301}", count: 2000), atMost: Post.longestText), "one character of 4,001 bytes")
    }

    @Test("is kept with everything that it has, and its week within limits")
    func kept() throws {
        let (id, ada) = (try ID("post"), try ID("ada"))
        var post = Post(id: id, author: ada, time: 5, text: "A\n\"good\" week")
        post.week = Post.Week(workouts: 3, seconds: 5400, selection: ["Legs"], muscles: ["calves", "quadriceps"])
        (post.hasPicture, post.isForFriends, post.groups) = (true, true, [try ID("runners")])
        (post.ups, post.downs, post.isJudged) = (2, 1, true)
        #expect(Post(id: id, of: ada, at: 5, kept: try JSON(payload: post.kept.bytes)) == post)
        #expect(Post(id: id, of: ada, at: 5, kept: ["text": 7]) == nil)
        // The time of the row is in the clear, and was changed.
        #expect(Post(id: id, of: ada, at: 6, kept: post.kept) == nil)
        let long = Post.Week(selection: [String](repeating: "a", count: 50), muscles: [String(repeating: "b", count: 101)])
        #expect(long.limited.selection.count == 20 && long.limited.muscles.isEmpty)
    }

    @Test("has a place after which a list goes on, and nothing else is one")
    func places() throws {
        let place = try #require(PostPages.place("1795261361000-a-b"))
        #expect(place.time == 1_795_261_361_000 && place.post.text == "a-b")
        for text in ["", "-", "1", "1-", "-a", "-1-a", "1-A", "1-a/b", "x-a", "99999999999999999999-a", "1 -a"] {
            #expect(PostPages.place(text) == nil, "\(text)")
        }
    }
}
