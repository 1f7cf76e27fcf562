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
@testable import Posts
@testable import vitals_consumer

@Suite("Posts that are reported, and posts of people who are forgotten", .timeLimit(.minutes(60)))
struct PostReportTests {
    /// What the operator's command prints.
    private func operate(_ circle: Circle, _ action: PostsCommand.Action) throws -> [String] {
        let settings = try circle.settings()
        return try output { try PostsCommand(action).run(OperatorParts(settings, output: $0)) }
    }

    private func listed(_ circle: Circle) throws -> [JSON] {
        try operate(circle, .list).map { try JSON(payload: Array($0.utf8)) }
    }

    @Test("are shown to the operator as they were, with reasons, and without who reported them")
    func reported() throws {
        try Circle.with { circle in
            let (ada, bob, eve) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Eve")
            )
            for friend in [bob, eve] { try circle.befriend(ada, friend, sharing: nil) }
            let id = try circle.post(ada, "Insults", picture: smallestJPEG())["post"] ?? .null
            #expect(try listed(circle).isEmpty)
            let reason: JSON = ["post": id, "reason": " It insults me. "]
            #expect(try circle.done(bob, "posts/report", reason) == ["reported": true])
            #expect(try circle.done(bob, "posts/report", reason) == ["reported": true])
            circle.advance(1000)
            try circle.done(eve, "posts/report", ["post": id, "reason": "Me, too."])
            #expect(try circle.refused(ada, "posts/report", reason).code == .notAllowed)
            for wrong in [nil, "", " \n", "\u{202E}", .string(String(repeating: "a", count: 501)), 5] as [JSON?] {
                let refusal = try circle.refused(bob, "posts/report", .object(present: ["post": id, "reason": wrong]))
                #expect(refusal.field == "reason")
            }
            // Its author deletes it: the operator sees what it was.
            try circle.done(ada, "posts/delete", ["post": id])
            let posts = try listed(circle)
            #expect(posts.count == 1 && posts[0]["post"] == id && posts[0]["author"] == .string(ada.text))
            #expect(posts[0]["text"] == "Insults" && posts[0]["deleted"] == true && posts[0]["reported"] == .integer(start + 1))
            let reasons = try elements(posts[0], "reasons")
            #expect(reasons.map { $0["reason"] } == ["It insults me.", "Me, too."])
            for reporter in [bob, eve] { #expect(!"\(posts)".contains(reporter.text)) }
            let path = FileManager.default.temporaryDirectory.path + "/post-picture-\(UUID().uuidString)"
            defer { unlink(path) }
            let file = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
            defer { close(file) }
            try PostsCommand(.picture(id.id())).run(OperatorParts(circle.settings(), output: file))
            #expect(FileManager.default.contents(atPath: path) == Data(smallestJPEG()))
            let name = try id.id()
            let removed = try operate(circle, .remove(name))
            #expect(removed == ["\(name) is removed"])
            #expect(try listed(circle).isEmpty)
            for user in [ada, bob, eve] { #expect(try circle.postRows(user).values.allSatisfy { $0 == 0 }) }
            let gone = try #require(thrown(Failure.self) { try operate(circle, .keep(id.id())) })
            #expect(gone.exitCode == .notFound)
        }
    }

    @Test("are removed for everybody, or stay for good, as the operator decides")
    func decided() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let (bad, good) = (try circle.post(ada, "Bad")["post"] ?? .null, try circle.post(ada, "Good")["post"] ?? .null)
            try circle.done(bob, "posts/thumb", ["post": bad, "thumb": "down"])
            for id in [bad, good] { try circle.done(bob, "posts/report", ["post": id, "reason": "Bad"]) }
            #expect(try listed(circle).map { $0["deleted"] } == [false, false])
            _ = try operate(circle, .remove(bad.id()))
            _ = try operate(circle, .keep(good.id()))
            #expect(try listed(circle).isEmpty)
            for user in [ada, bob] { #expect(try circle.texts(user) == ["Good"]) }
            #expect(try circle.refused(bob, "posts/show", ["post": bad]).code == .notFound)
            let again = try circle.refused(bob, "posts/report", ["post": good, "reason": "Bad"])
            #expect(again.code == .notAllowed && again.message.contains("it stays"))
            // A thumb still changes what was kept.
            #expect(try circle.done(bob, "posts/thumb", ["post": good, "thumb": "up"])["ups"] == 1)
            #expect(try circle.refused(bob, "posts/report", ["post": good, "reason": "Bad"]).message == again.message)
        }
    }

