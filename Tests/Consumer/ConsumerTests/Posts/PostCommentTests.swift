import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Groups
@testable import Posts
@testable import vitals_consumer

@Suite("Comments on posts", .timeLimit(.minutes(60)))
struct PostCommentTests {
    /// What somebody sees of the comments on a post.
    private func texts(_ circle: Circle, _ user: ID, _ post: JSON) throws -> [String] {
        try elements(circle.done(user, "posts/comments", ["post": post]), "comments").map { try $0.text("text") }
    }

    @Test("are seen by everybody who sees the post, whose author is told; a friend of a friend learns a name and no id")
    func seen() throws {
        try Circle.with { circle in
            let (ada, bob, cleo) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Cleo")
            )
            let eve = try circle.person(name: "Eve")
            for friend in [bob, cleo] { try circle.befriend(ada, friend, sharing: nil) }
            let post = try #require(try circle.post(ada, "Look")["post"])
            for friend in [bob, cleo] { #expect(try circle.next(friend, "posts")?["post"] == post) }
            let written = try circle.done(bob, "posts/comment", ["post": post, "text": "Fast!\nWhere was it?"])
            #expect(written["own"] == true && written["deletable"] == true && written["author"] == .string(bob.text))
            let news = try circle.next(ada, "posts")
            #expect(news?["post"] == post && news?["commented"] == true, "\(String(describing: news))")
            let told = try #require(try circle.notifications(ada).first)
            #expect(
                told["kind"] == "post-comment" && told["from"] == .string(bob.text) && told["post"] == post, "\(told)")
            #expect(told["text"] == "Bob has commented on your post.")
            circle.advance(1)
            try circle.done(ada, "posts/comment", ["post": post, "text": "By the river."])
            // Those who have written hear of it, but not of their own comments.
            let more = try circle.next(bob, "posts")
            #expect(more?["post"] == post && more?["commented"] == true, "\(String(describing: more))")
            #expect(try circle.notifications(bob).allSatisfy { $0["kind"] != "post-comment" })
            let list = try elements(circle.done(cleo, "posts/comments", ["post": post]), "comments")
            #expect(list.map { $0["name"] } == ["Bob", "Ada"] && list[0]["author"] == nil, "\(list)")
            #expect(
                list[1]["author"] == .string(ada.text)
                    && list.allSatisfy { $0["own"] == false && $0["deletable"] == false })
            let seen = try elements(circle.done(cleo, "posts/list"), "posts")
            #expect(seen[0]["comments"] == 2)
            // For strangers, neither the post nor the comment exists.
            let nobody: JSON = "abcdefghijklmnop"
            for (verb, field, id) in [
                ("comment", "post", post), ("comments", "post", post), ("portrait", "post", post),
                ("portrait", "comment", written["comment"] ?? .null),
                ("delete-comment", "comment", written["comment"] ?? .null),
                ("report", "comment", written["comment"] ?? .null),
            ] {
                func refusal(_ id: JSON) throws -> ReplyError {
                    let fields: [String: JSON] = [field: id, "text": "x", "reason": "y"]
                    let wanted = verb == "comment" ? ["text"] : verb == "report" ? ["reason"] : []
                    return try circle.refused(
                        eve, "posts/\(verb)",
                        .object(
                            fields.filter { $0.key == field || wanted.contains($0.key) }.map {
                                JSON.Member($0.key, $0.value)
                            }))
                }
                #expect(try refusal(id) == refusal(nobody), "\(verb) \(field)")
                #expect(try refusal(id).code == .notFound)
            }
        }
    }

    @Test("are deleted by who wrote them and by the post's author, and by nobody else")
    func deleting() throws {
        try Circle.with { circle in
            let (ada, bob, cleo) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Cleo")
            )
            for friend in [bob, cleo] { try circle.befriend(ada, friend, sharing: nil) }
            let post = try #require(try circle.post(ada, "Look")["post"])
            var ids: [JSON] = []
            for text in ["One", "Two", "Three"] {
                ids.append(
                    try #require(
                        try circle.done(bob, "posts/comment", ["post": post, "text": .string(text)])["comment"]))
                circle.advance(1)
            }
            #expect(try circle.refused(cleo, "posts/delete-comment", ["comment": ids[0]]).code == .notFound)
            try circle.done(bob, "posts/delete-comment", ["comment": ids[0]])
            try circle.done(ada, "posts/delete-comment", ["comment": ids[1]])
            #expect(try texts(circle, cleo, post) == ["Three"])
            try circle.done(ada, "posts/delete", ["post": post])
            #expect(try circle.postRows(bob)["post_comments.person"] == 0)
        }
    }

    @Test("are their writer's own, also on a post that the writer sees no longer")
    func deletingUnseen() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let post = try #require(try circle.post(ada, "Look")["post"])
            let comment = try #require(
                try circle.done(bob, "posts/comment", ["post": post, "text": "Mine"])["comment"])
            try circle.done(ada, "friends/remove", ["friend": .string(bob.text)])
            #expect(try circle.refused(bob, "posts/comments", ["post": post]).code == .notFound)
            try circle.done(bob, "posts/delete-comment", ["comment": comment])
            #expect(try texts(circle, ada, post).isEmpty)
        }
    }

    @Test("tell the author once a day of each writer and post, also if they are deleted; names go with the writer")
    func onceADay() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let (post, other) = (
                try #require(try circle.post(ada, "Look")["post"]), try #require(try circle.post(ada, "There")["post"])
            )
            func told() throws -> [JSON] {
                try circle.notifications(ada).filter { $0["kind"] == "post-comment" }
            }
            func comment(_ post: JSON) throws {
                let written = try circle.done(bob, "posts/comment", ["post": post, "text": "x"])
                try circle.done(bob, "posts/delete-comment", .object(present: ["comment": written["comment"]]))
                circle.advance(1)
            }
            for _ in 0..<3 { try comment(post) }
            #expect(try told().map { $0["post"] } == [post])
            try comment(other)
            #expect(try told().map { $0["post"] } == [other, post])
            circle.advance(86_400_000)
            try comment(post)
            #expect(try told().map { $0["post"] } == [post, other, post])
            #expect(try told().allSatisfy { "\($0)".contains("Bob") })
            try circle.forget(bob)
            let left = try told()
            #expect(left.count == 3 && !left.contains { "\($0)".contains("Bob") }, "\(left)")
        }
    }

    @Test("name a writer who is no friend by the id of a group that the post is for, and of no other")
    func groups() throws {
        try Circle.with { circle in
            let (ada, bob, cleo) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Cleo")
            )
            let ids = [try circle.group("Runners", ada, bob, cleo), try circle.group("Walkers", ada, bob, cleo)]
            for group in ids {
                let known = try circle.onSession { context in
                    try GroupBook(context.documents).group(group)?.member(bob)?.id
                }
                let post = try #require(try circle.post(ada, "Look", to: [group], friends: false)["post"])
                try circle.done(bob, "posts/comment", ["post": post, "text": "Fast"])
                let seen = try elements(circle.done(cleo, "posts/comments", ["post": post]), "comments")
                #expect(try seen[0]["author"] == .string(#require(known).text), "\(seen)")
                let told = try #require(
                    try circle.notifications(ada).first { $0["kind"] == "post-comment" && $0["post"] == post })
                #expect(told["from"] == seen[0]["author"], "\(told)")
            }
        }
    }

    @Test("of blocked people are seen by neither, nor by others of whom the author has blocked, who write no more")
    func blocked() throws {
        try Circle.with { circle in
            let (ada, bob, cleo) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Cleo")
            )
            for friend in [bob, cleo] { try circle.befriend(ada, friend, sharing: nil) }
            try circle.befriend(bob, cleo, sharing: nil)
            let post = try #require(try circle.post(ada, "Look")["post"])
            try circle.done(bob, "posts/comment", ["post": post, "text": "Bob's"])
            circle.advance(1)
            try circle.done(cleo, "posts/comment", ["post": post, "text": "Cleo's"])
            try circle.done(cleo, "friends/block", ["friend": .string(bob.text)])
            #expect(try texts(circle, cleo, post) == ["Cleo's"] && texts(circle, bob, post) == ["Bob's"])
            #expect(try texts(circle, ada, post) == ["Bob's", "Cleo's"])
            // The number of all would tell who has blocked whom, and so would news of what somebody does not see.
            for (user, count) in [(ada, 2), (bob, 1), (cleo, 1)] as [(ID, Int64)] {
                #expect(try circle.done(user, "posts/show", ["post": post])["comments"] == .integer(count))
                #expect(try elements(circle.done(user, "posts/list"), "posts")[0]["comments"] == .integer(count))
            }
            circle.advance(1)
            try circle.done(cleo, "posts/comment", ["post": post, "text": "Cleo's"])
            let next = try #require(try circle.post(ada, "And then")["post"])
            #expect(try circle.next(bob, "posts")?["post"] == post)
            #expect(try circle.next(bob, "posts")?["commented"] == true)
            #expect(try circle.next(bob, "posts")?["post"] == next)
            try circle.done(ada, "posts/delete", ["post": next])
            let dana = try circle.person(name: "Dana")
            try circle.befriend(ada, dana, sharing: nil)
            try circle.done(ada, "friends/block", ["friend": .string(bob.text)])
            let left = ["Cleo's", "Cleo's"]
            #expect(try texts(circle, ada, post) == left && texts(circle, dana, post) == left)
            #expect(try circle.refused(bob, "posts/comment", ["post": post, "text": "x"]).code == .notFound)
        }
    }

    @Test(
        "are limited: their texts, how many one has on a post and on a day; of muted people the author is not told"
    )
    func limits() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            try circle.done(ada, "friends/mute", ["friend": .string(bob.text), "muted": true])
            let post = try #require(try circle.post(ada, "Look")["post"])
            for text in [nil, "", " \n", "a\u{202E}b", .string(String(repeating: "a", count: 501)), 7] as [JSON?] {
                let refusal = try circle.refused(bob, "posts/comment", .object(present: ["post": post, "text": text]))
                #expect(refusal.field == "text", "\(String(describing: text)): \(refusal)")
            }
            let longest = String(repeating: "ä", count: 500)
            try circle.done(bob, "posts/comment", ["post": post, "text": .string(longest)])
            #expect(try circle.notifications(ada).allSatisfy { $0["kind"] != "post-comment" })
            for _ in 2...20 { try circle.done(bob, "posts/comment", ["post": post, "text": "x"]) }
            let own = try circle.refused(bob, "posts/comment", ["post": post, "text": "x"])
            #expect(own.code == .notAllowed && own.message.contains("20 comments on this post"))
            // One of the hundred comments a day is left. The others count on any post, even if they were deleted.
            let times = [JSON](repeating: .integer(circle.now), count: 99)
            try circle.onSession { context in
                try context.store.change(bob) { () throws(VaultError) in
                    try context.documents.write(["comments": .array(times)], PostTimes.document, of: bob)
                }
            }
            let other = try #require(try circle.post(ada, "Another")["post"])
            let last = try circle.done(bob, "posts/comment", ["post": other, "text": "x"])
            try circle.done(bob, "posts/delete-comment", .object(present: ["comment": last["comment"]]))
            let enough = try circle.refused(bob, "posts/comment", ["post": other, "text": "x"])
            #expect(enough.code == .rateLimited && enough.message.contains("100 comments within 24 hours"))
            // Posts are counted for themselves.
            _ = try circle.post(bob, "Bob's")
            circle.advance(86_400_000)
            try circle.done(bob, "posts/comment", ["post": other, "text": "x"])
            for cursor in ["", "x", "-1-a", 7] as [JSON] {
                #expect(try circle.refused(bob, "posts/comments", ["post": post, "after": cursor]).field == "after")
            }
        }
    }

    @Test("come in pages, and a post has two hundred at most")
    func pages() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let post = try ID(circle.post(ada, "Look").text("post"))
            try circle.onSession { context in
                try context.store.change(bob) { () throws(VaultError) in
                    for number in 0..<200 {
                        let id = decoded { () throws(MalformedValue) in try ID("comment-\(number)") } ?? post
                        // Several have the same time.
                        try CommentRows(context.store, context.keys).write(
                            PostComment(
                                id: id, post: post, author: ada, writer: bob, time: start + Int64(number / 7),
                                text: "\(number)", told: nil))
                    }
                }
            }
            let named = JSON.string(post.text)
            let refusal = try circle.refused(ada, "posts/comment", ["post": named, "text": "One more"])
            #expect(refusal.code == .notAllowed && refusal.message.contains("200 comments"))
            var (found, cursor, pages): ([String], JSON?, Int) = ([], nil, 0)
            repeat {
                let page = try circle.done(ada, "posts/comments", .object(present: ["post": named, "after": cursor]))
                found += try elements(page, "comments").map { try $0.text("text") }
                (cursor, pages) = (page["next"], pages + 1)
            } while cursor != nil && pages < 10
            #expect(Set(found).count == 200 && found.count == 200 && pages == 5, "\(pages)")
            #expect(found.first == "0" && found.prefix(7).allSatisfy { Int($0) ?? 99 < 7 })
        }
    }

    @Test("can be reported, and the operator removes one or lets it stay for good")
    func reported() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let post = try #require(try circle.post(ada, "Look")["post"])
            let (rude, kind) = (
                try circle.done(bob, "posts/comment", ["post": post, "text": "Rude"]),
                try circle.done(bob, "posts/comment", ["post": post, "text": "Kind"])
            )
            let own = try circle.refused(
                bob, "posts/report", .object(present: ["comment": rude["comment"], "reason": "x"]))
            #expect(own.code == .notAllowed && own.message.contains("your own"))
            for comment in [rude, kind] {
                try circle.done(
                    ada, "posts/report", .object(present: ["comment": comment["comment"], "reason": "Insults"]))
            }
            let settings = try circle.settings()
            func operate(_ action: PostsCommand.Action) throws -> [JSON] {
                try output { try PostsCommand(action).run(OperatorParts(settings, output: $0)) }
                    .compactMap { try? JSON(payload: Array($0.utf8)) }
            }
            let listed = try operate(.list)
            #expect(
                Set(listed.compactMap { $0["text"] }) == ["Rude", "Kind"] && listed.allSatisfy { $0["on"] == post },
                "\(listed)")
            #expect(
                Set(listed.compactMap { $0["comment"] }) == Set([rude["comment"], kind["comment"]].compactMap { $0 }))
            #expect(listed.allSatisfy { $0["author"] == .string(bob.text) && $0["deleted"] == false })
            _ = try operate(.remove(try ID(rude.text("comment"))))
            _ = try operate(.keep(try ID(kind.text("comment"))))
            #expect(try operate(.list).isEmpty && texts(circle, ada, post) == ["Kind"])
            let again = try circle.refused(
                ada, "posts/report", .object(present: ["comment": kind["comment"], "reason": "x"]))
            #expect(again.code == .notAllowed && again.message.contains("it stays"))
        }
    }

    @Test(
        "go with their writer, whose name goes from what the author was told, and with the author; nobody reads them in the database"
    )
    func forgotten() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let cleo = try circle.person(name: "Cleo")
            for friend in [bob, cleo] { try circle.befriend(ada, friend, sharing: nil) }
            let post = try #require(try circle.post(ada, "Look")["post"])
            for writer in [bob, cleo] {
                circle.advance(1)
                try circle.done(writer, "posts/comment", ["post": post, "text": "What nobody else reads"])
            }
            try circle.onSession { context in
                try context.store.database.checkpoint()
                let file = try #require(FileManager.default.contents(atPath: context.store.database.path))
                #expect(file.range(of: Data("What nobody else reads".utf8)) == nil)
            }
            try circle.forget(bob)
            #expect(try texts(circle, ada, post) == ["What nobody else reads"])
            let told = try circle.notifications(ada).filter { $0["kind"] == "post-comment" }
            #expect(
                told.count == 2 && told.count { "\($0)".contains("Bob") } == 0
                    && told.count { "\($0)".contains("Cleo") } == 1, "\(told)")
            #expect(try circle.postRows(bob).values.allSatisfy { $0 == 0 })
            try circle.forget(ada)
            #expect(try circle.postRows(cleo).values.allSatisfy { $0 == 0 })
        }
    }

    @Test("have the picture of who wrote them for those who know the writer, and posts that of their author")
    func portraits() throws {
        try Circle.with { circle in
            let (ada, bob, cleo) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Cleo")
            )
            for friend in [bob, cleo] { try circle.befriend(ada, friend, sharing: nil) }
            let picture = Data(smallestJPEG()).base64EncodedString()
            for user in [ada, bob] { try circle.done(user, "picture/set", ["picture": .string(picture)]) }
            let post = try #require(try circle.post(ada, "Look")["post"])
            let comment = try circle.done(bob, "posts/comment", ["post": post, "text": "Fast"])["comment"]
            let listed = try elements(circle.done(cleo, "posts/list"), "posts")
            #expect(listed[0]["portrait"] == true)
            #expect(try circle.done(cleo, "posts/portrait", ["post": post])["type"] == "image/jpeg")
            // Cleo and Bob know each other by nothing but a name.
            let seen = try elements(circle.done(cleo, "posts/comments", ["post": post]), "comments")
            #expect(seen[0]["portrait"] == false)
            #expect(
                try circle.refused(cleo, "posts/portrait", .object(present: ["comment": comment])).code == .notFound)
            let known = try elements(circle.done(ada, "posts/comments", ["post": post]), "comments")
            #expect(known[0]["portrait"] == true)
            #expect(
                try circle.done(ada, "posts/portrait", .object(present: ["comment": comment]))["picture"]
                    == .string(picture))
            try circle.done(bob, "picture/remove")
            #expect(try circle.refused(ada, "posts/portrait", .object(present: ["comment": comment])).code == .notFound)
        }
    }
}
