import Files
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import vitals_consumer

@Suite("Posts of people who part", .timeLimit(.minutes(60)))
struct PostPartingTests {
    /// Has a friend of some people post, and expects that they are told of that and of nothing before it.
    private func expectNothing(_ circle: Circle, _ users: [ID], before friend: ID, _ comment: Comment) throws {
        let id = try #require(try circle.post(friend, "What comes next")["post"])
        for user in users {
            let told = try circle.next(user, "posts")
            #expect(told?["post"] == id, "\(comment): \(String(describing: told))")
        }
    }

    @Test("tell somebody who was no friend nothing when they are blocked: they would learn whose address they have invited")
    func strangers() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person("ada@example.org", name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person("eve@example.org", name: "Eve")
            for friend in [ada, eve] { try circle.befriend(bob, friend, sharing: nil) }
            for author in [ada, eve] { _ = try circle.post(author, "For friends") }
            // The friend of both has been told of both.
            for _ in 0..<2 { #expect(try circle.next(bob, "posts")?["post"] != nil) }
            try circle.done(eve, "friends/invite", ["email": "ada@example.org"])
            let invitation = try #require(try circle.friends(ada).last { $0["state"] == "asked" }?["friend"])
            try circle.done(ada, "friends/block", ["friend": invitation])
            try expectNothing(circle, [eve, ada], before: bob, "an invitation was blocked")
        }
    }

    @Test("tell nobody who has only asked to train together, or has offered it, that they are blocked", arguments: [true, false])
    func partners(isOwnersBlock: Bool) throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            for friend in [ada, eve] { try circle.befriend(bob, friend, sharing: nil) }
            for author in [ada, eve] { _ = try circle.post(author, "For friends") }
            let offer = try circle.done(ada, "partners/offer", ["activity": "running", "area": "Old Town"])["offer"]
            let ask = try circle.done(eve, "partners/ask", .object(present: ["offer": offer]))["ask"]
            if isOwnersBlock {
                try circle.done(ada, "partners/block", .object(present: ["ask": ask]))
            } else {
                try circle.done(ada, "partners/answer", .object(present: ["ask": ask, "accept": true]))
                let partner = try elements(circle.done(eve, "partners/list"), "partners").first?["partner"]
                try circle.done(eve, "partners/block", .object(present: ["partner": partner]))
            }
            #expect(try circle.friends(isOwnersBlock ? ada : eve).contains { $0["state"] == "blocked" })
            try expectNothing(circle, [eve, ada], before: bob, "a question or a partner was blocked")
        }
    }

    @Test("tell somebody who has blocked their author nothing, neither when they are posted in a group of both nor when the author leaves it")
    func blockedAuthor() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            try circle.befriend(bob, eve, sharing: nil)
            try circle.befriend(ada, eve, sharing: nil)
            try circle.done(eve, "friends/block", ["friend": .string(ada.text)])
            let group = try circle.group("Runners", bob, ada, eve)
            _ = try circle.post(ada, "For the group", to: [group], friends: false)
            try circle.done(ada, "groups/leave", ["group": .string(group.text)])
            // Somebody else in the group is told of both.
            #expect(try circle.next(bob, "posts")?["post"] != nil && circle.next(bob, "posts")?["removed"] == true)
            try expectNothing(circle, [eve], before: bob, "she has blocked the author")
        }
    }

    @Test("are to be listed again by friends who are friends no longer, whatever has ended that", arguments: ["remove", "block", "partner"])
    func friends(end: String) throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            _ = try circle.post(ada, "For friends")
            #expect(try circle.next(bob, "posts")?["post"] != nil)
            if end == "partner" {
                let offer = try circle.done(ada, "partners/offer", ["activity": "running", "area": "Old Town"])["offer"]
                let ask = try circle.done(bob, "partners/ask", .object(present: ["offer": offer]))["ask"]
                let accepted = try circle.done(ada, "partners/answer", .object(present: ["ask": ask, "accept": true]))
                try circle.done(ada, "partners/block", .object(present: ["partner": accepted["partner"]?["partner"]]))
            } else {
                try circle.done(ada, "friends/\(end)", ["friend": .string(bob.text)])
            }
            #expect(try circle.next(bob, "posts") == ["author": .string(ada.text), "removed": true])
        }
    }

    @Test("are to be listed again by the members of a group that somebody leaves, is removed from, or that is deleted", arguments: ["leave", "remove", "delete"])
    func groups(end: String) throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            try circle.befriend(bob, eve, sharing: nil)
            let id = try circle.group("Runners", ada, bob, eve)
            let group = JSON.string(id.text)
            let people = try elements(circle.done(ada, "groups/show", ["group": group]), "people")
            let members = people.compactMap { $0["member"] }
            #expect(members.count == 3)
            _ = try circle.post(ada, "Ada's", to: [id], friends: false)
            _ = try circle.post(bob, "Bob's", to: [id], friends: false)
            #expect(try circle.next(ada, "posts")?["post"] != nil && circle.next(bob, "posts")?["post"] != nil)
            for _ in 0..<2 { #expect(try circle.next(eve, "posts")?["post"] != nil) }
            switch end {
            case "leave": try circle.done(bob, "groups/leave", ["group": group])
            case "remove": try circle.done(ada, "groups/remove", ["group": group, "member": members[1]])
            default: try circle.done(ada, "groups/delete", ["group": group])
            }
            // Members know each other by ids of the group; friends know each other as such.
            #expect(try circle.next(ada, "posts") == ["author": members[1], "removed": true])
            #expect(try circle.next(bob, "posts") == ["author": members[0], "removed": true])
            var expected: Set<JSON> = [.string(bob.text)]
            if end == "delete" { expected.insert(members[0]) }
            var told: Set<JSON> = []
            for _ in expected { told.insert(try circle.next(eve, "posts")?["author"] ?? .null) }
            #expect(told == expected)
            #expect(try circle.texts(bob) == ["Bob's"])
        }
    }
}
