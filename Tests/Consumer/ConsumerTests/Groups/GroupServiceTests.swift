import Desk
import Files
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Groups
@testable import vitals_consumer

@Suite("Groups, at a running service", .timeLimit(.minutes(60)))
struct GroupServiceTests {
    @Test("are joined by a code that serves all who have it, until another one is drawn; the others are told")
    func joining() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            let made = try circle.done(ada, "groups/create", ["name": "The early birds"])
            let group = try circle.id(made, "group")
            #expect(made["owner"] == true && made["members"] == 1 && made["competing"] == false)
            #expect(made["since"] == .integer(start) && made["challenge"] == nil)
            let code = try circle.done(ada, "groups/code", ["group": group])
            #expect(code["expires"] == .integer(start + 7 * 86_400_000))
            let word = try #require(code["code"])
            let joined = try circle.done(bob, "groups/join", ["code": word])
            #expect(joined["group"] == group && joined["owner"] == false && joined["members"] == 2)
            // The same code twice is no second membership.
            #expect(try circle.done(bob, "groups/join", ["code": word])["members"] == 2)
            #expect(try circle.done(bob, "groups/join", ["code": word])["competing"] == false)
            #expect(try circle.done(bob, "groups/join", ["code": word, "compete": true])["competing"] == true)
            #expect(try circle.told(ada, "group-joined") == ["Somebody has joined The early birds: see vitals groups show GROUP."])
            #expect(try circle.told(bob, "group-joined").isEmpty)
            let people = try elements(circle.done(bob, "groups/show", ["group": group]), "people")
            #expect(people.map { $0["name"] } == ["Ada", "Bob"] && people.map { $0["you"] } == [false, true])
            // Nobody's own id is told.
            #expect(!people.contains { $0["member"] == .string(ada.text) || $0["member"] == .string(bob.text) })
            _ = try circle.done(ada, "groups/code", ["group": group])
            let old = try circle.refused(eve, "groups/join", ["code": word])
            #expect(old.code == .wrongCredentials && old.field == "code")
            let next = try circle.done(ada, "groups/code", ["group": group])["code"] ?? .null
            circle.advance(7 * 86_400_000)
            #expect(try circle.refused(eve, "groups/join", ["code": next]).code == .wrongCredentials)
        }
    }

    @Test("let nobody guess a code: after five wrong ones within a minute, also the right one has to wait")
    func guessing() throws {
        try Circle.with { circle in
            let (ada, eve) = (try circle.person(name: "Ada"), try circle.person(name: "Eve"))
            let group = try circle.group(of: ada, with: [])
            let code = try circle.done(ada, "groups/code", ["group": group])["code"] ?? .null
            for _ in 1...5 {
                let wrong = try circle.refused(eve, "groups/join", ["code": "7QKM-2DZX-0H4W-9C1T-V6RA-XP3E"])
                #expect(wrong.code == .wrongCredentials)
            }
            let waits = try circle.refused(eve, "groups/join", ["code": code])
            #expect(waits.code == .rateLimited && waits.retryAfterSeconds != nil)
            #expect(try elements(circle.done(eve, "groups/list"), "groups").isEmpty)
            #expect(try circle.refused(eve, "groups/join", ["code": "x"]).code == .rateLimited)
        }
    }

    @Test("are to a stranger who has the id what a group is that there is not")
    func strangers() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            let group = try circle.group(of: ada, with: [bob])
            try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            let member = try elements(circle.done(ada, "groups/show", ["group": group]), "people").last?["member"] ?? .null
            let more: JSON = [
                "name": "x", "member": member, "compete": true, "measure": "steps", "period": "week", "from": "2026-11-21",
            ]
            let verbs = [
                "show", "code", "leave", "delete", "rename", "remove", "compete", "challenge", "end-challenge", "table",
            ]
            for verb in verbs {
                let known = try circle.refused(eve, "groups/\(verb)", more.with("group", group))
                let unknown = try circle.refused(eve, "groups/\(verb)", more.with("group", "nobodys-group"))
                #expect(known == unknown && known.code == .notFound && known.field == "group", "\(verb): \(known)")
            }
            // A member may not do what only owners may.
            for verb in ["code", "delete", "rename", "remove", "challenge", "end-challenge"] {
                let refusal = try circle.refused(bob, "groups/\(verb)", more.with("group", group))
                #expect(refusal.code == .notAllowed && refusal.field == "group", "\(verb): \(refusal)")
            }
            #expect(try elements(circle.done(ada, "groups/show", ["group": group]), "people").count == 2)
        }
    }

    @Test("show the table with ties, and hide somebody who no longer competes, has left or was removed, at once")
    func tables() throws {
        try Circle.with { circle in
            try circle.hurryTables()
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let (eve, mary) = (try circle.person(name: "Eve"), try circle.person(name: "Mary"))
            let group = try circle.group(of: ada, with: [bob, eve])
            let code = try circle.done(ada, "groups/code", ["group": group])["code"] ?? .null
            try circle.done(mary, "groups/join", ["code": code])
            try circle.walk(ada, 0, 500)
            try circle.walk(bob, 0, 500)
            try circle.walk(eve, 0, 120)
            try circle.walk(mary, 0, 9000)
            let begun = try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            #expect(begun["challenge"]?["from"] == "2026-11-21" && begun["challenge"]?["to"] == "2026-11-27")
            let all = ["1 Ada 500", "1 Bob 500", "3 Eve 120"]
            // Mary only watches.
            for user in [ada, bob, eve, mary] { try circle.waitForTable(user, group, all) }
            #expect(try circle.table(mary, group) == all)
            let words = "A challenge has begun in The early birds: steps, until 27 November 2026."
            #expect(try circle.told(bob, "challenge-begun") == [words] && circle.told(ada, "challenge-begun").isEmpty)
            #expect(try circle.told(mary, "challenge-begun") == [words + " You are not competing. To take part: vitals groups compete GROUP on."])

            circle.advance(600_000)
            try circle.walk(eve, 0, 700)
            try circle.waitForTable(ada, group, ["1 Eve 820", "2 Ada 500", "2 Bob 500"])
            try circle.done(eve, "groups/compete", ["group": group, "compete": false])
            try circle.waitForTable(ada, group, ["1 Ada 500", "1 Bob 500"])
            #expect(try circle.table(eve, group) == ["1 Ada 500", "1 Bob 500"])
            try circle.done(bob, "groups/leave", ["group": group])
            try circle.waitForTable(bob, group, nil)
            try circle.waitForTable(ada, group, ["1 Ada 500"])
            #expect(try circle.refused(bob, "groups/table", ["group": group]).code == .notFound)
            let people = try elements(circle.done(ada, "groups/show", ["group": group]), "people")
            let member = try #require(people.first { $0["name"] == "Mary" }?["member"])
            try circle.done(ada, "groups/remove", ["group": group, "member": member])
            try circle.waitForTable(mary, group, nil)
            #expect(try circle.refused(mary, "groups/show", ["group": group]).code == .notFound)
            // Whoever was removed knows the code.
            #expect(try circle.refused(mary, "groups/join", ["code": code]).code == .wrongCredentials)
            try circle.done(ada, "groups/end-challenge", ["group": group])
            try circle.waitForTable(ada, group, nil)
            let none = try circle.refused(ada, "groups/table", ["group": group])
            #expect(none.field == "from" && none.message == "this group has no challenge", "\(none)")
        }
    }

    @Test("tell ranks once when a challenge is over, take late readings for two days, and keep the table then")
    func late() throws {
        try Circle.with { circle in
            try circle.hurryTables()
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            let group = try circle.group(of: ada, with: [bob, eve])
            try circle.done(eve, "groups/compete", ["group": group, "compete": false])
            try circle.walk(ada, 0, 500)
            try circle.walk(bob, 0, 300)
            try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            try circle.waitForTable(bob, group, ["1 Ada 500", "2 Bob 300"])
            let over = start + 7 * 86_400_000 + 3 * 3_600_000
            circle.advance(over - circle.now)
            try circle.waitForTable(bob, group, nil)
            let words = "The challenge in The early birds is over: you are in place 2 of 2. Late readings count until 30 November 2026."
            #expect(try circle.told(bob, "challenge-over") == [words])
            #expect(try circle.told(ada, "challenge-over").count == 1 && circle.told(eve, "challenge-over").isEmpty)
            let data = try circle.done(ada, "groups/table", ["group": group])
            #expect(data["over"] == true && data["final"] == false)

            // Bob's watch was out of reach.
            try circle.walk(bob, at: start + 86_400_000, 0, 400)
            #expect(try circle.table(ada, group) == ["1 Bob 700", "2 Ada 500"])
            circle.advance(2 * 86_400_000)
            _ = try circle.found("the places that are kept") { [consumer = circle.consumer] in
                let book = GroupBook(consumer.features.context.documents)
                return try book.memberships(of: bob).all.first?.places.first
            }
            try circle.walk(ada, at: start + 86_400_000, 0, 9000)
            let final = try circle.done(ada, "groups/table", ["group": group, "from": "2026-11-21"])
            #expect(try final["final"] == true && circle.rows(final) == ["1 Bob 700", "2 Ada 500"])
            #expect(try circle.told(bob, "challenge-over").count == 1)
            // A rank stays as it was, and whoever does not want to be seen is not seen there either.
            try circle.done(bob, "groups/compete", ["group": group, "compete": false])
            #expect(try circle.table(eve, group) == ["2 Ada 500"])
            // The next one can begin.
            let next = try circle.done(ada, "groups/challenge", ["group": group, "measure": "workouts", "period": "month"])
            #expect(next["challenge"]?["from"] == "2026-11-30" && next["challenge"]?["to"] == "2026-12-29")
            let shown = try elements(circle.done(ada, "groups/show", ["group": group]), "challenges")
            #expect(shown.map { $0["measure"] } == ["workouts", "steps"])
        }
    }

    @Test("keep no place while readings that have come are not counted yet")
    func uncounted() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let group = try circle.group(of: ada, with: [bob])
            try circle.walk(bob, 0, 300)
            try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            try circle.waitForTable(ada, group, ["1 Bob 300", "2 Ada 0"])
            let id = try ID(group.text)
            // In one turn of the session's thread, hours of Bob's are to be counted again, and the table would be final.
            let isKept = try circle.onSession { [consumer = circle.consumer, now = circle.now] context in
                let groups = try #require(consumer.features.only(Groups.self))
                try context.store.change([bob]) { () throws(VaultError) in
                    try context.store.markStale(bob, now - 3_600_000..<now)
                }
                let found = try #require(try groups.book.group(id))
                let challenge = try #require(found.challenges.first)
                try groups.finish(challenge, of: found, now: challenge.final)
                return try groups.book.group(id)?.challenges.first?.isKept
            }
            #expect(isKept == false)
            circle.advance(9 * 86_400_000 + 3 * 3_600_000)
            let place = try circle.found("the places that are kept") { [consumer = circle.consumer] in
                try GroupBook(consumer.features.context.documents).memberships(of: bob).all.first?.places.first
            }
            #expect(place.value == 300 && place.rank == 1)
        }
    }

    @Test("count each day where its person is")
    func zones() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            func person(_ name: String, in zone: String) throws -> ID {
                let user = try circle.person(name: name)
                try circle.done(
                    user, "profile/set",
                    [
                        "name": .string(name), "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170,
                        "weight_kg": .number(63.5), "time_zone": .string(zone),
                    ])
                return user
            }
            let east = try person("Moana", in: "Pacific/Auckland")
            let west = try person("Keanu", in: "Pacific/Honolulu")
            let group = try circle.group(of: ada, with: [east, west])
            // It is nine by UTC on November 21: ten in the evening in Auckland, and still November 20 in Honolulu.
            try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            try circle.walk(east, 0, 100)
            try circle.walk(west, 0, 100)
            #expect(try circle.table(ada, group) == ["1 Moana 100", "2 Ada 0", "2 Keanu 0"])
            circle.advance(2 * 3_600_000)
            try circle.walk(west, 0, 40)
            #expect(try circle.table(ada, group) == ["1 Moana 100", "2 Keanu 40", "3 Ada 0"])
            // On November 28 at nine it is November 28 in Auckland, and still November 27 in Honolulu.
            circle.advance(7 * 86_400_000 - 2 * 3_600_000)
            try circle.walk(east, 0, 1000)
            try circle.walk(west, 0, 20)
            #expect(try circle.table(ada, group) == ["1 Moana 100", "2 Keanu 60", "3 Ada 0"])
            let data = try circle.done(ada, "groups/table", ["group": group])
            #expect(data["over"] == false)
        }
    }

    @Test("pass to whoever has been in it for longest, and go with the last one")
    func owners() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            let group = try circle.group(of: ada, with: [bob, eve])
            try circle.done(ada, "groups/leave", ["group": group])
            #expect(try elements(circle.done(bob, "groups/list"), "groups").first?["owner"] == true)
            let code = try circle.done(bob, "groups/code", ["group": group])["code"] ?? .null
            try circle.done(bob, "groups/leave", ["group": group])
            try circle.done(eve, "groups/rename", ["group": group, "name": "Night owls"])
            try circle.done(eve, "groups/leave", ["group": group])
            #expect(try circle.refused(ada, "groups/join", ["code": code]).code == .wrongCredentials)
            let rows = try circle.onSession { context in
                try context.store.database.first("SELECT count(*) FROM people_groups", row: Row.int)
            }
            #expect(rows == 0)
            // Names are told in the group, and nowhere else.
            let told = try circle.notifications(ada, all: true)
            #expect(try !told.isEmpty && told.allSatisfy { try $0["from_name"] == nil && !$0.text("text").contains("Bob") })
        }
    }

    @Test("forget a person everywhere: membership, rows, name and places, and there were some before")
    func forgetting() throws {
        try Circle.with { circle in
            try circle.hurryTables()
            let ada = try circle.person("ada@example.org", name: "Ada")
            let (bob, eve) = (try circle.person(name: "Bob"), try circle.person(name: "Eve"))
            let group = try circle.group(of: bob, with: [ada, eve])
            try circle.walk(ada, 0, 500)
            try circle.done(bob, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            circle.advance(9 * 86_400_000 + 3 * 3_600_000)
            _ = try circle.found("the places that are kept") { [consumer = circle.consumer] in
                try GroupBook(consumer.features.context.documents).memberships(of: ada).all.first?.places.first
            }
            #expect(try circle.table(bob, group) == ["1 Ada 500", "2 Bob 0", "2 Eve 0"])
            try circle.done(bob, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            try circle.walk(ada, 0, 70)
            try circle.waitForTable(bob, group, ["1 Ada 70", "2 Bob 0", "2 Eve 0"])
            try circle.waitForTable(ada, group, ["1 Ada 70", "2 Bob 0", "2 Eve 0"])

            let asked = try circle.done(ada, "reset-all/ask")
            let reply = try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            #expect(reply["opened"] == 0)
            try circle.waitForTable(ada, group, nil)
            #expect(try circle.table(bob, group) == ["1 Bob 0", "1 Eve 0"])
            #expect(try circle.table(bob, group, from: "2026-11-21") == ["2 Bob 0", "2 Eve 0"])
            let people = try elements(circle.done(bob, "groups/show", ["group": group]), "people")
            #expect(people.map { $0["name"] } == ["Bob", "Eve"])
            #expect(try elements(circle.done(ada, "groups/list"), "groups").isEmpty)
            let kept = try circle.onSession { context in
                try GroupBook(context.documents).group(try ID(group.text))?.members.contains { $0.user == ada }
            }
            #expect(kept == false)
        }
    }

    @Test("go on where a consumer was killed: nobody is told twice, and what must not be seen is taken back")
    func restart() throws {
        var made: (group: JSON, ada: ID, bob: ID)?
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let group = try circle.group(of: ada, with: [bob])
            try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            try circle.waitForTable(bob, group, ["1 Ada 0", "1 Bob 0"])
            made = (group, ada, bob)
        } between: { settings, _ in
            // Killed after the commit, and before anything was taken back.
            let keys = try Keys(settings, .write)
            let store = try Store(folder: settings.state, adding: Feature.all.schema)
            let book = GroupBook(Documents(store: store, keys: keys))
            let (group, ada, bob) = try #require(made)
            var found = try #require(try book.group(try ID(group.text)))
            try store.change([ada, bob]) { () throws(VaultError) in try book.remove(bob, from: &found) }
        } then: { circle in
            let (group, ada, bob) = try #require(made)
            try circle.waitForTable(bob, group, nil)
            try circle.waitForTable(ada, group, ["1 Ada 0"])
            circle.advance(7 * 86_400_000 + 3 * 3_600_000)
            try circle.waitForTable(ada, group, nil)
            #expect(try circle.told(ada, "challenge-over").count == 1 && circle.told(bob, "challenge-over").isEmpty)
        } finally: { circle in
            // The end was told before this start, and is over still. Later deadlines are met after those that were before.
            let (_, ada, bob) = try #require(made)
            circle.advance(2 * 86_400_000)
            _ = try circle.found("the places that are kept") { [consumer = circle.consumer] in
                try GroupBook(consumer.features.context.documents).memberships(of: ada).all.first?.places.first
            }
            #expect(try circle.told(ada, "challenge-over").count == 1 && circle.told(bob, "challenge-over").isEmpty)
        }
    }

    @Test("are limited in number, members and names")
    func limits() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            let long = String(repeating: "ä", count: 64)
            for name in ["", " ", "two\nlines", "e\u{202E}vil", long + "a"] {
                let refusal = try circle.refused(ada, "groups/create", ["name": .string(name)])
                #expect(refusal.field == "name", "\(name)")
            }
            for _ in 1...10 { _ = try circle.done(ada, "groups/create", ["name": .string(long)]) }
            let eleventh = try circle.refused(ada, "groups/create", ["name": "x"])
            #expect(eleventh.code == .rateLimited && eleventh.retryAfterSeconds != nil)
            let group = try circle.onSession { context in
                let book = GroupBook(context.documents)
                var group = try #require(try book.groups(of: ada).first?.group)
                for number in 1..<Group.mostMembers {
                    group.members.append(Group.Member(id: try drawnID(), user: try ID("nobody-\(number)"), since: 0))
                }
                try context.store.database.transaction { [group] () throws(VaultError) in try book.write(group) }
                return group.id
            }
            let bob = try circle.person(name: "Bob")
            let code = try circle.done(ada, "groups/code", ["group": .string(group.text)])["code"] ?? .null
            let full = try circle.refused(bob, "groups/join", ["code": code])
            #expect(full.code == .notAllowed && full.message.contains("50 members"))
            // Those of whom nothing is kept are not members.
            let people = try elements(circle.done(ada, "groups/show", ["group": .string(group.text)]), "people")
            #expect(people.map { $0["name"] } == ["Ada"])
        }
    }
}

extension JSON {
    /// A value that is a text.
    fileprivate var text: String { if case .string(let text) = self { text } else { "" } }
}
