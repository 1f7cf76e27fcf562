import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("What people take along of others, at a running service", .timeLimit(.minutes(60)))
struct SocialExportTests {
    /// All files of a person's export, put together from their parts.
    private func exported(_ circle: Circle, _ user: ID) throws -> [String: String] {
        var files: [String: String] = [:]
        var cursor: JSON?
        repeat {
            let part = try circle.done(user, "export/part", .object(present: ["cursor": cursor]))
            let (file, text) = (try part.text("file"), try part.text("data"))
            files[file, default: ""] += text
            cursor = part["next"]
            if cursor == .null { cursor = nil }
        } while cursor != nil
        return files
    }

    @Test("is their own posts, groups and partners, without anybody's id")
    func export() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let group = try circle.group(of: bob, with: [ada])
            try circle.done(bob, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            guard case .string(let id) = group else { throw TestFailure("\(group)") }
            let own = try circle.post(ada, "A good week.", to: [ID(id)])["post"] ?? .null
            let theirs = try circle.post(bob, "Not hers.", to: [ID(id)])["post"] ?? .null
            try circle.done(ada, "posts/thumb", ["post": theirs, "thumb": "up"])
            try circle.done(ada, "posts/report", ["post": theirs, "reason": "It is rude."])
            let comment = try circle.done(ada, "posts/comment", ["post": theirs, "text": "Well done."])["comment"]
            let offer =
                try circle.done(ada, "partners/offer", ["activity": "running", "area": "Old Town"])["offer"] ?? .null
            try circle.done(ada, "partners/contact", ["contact": "by the river"])
            try circle.done(bob, "partners/contact", ["contact": "bob@example.org"])
            let ask = try circle.done(bob, "partners/ask", ["offer": offer, "text": "Tuesdays?"])["ask"] ?? .null
            try circle.done(ada, "partners/answer", ["ask": ask, "accept": true])
            let other =
                try circle.done(bob, "partners/offer", ["activity": "walking", "area": "Hill"])["offer"] ?? .null
            try circle.done(ada, "partners/ask", ["offer": other, "text": "Sundays?"])

            let files = try exported(circle, ada)
            func file(_ name: String) throws -> JSON { try JSON(payload: Array(#require(files[name], "\(name)").utf8)) }
            let groups = try elements(file("groups.json"), "groups")
            #expect(groups.count == 1 && groups.first?["group"] == group && groups.first?["name"] == "The early birds")
            #expect(groups.first?["owner"] == false && groups.first?["competing"] == true)
            #expect(groups.first?["since"] == "2026-11-21T09:00:00.000Z")
            let challenges = try elements(groups.first ?? .null, "challenges")
            #expect(challenges.map { $0["measure"] } == ["steps"] && challenges.map { $0["to"] } == ["2026-11-27"])

            let posts = try file("posts.json")
            let posted = try elements(posts, "posts")
            #expect(posted.map { $0["post"] } == [own] && posted.map { $0["text"] } == ["A good week."])
            #expect(posted.first?["friends"] == true && posted.first?["groups"] == [group])
            #expect(try elements(posts, "thumbs") == [["post": theirs, "thumb": "up"]])
            #expect(try elements(posts, "comments").map { $0["comment"] } == [comment])
            #expect(try elements(posts, "reports").map { $0["reason"] } == ["It is rude."])

            let partners = try file("partners.json")
            #expect(partners["contact"] == "by the river")
            #expect(try elements(partners, "partners").map { $0["name"] } == ["Bob"])
            #expect(try elements(partners, "offers").map { $0["area"] } == ["Old Town"])
            #expect(try elements(partners, "asks").map { $0["text"] } == ["Sundays?"])
            #expect(try elements(partners, "asked").isEmpty)
            for name in ["groups.json", "posts.json", "partners.json"] {
                let text = try #require(files[name])
                #expect(!text.contains(bob.text), "\(name): \(text)")
                for words in ["Not hers", "bob@example.org"] { #expect(!text.contains(words), "\(name): \(text)") }
            }
        }
    }
}
