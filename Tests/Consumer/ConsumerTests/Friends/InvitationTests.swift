import Files
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Custody
@testable import Days
@testable import Features
@testable import Social
@testable import vitals_consumer

@Suite("Invitations", .timeLimit(.minutes(60)))
struct InvitationTests {
    private static let day: Int64 = 86_400_000

    /// Somebody invites, and gets the same reply as ever.
    private func invite(_ circle: Circle, _ user: ID, _ email: String = "bob@example.org") throws -> JSON {
        let reply = try circle.done(user, "friends/invite", ["email": .string(email)])
        #expect(reply == ["share": ["steps": false], "state": "invited"])
        return try #require(try circle.friends(user).last?["friend"])
    }

    private func withdraw(_ circle: Circle, _ user: ID, _ invitation: JSON) throws {
        try circle.done(user, "friends/remove", ["friend": invitation])
    }

    private func people(_ circle: Circle) throws -> (ada: ID, bob: ID) {
        (
            try circle.person("ada@example.org", name: "You fool"),
            try circle.person("bob@example.org", name: "Bob")
        )
    }

    /// Somebody shows that the address of their account is theirs.
    private func verify(_ circle: Circle, _ user: ID) throws {
        let now = circle.now
        try circle.onSession { context in
            let rows = AccountRows(store: context.store, keys: context.keys)
            guard let lookup = try rows.account(of: user)?.lookup else { throw TestFailure("no account") }
            let touched = try context.changes.people(waitingFor: lookup).union([user])
            try context.store.change(touched) { () throws(VaultError) in
                try rows.setVerified(user, now: now)
                try context.changes.showedAddress(lookup, user, now: now)
            }
        }
    }

    private static let waiting = "SELECT count(*) FROM waiting_invitations"

    private func waiting(_ circle: Circle) throws -> Int64? {
        try circle.onSession { try $0.store.database.first(Self.waiting, row: Row.int) }
    }

