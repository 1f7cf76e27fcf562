import Files
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Posts
@testable import vitals_consumer

@Suite("Posts that must not be seen", .timeLimit(.minutes(60)))
struct PostHidingTests {
    @Test("are those of somebody of whom everything is being deleted, from the moment in which that begins")
    func beingForgotten() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            try circle.befriend(ada, bob, sharing: nil)
            let group = try circle.group("Runners", bob, ada, eve)
            let posted = try circle.post(ada, "For all", to: [group])
            let id = try ID(posted.text("post"))
            let before = try seen(circle, id, by: [bob, eve], forgetting: nil, of: ada)
            #expect(before == [true, true, true, true, false, false])
            // Nothing is deleted before this turn of the service's thread is over.
            let after = try seen(circle, id, by: [bob, eve], forgetting: ada, of: ada)
            #expect(after == [false, false, false, false, true, true])
        }
    }

    /// Whether each of some people sees a post, sees it as JSON, and has its author hidden from their list.
    private func seen(
        _ circle: Circle, _ post: ID, by users: [ID], forgetting user: ID?, of author: ID
    ) throws -> [Bool] {
        try circle.onSession { [consumer = circle.consumer] context in
            guard let posts = consumer.features.only(Posts.self) else { throw TestFailure("there are no posts") }
            guard let found = try posts.rows.post(post) else { throw TestFailure("there is no such post") }
            if let user { context.doors.forget(user, keepingAccount: false, telling: nil) { _ in } }
            let seen = users.map { (try? posts.seen(post, by: $0)) != nil }
            let shown = users.map { (try? posts.json(found, for: $0)) != nil }
            let hidden = try users.map { try posts.hidden(from: $0).contains(author) }
            return seen + shown + hidden
        }
    }

    @Test("are those of an author whom somebody has blocked, who is told of none, not even in a group of both")
    func blocked() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            let group = try circle.group("Runners", bob, ada, eve)
            let id = try ID(circle.post(ada, "For the group", to: [group]).text("post"))
            func viewers() throws -> Set<ID> {
                try circle.onSession { context in
                    let post = try PostRows(context.store, context.keys).post(id)
                    return Set(try PostViewers(context.documents).viewers(of: [#require(post)], by: ada).keys)
                }
            }
            #expect(try viewers() == [bob, eve])
            try circle.befriend(ada, eve, sharing: nil)
            try circle.done(eve, "friends/block", ["friend": .string(ada.text)])
            #expect(try viewers() == [bob])
        }
    }

    @Test("are those whose rows say another time in the clear than was sealed")
    func times() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            for text in ["First", "Second"] { _ = try circle.post(ada, text) }
            #expect(try circle.texts(ada) == ["Second", "First"])
            _ = try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    try context.store.database.execute(
                        "UPDATE posts SET time_ms = time_ms + 1000 WHERE person = ? AND time_ms = ?",
                        [.text(ada.text), .integer(start)])
                }
            }
            #expect(try circle.texts(ada) == ["Second"])
        }
    }

    @Test("are not those of others that somebody deletes by an id, who makes nobody wait by that")
    func deleting() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let id = try circle.post(ada, "Look")["post"] ?? .null
            try circle.done(bob, "posts/thumb", ["post": id, "thumb": "up"])
            let eve = try circle.person(name: "Eve")
            let refusal = try circle.refused(eve, "posts/delete", ["post": id])
            #expect(try refusal == circle.refused(eve, "posts/delete", ["post": "abcdefghijklmnop"]))
            #expect(try circle.texts(bob) == ["Look"])
            // Its author deletes it with the thumbs of others.
            try circle.done(ada, "posts/delete", ["post": id])
            #expect(try circle.postRows(bob).values.allSatisfy { $0 == 0 })
        }
    }
}