    @Test("are bounded: twenty of a person that wait for the operator, and ten of a post")
    func bounds() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let ids = try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    try (0..<21).map { number throws(VaultError) in
                        let post = Post(id: try drawnID(), author: ada, time: start, text: "\(number)", isForFriends: true)
                        try PostRows(context.store, context.keys).add(post, nil)
                        return post.id
                    }
                }
            }
            for id in ids.dropLast() { try circle.done(bob, "posts/report", ["post": .string(id.text), "reason": "Bad"]) }
            let last = JSON.string(ids[20].text)
            #expect(try circle.refused(bob, "posts/report", ["post": last, "reason": "Bad"]).code == .notAllowed)
            for _ in 0..<12 {
                let friend = try circle.person(name: "Friend")
                try circle.befriend(ada, friend, sharing: nil)
                #expect(try circle.done(friend, "posts/report", ["post": last, "reason": "Bad"]) == ["reported": true])
            }
            let shown = try #require(listed(circle).first { $0["post"] == last })
            #expect(try elements(shown, "reasons").count == 10)
            _ = try operate(circle, .keep(ids[0]))
            circle.advance(1)
            try circle.done(bob, "posts/report", ["post": last, "reason": "Bad"])
        }
    }

    @Test("are refused, and not lost in silence, once the operator has a hundred posts of the author to look at")
    func full() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            let ids = try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    try (0...100).map { number throws(VaultError) in
                        let post = Post(id: try drawnID(), author: ada, time: start, text: "\(number)", isForFriends: true)
                        try PostRows(context.store, context.keys).add(post, nil)
                        return post.id
                    }
                }
            }
            let friends = try (0..<6).map { _ in
                let friend = try circle.person(name: "Friend")
                try circle.befriend(ada, friend, sharing: nil)
                return friend
            }
            func report(_ number: Int) -> JSON { ["post": .string(ids[number].text), "reason": "Bad"] }
            for number in 0..<100 { try circle.done(friends[number / 20], "posts/report", report(number)) }
            let late = try circle.refused(friends[5], "posts/report", report(100))
            #expect(late.code == .notAllowed && late.field == "post" && late.message.contains("100 posts"), "\(late)")
            // Another report of one of these is kept.
            try circle.done(friends[5], "posts/report", report(7))
            _ = try operate(circle, .keep(ids[0]))
            circle.advance(1)
            #expect(try circle.done(friends[5], "posts/report", report(100)) == ["reported": true])
        }
    }

    @Test("go with their author, everywhere, and those who have seen them are told")
    func author() throws {
        try Circle.with { circle in
            let (ada, bob, eve) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Eve")
            )
            try circle.befriend(ada, bob, sharing: nil)
            let group = try circle.group("Runners", ada, eve)
            let id = try circle.post(ada, "Look", to: [group], picture: smallestJPEG())["post"] ?? .null
            for other in [bob, eve] {
                try circle.done(other, "posts/thumb", ["post": id, "thumb": "up"])
                try circle.done(other, "posts/report", ["post": id, "reason": "Bad"])
            }
            for writer in [ada, eve] { try circle.done(writer, "posts/comment", ["post": id, "text": "So it is."]) }
            let known = try circle.done(eve, "posts/show", ["post": id])["author"]
            let before = try circle.postRows(ada)
            for (name, count) in before where !["post_thumbs.person", "post_reports.person"].contains(name) {
                #expect(count > 0, "\(name)")
            }
            #expect(try listed(circle).count == 1)
            try circle.forget(ada)
            try circle.wait(bob, "posts") { $0 == ["author": .string(ada.text), "removed": true] }
            try circle.wait(eve, "posts") { $0 == ["author": known ?? .null, "removed": true] }
            for user in [ada, bob, eve] {
                #expect(try circle.postRows(user).values.allSatisfy { $0 == 0 })
                #expect(try circle.texts(user).isEmpty)
            }
            #expect(try listed(circle).isEmpty)
            #expect(try circle.isGood())
        }
    }

    @Test("lose the thumbs and reports of somebody who is forgotten, and the author their name")
    func giver() throws {
        try Circle.with { circle in
            let (ada, bob, eve) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Eve")
            )
            for friend in [bob, eve] { try circle.befriend(ada, friend, sharing: nil) }
            let ids = try ["One", "Two"].map { try circle.post(ada, $0)["post"] ?? .null }
            for id in ids { try circle.done(bob, "posts/thumb", ["post": id, "thumb": "up"]) }
            try circle.done(bob, "posts/thumb", ["post": ids[1], "thumb": .null])
            for id in ids { try circle.done(bob, "posts/report", ["post": id, "reason": "Bob's reason"]) }
            try circle.done(eve, "posts/thumb", ["post": ids[0], "thumb": "up"])
            try circle.done(eve, "posts/report", ["post": ids[0], "reason": "Eve's reason"])
            let before = try circle.postRows(bob)
            #expect(before["post_thumbs.person"] == 2 && before["post_reports.person"] == 2)
            #expect(try circle.done(ada, "posts/show", ["post": ids[0]])["ups"] == 2)
            #expect(try circle.notifications(ada).count { "\($0)".contains("Bob") && $0["kind"] == "post-thumb" } == 2)
            try circle.forget(bob)
            #expect(try circle.postRows(bob).values.allSatisfy { $0 == 0 })
            #expect(try circle.done(ada, "posts/show", ["post": ids[0]])["ups"] == 1)
            #expect(try circle.notifications(ada).count { "\($0)".contains("Bob") && $0["kind"] == "post-thumb" } == 0)
            #expect(try circle.notifications(ada).count { $0["kind"] == "post-thumb" } == 3)
            // What he alone has reported is nobody's business any more.
            let posts = try listed(circle)
            #expect(posts.map { $0["post"] } == [ids[0]])
            #expect(try elements(posts[0], "reasons").map { $0["reason"] } == ["Eve's reason"])
            #expect(try circle.texts(eve) == ["Two", "One"])
            #expect(try circle.isGood())
        }
    }
}

extension JSON {
    /// Itself, as an id.
    fileprivate func id() throws -> ID { try #require(ID(kept: self)) }
}

extension Circle {
    func settings() throws -> ConsumerSettings {
        try household.settings(port: broker.port, more: "time_zone: \"UTC\", accounts: {}, broker_rules: {},")
    }

    /// Has everything of a person deleted.
    func forget(_ user: ID) throws {
        let asked = try done(user, "reset-all/ask")
        try done(user, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
    }

    /// Whether `check` finds nothing.
    fileprivate func isGood() throws -> Bool { try onSession { try CheckCommand.findings($0.store, $0.keys).isGood } }
}