    @Test("to an address that is nobody's yet wait until somebody shows that it is theirs, and not for whoever signs up with it")
    func later() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let invitation = try invite(circle, ada)
            #expect(try waiting(circle) == 1)
            let bob = try circle.person("bob@example.org", name: "Bob")
            #expect(try circle.friends(bob).isEmpty && circle.notifications(bob, all: true).isEmpty)
            try verify(circle, bob)
            #expect(try circle.friends(bob).map { $0["state"] } == ["asked"])
            #expect(try circle.friends(bob)[0]["friend"] == invitation)
            #expect(try circle.next(bob, "notifications")?["text"] == "Ada would like to be your friend.")
            // The inviter sees no difference before the answer.
            #expect(try circle.friends(ada).map { $0["state"] } == ["invited"])
            #expect(try waiting(circle) == 0)
            try circle.done(bob, "friends/accept", ["friend": invitation])
            #expect(try circle.friends(ada).map { $0["state"] } == ["friend"])
        }
    }

    @Test("reach somebody who has signed up since when they are repeated, and wait once more when their time was over")
    func repeated() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let invitation = try invite(circle, ada)
            let bob = try circle.person("bob@example.org", name: "Bob")
            #expect(try circle.friends(bob).isEmpty)
            #expect(try invite(circle, ada) == invitation)
            #expect(try circle.friends(bob).map { $0["state"] } == ["asked"])
            #expect(try waiting(circle) == 0 && circle.friends(ada).map { $0["state"] } == ["invited"])
            let eve = try circle.person("eve@example.org", name: "Eve")
            _ = try invite(circle, eve, "grace@example.org")
            circle.advance(61 * Self.day)
            _ = try invite(circle, eve, "grace@example.org")
            let grace = try circle.person("grace@example.org", name: "Grace")
            try verify(circle, grace)
            #expect(try circle.friends(grace).map { $0["state"] } == ["asked"])
        }
    }

    @Test("that waited do not reach somebody whom their inviter has blocked in the meantime")
    func blockedMeanwhile() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let invitation = try invite(circle, ada)
            let bob = try circle.person("bob@example.org", name: "Bob")
            try circle.befriend(ada, bob)
            try circle.done(ada, "friends/block", ["friend": .string(bob.text)])
            #expect(try waiting(circle) == 1)
            try verify(circle, bob)
            #expect(try waiting(circle) == 0 && circle.friends(bob).isEmpty)
            #expect(try circle.refused(bob, "friends/accept", ["friend": invitation]).code == .notFound)
            #expect(try circle.friends(ada).contains { $0["state"] == "blocked" && $0["friend"] == .string(bob.text) })
        }
    }

    @Test("wait once for each inviter and address, however it is written, and those that are too many at once wait on")
    func waitingOnce() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            for email in ["bob@example.org", "Bob@Example.org", "BOB@EXAMPLE.ORG"] { _ = try invite(circle, ada, email) }
            #expect(try waiting(circle) == 1 && circle.friends(ada).count == 1)
            let now = circle.now
            try circle.onSession { context in
                let table = WaitingInvitations(store: context.store, keys: context.keys)
                let mallory = try drawnID()
                let lookup = try AccountName(["email": "bob@example.org"]).lookup(context.keys)
                try context.store.change(ada) { () throws(VaultError) in
                    // A later one of the same inviter takes the place of the earlier one.
                    for _ in 0..<2 { try table.add(try drawnID(), by: mallory, to: lookup, now: now + 1) }
                    for _ in 0..<(WaitingInvitations.most - 1) {
                        try table.add(try drawnID(), by: try drawnID(), to: lookup, now: now + 1)
                    }
                }
            }
            #expect(try waiting(circle) == Int64(WaitingInvitations.most) + 1)
            let bob = try circle.person("bob@example.org", name: "Bob")
            // Those are of people who are not there; hers is the one that has waited for longest.
            try verify(circle, bob)
            #expect(try waiting(circle) == 1 && circle.friends(bob).isEmpty)
            try verify(circle, bob)
            #expect(try waiting(circle) == 0 && circle.friends(bob).map { $0["state"] } == ["asked"])
        }
    }

    @Test("wait for two months at most, and not after they were taken back, or their inviter was forgotten")
    func over() throws {
        try Circle.with { circle in
            let (ada, eve) = (try circle.person("ada@example.org"), try circle.person("eve@example.org"))
            let mallory = try circle.person("mallory@example.org")
            let invitation = try invite(circle, ada)
            _ = try invite(circle, eve)
            #expect(try waiting(circle) == 2)
            try withdraw(circle, ada, invitation)
            #expect(try waiting(circle) == 1)
            circle.advance(61 * Self.day)
            _ = try invite(circle, mallory)
            #expect(try waiting(circle) == 1, "the one of two months ago is over")
            let bob = try circle.person("bob@example.org", name: "Bob")
            try circle.onSession { context in
                try context.store.change(mallory) { () throws(VaultError) in
                    try FriendLists(context.documents).change(mallory) { list in list.remove { _ in true } }
                }
            }
            try verify(circle, bob)
            #expect(try circle.friends(bob).isEmpty && waiting(circle) == 0)
        }
    }

    @Test("reach somebody whose reset had everything else deleted, also if the service was killed before that was done")
    func afterReset() throws {
        var known: ID?
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            _ = try invite(circle, ada)
            let bob = try circle.person("bob@example.org", name: "Squatter")
            known = bob
            let now = circle.now
            try circle.onSession { context in
                try context.store.change(bob) { () throws(VaultError) in
                    try AccountRows(store: context.store, keys: context.keys).setVerified(bob, now: now)
                    try context.keys.toForget(bob, withAccount: false).enter(context.store.database)
                }
            }
            #expect(try waiting(circle) == 1)
        } then: { circle in
            let bob = try #require(known)
            try circle.wait(bob, "notifications") { $0?["text"] == "Ada would like to be your friend." }
            #expect(try circle.friends(bob).map { $0["state"] } == ["asked"] && waiting(circle) == 0)
        }
    }

    @Test("do not reach an account of a service that sends mail until its address is verified")
    func unverified() throws {
        let mail = "accounts: { mail_command: [\"/bin/true\"] }, "
        try Circle.with(accounts: mail) { circle in
            let (ada, bob) = try people(circle)
            let invitation = try invite(circle, ada)
            #expect(try circle.friends(bob).isEmpty && circle.notifications(bob, all: true).isEmpty)
            #expect(try circle.refused(bob, "friends/accept", ["friend": invitation]).code == .notFound)
            try verify(circle, bob)
            #expect(try circle.friends(bob).map { $0["state"] } == ["asked"])
            // Now that it is, others reach it at once.
            let eve = try circle.person("eve@example.org", name: "Eve")
            try withdraw(circle, ada, invitation)
            _ = try invite(circle, eve)
            #expect(try circle.notifications(bob).last?["text"] == "Eve would like to be your friend.")
        }
    }

    @Test("take what was told of them along when they are withdrawn, refused or blocked")
    func withdrawn() throws {
        try Circle.with { circle in
            let (ada, bob) = try people(circle)
            for end in ["withdraw", "refuse", "block"] {
                let invitation = try invite(circle, ada)
                let told = try #require(try circle.next(bob, "notifications"))
                #expect(told["text"] == "You fool would like to be your friend." && told["from"] == invitation)
                #expect(try circle.notifications(bob, all: true).map { $0["id"] } == [told["id"]])
                if end == "withdraw" {
                    try withdraw(circle, ada, invitation)
                } else {
                    try circle.done(bob, "friends/\(end)", ["friend": invitation])
                }
                #expect(try circle.notifications(bob, all: true).isEmpty, "\(end)")
                if end == "refuse" { try withdraw(circle, ada, invitation) }
                circle.advance(100 * Self.day)
            }
        }
    }

    @Test("that were withdrawn can be answered with a block, by the invitation or by the notification")
    func blocked() throws {
        try Circle.with { circle in
            let (ada, bob) = try people(circle)
            let eve = try circle.person("eve@example.org", name: "Eve")
            for (user, member) in [(ada, "from"), (eve, "id")] {
                let invitation = try invite(circle, user)
                let told = try #require(try circle.next(bob, "notifications"))
                try withdraw(circle, user, invitation)
                try circle.done(bob, "friends/block", ["friend": told[member] ?? .null])
                circle.advance(Self.day)
                _ = try invite(circle, user)
            }
            #expect(try circle.friends(bob).map { $0["state"] } == ["blocked", "blocked"])
            #expect(try circle.notifications(bob, all: true).isEmpty)
            // And by the notification of one that is there.
            let mallory = try circle.person("mallory@example.org", name: "Mallory")
            _ = try invite(circle, mallory)
            let told = try #require(try circle.next(bob, "notifications"))
            // Somebody else's notification is nobody's business.
            #expect(try circle.refused(eve, "friends/block", ["friend": told["id"] ?? .null]).code == .notFound)
            try circle.done(bob, "friends/block", ["friend": told["id"] ?? .null])
            #expect(try circle.friends(bob).count == 3 && circle.notifications(bob, all: true).isEmpty)
            // An unblocked one may ask again, and waits as before.
            try circle.done(bob, "friends/unblock", ["friend": try #require(try circle.friends(bob).last?["friend"])])
            #expect(try circle.friends(bob).count == 2)
        }
    }

    @Test(
        "of the same person are held back: for a day, then for two, over a restart, and the inviter sees no difference")
    func heldBack() throws {
        var known: (ada: ID, bob: ID)?
        try Circle.with { circle in
            let (ada, bob) = try people(circle)
            known = (ada, bob)
            let first = try invite(circle, ada)
            _ = try circle.next(bob, "notifications")
            try withdraw(circle, ada, first)
            #expect(try shownElsewhere(circle, bob) == [0, 1, 0])
            let second = try invite(circle, ada)
            #expect(try circle.friends(bob).isEmpty && circle.notifications(bob, all: true).isEmpty)
            #expect(try shownElsewhere(circle, bob) == [0, 1, 0])
            #expect(try circle.refused(bob, "friends/accept", ["friend": second]).code == .notFound)
            try withdraw(circle, ada, second)
        } then: { circle in
            let (ada, bob) = try #require(known)
            var invitation = try invite(circle, ada)
            #expect(try circle.friends(bob).isEmpty)
            // What still stands when the wait is over is in the list, without a word.
            circle.advance(Self.day)
            #expect(try circle.friends(bob).map { $0["state"] } == ["asked"])
            #expect(try shownElsewhere(circle, bob) == [1, 1, 1])
            #expect(try circle.notifications(bob, all: true).isEmpty)
            try withdraw(circle, ada, invitation)
            invitation = try invite(circle, ada)
            #expect(try circle.notifications(bob).count == 1)
            try withdraw(circle, ada, invitation)
            circle.advance(Self.day)
            invitation = try invite(circle, ada)
            #expect(try circle.friends(bob).isEmpty, "two days the second time")
            circle.advance(Self.day)
            #expect(try circle.friends(bob).map { $0["state"] } == ["asked"])
            // Somebody else is not held back by that.
            let eve = try circle.person("eve@example.org", name: "Eve")
            _ = try invite(circle, eve)
            #expect(try circle.notifications(bob).count == 1)
            try circle.done(bob, "friends/accept", ["friend": invitation])
            #expect(try circle.friends(ada).map { $0["state"] } == ["friend"])
        }
    }

    /// How many ties and inviters a person's export has, and how many invitations are said to hang on the account.
    private func shownElsewhere(
        _ circle: Circle, _ user: ID
    ) throws -> [Int] {
        let (settings, now) = (circle.consumer.features.context.settings, circle.now)
        return try circle.onSession { context in
            let (store, keys) = (context.store, context.keys)
            let export = Export(
                Feature.all, ExportSource(user, settings, store: store, keys: keys, now: now))
            let part = try export.part(at: ExportPosition(section: "friends.json"))
            #expect(part.file == "friends.json")
            let file = try JSON(payload: Array(part.text.utf8))
            let hanging = try Feature.all.hanging(ExportSource(user, settings, store: store, keys: keys, now: now))
            let (ties, inviters) = (try elements(file, "friends"), try elements(file, "inviters"))
            return [ties.count, inviters.count, hanging.invitations]
        }
    }
}
