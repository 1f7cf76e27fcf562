import Desk
import Files
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Groups
@testable import vitals_consumer

@Suite("Groups that somebody leaves, at a running service", .timeLimit(.minutes(60)))
struct GroupLeavingTests {
    @Test("hide who competes no longer also while so much is on its way that no new table can be published")
    func refusedPublications() throws {
        try Circle.with { circle in
            try circle.hurryTables()
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let group = try circle.group(of: ada, with: [bob])
            try circle.walk(ada, 0, 500)
            try circle.walk(bob, 0, 300)
            try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            try circle.waitForTable(ada, group, ["1 Ada 500", "2 Bob 300"])
            _ = try circle.onSession { [consumer = circle.consumer] _ in
                consumer.features.only(Groups.self)?.mostUnfinished = 0
            }
            try circle.done(bob, "groups/compete", ["group": group, "compete": false])
            try circle.waitForTable(ada, group, nil)
            _ = try circle.onSession { [consumer = circle.consumer] _ in
                consumer.features.only(Groups.self)?.mostUnfinished = 2000
            }
            try circle.waitForTable(ada, group, ["1 Ada 500"])
        }
    }

    @Test("are not joined any more by a code whose owner has left")
    func codeOfOwner() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            let group = try circle.group(of: ada, with: [])
            let code = try circle.done(ada, "groups/code", ["group": group])["code"] ?? .null
            try circle.done(bob, "groups/join", ["code": code])
            try circle.done(ada, "groups/leave", ["group": group])
            #expect(try elements(circle.done(bob, "groups/list"), "groups").map { $0["owner"] } == [true])
            #expect(try circle.refused(eve, "groups/join", ["code": code]).code == .wrongCredentials)
            let next = try circle.done(bob, "groups/code", ["group": group])["code"] ?? .null
            #expect(try circle.done(eve, "groups/join", ["code": next])["members"] == 2)
        }
    }

    @Test("are not joined by a code for another group that somebody has moved in the database, nor by one that they have prolonged")
    func movedCode() throws {
        try Circle.with { circle in
            let (ada, eve) = (try circle.person(name: "Ada"), try circle.person(name: "Eve"))
            let (own, other) = (try circle.group(of: eve, with: []), try circle.group(of: ada, with: []))
            let (moved, old) = (
                try circle.done(eve, "groups/code", ["group": own])["code"] ?? .null,
                try circle.done(ada, "groups/code", ["group": other])["code"] ?? .null
            )
            let bob = try circle.person(name: "Bob")
            guard case .string(let from) = own, case .string(let to) = other else { throw TestFailure("\(own), \(other)") }
            _ = try circle.onSession { context in
                try context.store.database.transaction { () throws(VaultError) in
                    try context.store.database.execute(
                        "UPDATE codes SET subject = ? WHERE subject = ?", [.text(to), .text(from)])
                }
            }
            #expect(try circle.refused(eve, "groups/join", ["code": moved]).code == .wrongCredentials)
            #expect(try circle.done(bob, "groups/join", ["code": old])["group"] == other)
            circle.advance(8 * 86_400_000)
            _ = try circle.onSession { context in
                try context.store.database.transaction { () throws(VaultError) in
                    try context.store.database.execute("UPDATE codes SET expires_ms = expires_ms * 2", [])
                }
            }
            #expect(try circle.refused(eve, "groups/join", ["code": old]).code == .wrongCredentials)
        }
    }

    @Test(
        "are not joined any more by a code from before a reset of its owner's password; the codes of other groups stay")
    func resetPassword() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            let (own, other) = (try circle.group(of: ada, with: [bob]), try circle.group(of: bob, with: [ada]))
            let code = try circle.done(ada, "groups/code", ["group": own])["code"] ?? .null
            let stays = try circle.done(bob, "groups/code", ["group": other])["code"] ?? .null
            _ = try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    _ = try context.changes.resettingPassword(of: ada)
                }
            }
            #expect(try circle.refused(eve, "groups/join", ["code": code]).code == .wrongCredentials)
            #expect(try circle.done(eve, "groups/join", ["code": stays])["members"] == 3)
            let next = try circle.done(ada, "groups/code", ["group": own])["code"] ?? .null
            #expect(try circle.done(eve, "groups/join", ["code": next])["members"] == 3)
        }
    }

    @Test("are in nobody's list any more when they are deleted, and neither is their table")
    func deletion() throws {
        try Circle.with { circle in
            try circle.hurryTables()
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let (group, other) = (try circle.group(of: ada, with: [bob]), try circle.group(of: bob, with: [ada]))
            try circle.done(ada, "groups/challenge", ["group": group, "measure": "steps", "period": "week"])
            for user in [ada, bob] { try circle.waitForTable(user, group, ["1 Ada 0", "1 Bob 0"]) }
            let code = try circle.done(ada, "groups/code", ["group": group])["code"] ?? .null
            try circle.done(ada, "groups/delete", ["group": group])
            for user in [ada, bob] {
                try circle.waitForTable(user, group, nil)
                #expect(try elements(circle.done(user, "groups/list"), "groups").map { $0["group"] } == [other])
                #expect(try circle.refused(user, "groups/show", ["group": group]).code == .notFound)
                let kept = try circle.onSession { context in
                    try GroupBook(context.documents).memberships(of: user).all.count
                }
                #expect(kept == 1)
            }
            #expect(try circle.refused(bob, "groups/join", ["code": code]).code == .wrongCredentials)
        }
    }
}
