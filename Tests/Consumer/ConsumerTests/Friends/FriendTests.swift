import Files
import Foundation
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing
import Vault

@testable import Features
@testable import Social
@testable import vitals_consumer

@Suite("Friends", .timeLimit(.minutes(60)))
struct FriendTests {
    private func states(_ circle: Circle, _ user: ID) throws -> [String] {
        try circle.friends(user).map { try $0.text("state") }
    }

    @Test(
        "are invited by address and accept; nothing tells the inviter meanwhile whose address it is, or whether it is anybody's"
    )
    func inviting() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let bob = try circle.person("bob@example.org", name: "Bob", locale: "de")
            let there = try circle.done(ada, "friends/invite", ["email": "bob@example.org"])
            let nowhere = try circle.done(ada, "friends/invite", ["email": "nobody@example.org"])
            #expect(there == ["share": ["steps": false], "state": "invited"] && nowhere == there)
            // Again changes nothing.
            #expect(try circle.done(ada, "friends/invite", ["email": "bob@example.org"]) == there)
            let list = try circle.friends(ada)
            #expect(list.count == 2 && list.map { $0["to"] } == ["bob@example.org", "nobody@example.org"])
            for entry in list {
                #expect(entry["state"] == "invited" && entry["name"] == nil && entry["steps"] == nil)
                #expect(entry["friend"] != .string(bob.text))
                guard case .object(let members) = entry else { throw TestFailure("\(entry)") }
                #expect(Set(members.map(\.name)) == ["friend", "state", "to", "since", "muted"])
            }
            let told = try #require(try circle.next(bob, "notifications"))
            #expect(told["kind"] == "friend-request" && told["from_name"] == "Ada")
            #expect(told["text"] == "Ada möchte mit dir befreundet sein.")
            #expect(told["from"] == list[0]["friend"] && told["from"] != .string(ada.text))
            let asked = try circle.friends(bob)
            #expect(asked.count == 1 && asked[0]["state"] == "asked" && asked[0]["name"] == "Ada")
            #expect(asked[0]["friend"] == told["from"] && asked[0]["to"] == nil)
            // Only the one who is asked accepts.
            let invitation = try told.text("from")
            let eve = try circle.person()
            for user in [ada, eve] {
                #expect(try circle.refused(user, "friends/accept", ["friend": .string(invitation)]).code == .notFound)
            }
            #expect(
                try circle.done(bob, "friends/accept", ["friend": .string(invitation)])["friend"] == .string(ada.text))
            #expect(try circle.refused(bob, "friends/accept", ["friend": .string(invitation)]).code == .notFound)
            let accepted = try #require(try circle.next(ada, "notifications"))
            #expect(accepted["kind"] == "friend-accepted" && accepted["from"] == .string(bob.text))
            let friends = try circle.friends(ada)
            #expect(friends.map { $0["state"] } == ["invited", "friend"] && friends[1]["name"] == "Bob")
            #expect(try circle.refused(ada, "friends/invite", ["email": "ada@example.org"]).code == .invalid)
        }
    }

    @Test("who refuse, remove or block are not given away, and a block holds")
    func ending() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let bob = try circle.person("bob@example.org", name: "Bob")
            func invite() throws -> JSON {
                // Whoever invites again and again is held back: see InvitationTests.
                circle.advance(100 * 86_400_000)
                try circle.done(ada, "friends/invite", ["email": "bob@example.org"])
                return try #require(try circle.friends(bob).first?["friend"])
            }
            var invitation = try invite()
            let before = try circle.friends(ada)
            try circle.done(bob, "friends/refuse", ["friend": invitation])
            #expect(try circle.friends(ada) == before)
            #expect(try circle.friends(bob).isEmpty)
            #expect(try circle.refused(bob, "friends/accept", ["friend": invitation]).code == .notFound)
            // What is taken back can be done again.
            try circle.done(ada, "friends/remove", ["friend": invitation])
            invitation = try invite()
            try circle.done(ada, "friends/remove", ["friend": invitation])
            #expect(try circle.friends(bob).isEmpty)
            invitation = try invite()
            try circle.done(bob, "friends/accept", ["friend": invitation])
            #expect(try states(circle, ada) == ["friend"] && states(circle, bob) == ["friend"])
            try circle.done(bob, "friends/remove", ["friend": .string(ada.text)])
            #expect(try circle.friends(ada).isEmpty && circle.friends(bob).isEmpty)
            #expect(
                try circle.refused(ada, "friends/cheer", ["friend": .string(bob.text), "thumb": "up"]).code == .notFound
            )
            // A block: of who asks, by the invitation; then nothing comes through.
            invitation = try invite()
            try circle.done(bob, "friends/block", ["friend": invitation])
            #expect(try states(circle, bob) == ["blocked"] && states(circle, ada) == ["invited"])
            try circle.done(ada, "friends/remove", ["friend": invitation])
            #expect(try circle.done(ada, "friends/invite", ["email": "bob@example.org"])["state"] == "invited")
            #expect(try states(circle, bob) == ["blocked"])
            let code = try circle.done(bob, "friends/code").text("code")
            let refusal = try circle.refused(ada, "friends/invite", ["code": .string(code)])
            #expect(refusal.code == .wrongCredentials)
            try circle.done(bob, "friends/unblock", ["friend": invitation])
            #expect(try circle.friends(bob).isEmpty)
            try circle.done(ada, "friends/invite", ["code": .string(code)])
            #expect(try states(circle, bob) == ["friend"])
            // A block of a friend.
            try circle.done(bob, "friends/block", ["friend": .string(ada.text)])
            // What Ada has invited stands there, as it would without them.
            #expect(try states(circle, ada) == ["invited"])
            #expect(try circle.friends(bob)[0]["name"] == "Ada")
        }
    }

    @Test("are made by a code that is good once, for a week, and for others only")
    func codes() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let first = try circle.done(ada, "friends/code")
            let code = try first.text("code")
            #expect(first["expires"] == .integer(circle.now + 7 * 86_400_000))
            #expect(try circle.refused(ada, "friends/invite", ["code": .string(code)]).code == .invalid)
            #expect(try circle.refused(bob, "friends/invite", ["code": "0000"]).code == .invalid)
            let typed = code.lowercased().replacing("-", with: " ")
            #expect(try circle.done(bob, "friends/invite", ["code": .string(typed)])["friend"] == .string(ada.text))
            #expect(try circle.next(ada, "notifications")?["kind"] == "friend-accepted")
            let eve = try circle.person()
            #expect(try circle.refused(eve, "friends/invite", ["code": .string(code)]).code == .wrongCredentials)
            let old = try circle.done(ada, "friends/code").text("code")
            circle.advance(7 * 86_400_000)
            #expect(try circle.refused(eve, "friends/invite", ["code": .string(old)]).code == .wrongCredentials)
            // The sixth ends the oldest.
            let codes = try (0..<6).map { _ in
                circle.advance(1)
                return try circle.done(ada, "friends/code").text("code")
            }
            #expect(try circle.refused(eve, "friends/invite", ["code": .string(codes[0])]).code == .wrongCredentials)
            try circle.done(eve, "friends/invite", ["code": .string(codes[1])])
            // Guessing ends after five.
            let mallory = try circle.person()
            for _ in 1...5 {
                let wrong = try EnrolmentCode.random().text
                #expect(
                    try circle.refused(mallory, "friends/invite", ["code": .string(wrong)]).code == .wrongCredentials)
            }
            #expect(try circle.refused(mallory, "friends/invite", ["code": .string(codes[2])]).code == .rateLimited)
        }
    }

    @Test("see nothing of each other until one says yes, which a request about friends can do, too, and its reply says")
    func consent() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let bob = try circle.person("bob@example.org", name: "Bob")
            try circle.walk(ada, 0, 3000)
            try circle.walk(bob, 100, 1100)
            try circle.befriend(ada, bob, sharing: nil)
            for user in [ada, bob] {
                #expect(try circle.done(user, "consent/get")["steps"] == false)
                #expect(try circle.friends(user)[0]["steps"] == nil)
            }
            try circle.done(ada, "friends/remove", ["friend": .string(bob.text)])
            // Whoever invites or accepts may say so with that.
            let share: JSON = ["steps": true]
            let code = try circle.done(ada, "friends/code", ["share": share])
            #expect(try code["share"] == share && circle.done(ada, "consent/get")["steps"] == true)
            try circle.done(ada, "consent/set", ["steps": false])
            try circle.done(ada, "friends/invite", ["email": "bob@example.org", "share": share])
            #expect(try circle.done(ada, "consent/get")["steps"] == true)
            let invitation = try #require(try circle.friends(bob).first?["friend"])
            let wrong = try circle.refused(bob, "friends/accept", ["friend": invitation, "share": ["steps": 1]])
            #expect(wrong.code == .badRequest && wrong.field == "share")
            let accepted = try circle.done(bob, "friends/accept", ["friend": invitation, "share": ["steps": false]])
            #expect(accepted["state"] == "friend" && accepted["share"] == ["steps": false])
            #expect(try circle.friends(bob)[0]["steps"] == 3000 && circle.friends(ada)[0]["steps"] == nil)
            try circle.wait(bob, "friends/\(ada)/today") { $0?["steps"] == 3000 && $0?["name"] == "Ada" }
            // What was said stays as it is where nothing is said of it.
            #expect(try circle.done(ada, "friends/code")["share"] == share)
            #expect(try circle.done(bob, "friends/code")["share"] == ["steps": false])
            try circle.done(bob, "consent/set", ["steps": true])
            try circle.wait(ada, "friends/\(bob)/today") { $0?["steps"] == 1000 }
            try circle.done(bob, "consent/set", ["steps": false])
            try circle.wait(ada, "friends/\(bob)/today") { $0 == nil }
            #expect(try circle.friends(ada)[0]["steps"] == nil)
            // The end of a friendship takes back what was shown.
            try circle.done(bob, "friends/remove", ["friend": .string(ada.text)])
            try circle.wait(bob, "friends/\(ada)/today") { $0 == nil }
        }
    }

    @Test(
        "cheer each other with words that fit, twenty times a day, once for each request, and unheard by who has muted them"
    )
    func cheering() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob", locale: "de-AT"))
            try circle.befriend(ada, bob)
            _ = try circle.next(ada, "notifications")
            let up: JSON = ["friend": .string(bob.text), "thumb": "up"]
            #expect(try circle.done(ada, "friends/cheer", up)["left"] == 19)
            let unknown = try #require(try circle.next(bob, "notifications"))
            #expect(unknown["kind"] == "thumbs-up" && unknown["text"] == "Ada gibt dir einen Daumen hoch!")
            #expect(unknown["from"] == .string(ada.text) && unknown["from_name"] == "Ada")
            try circle.walk(bob, 0, 6000)
            let place = "vitals/v1/users/\(ada)/responses/phone"
            let down: JSON = ["friend": .string(bob.text), "thumb": "down"]
            let replies = try (0..<3).map { _ in
                try circle.ask(ada, "friends/cheer", down, correlation: [7], replyAt: place)
            }
            #expect(Set(replies) == [.ok(["left": 18])])
            #expect(
                try circle.next(bob, "notifications")?["text"] == .string(Language.german(.downHalf, ["name": "Ada"])))
            #expect(try circle.notifications(bob).count == 2)
            try circle.done(bob, "friends/mute", ["friend": .string(ada.text), "muted": true])
            for left in (0..<18).reversed() {
                #expect(try circle.done(ada, "friends/cheer", up)["left"] == .integer(Int64(left)))
            }
            let refusal = try circle.refused(ada, "friends/cheer", up)
            #expect(refusal.code == .rateLimited && (1...86_400).contains(refusal.retryAfterSeconds ?? 0))
            #expect(try circle.notifications(bob).count == 2)
            try circle.done(bob, "friends/mute", ["friend": .string(ada.text), "muted": false])
            circle.advance(86_400_000)
            #expect(try circle.done(ada, "friends/cheer", up)["left"] == 19)
            #expect(try circle.notifications(bob).count == 3)
            #expect(
                try circle.refused(ada, "friends/cheer", ["friend": .string(bob.text), "thumb": "x"]).field == "thumb")
        }
    }

    @Test("an invitation stands there as before, whatever becomes of whoever has the address")
    func invitationsStay() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let bob = try circle.person("bob@example.org", name: "Bob")
            try circle.done(ada, "friends/invite", ["email": "bob@example.org"])
            let invited = try circle.friends(ada)
            func forget(_ user: ID) throws {
                try circle.onSession { context in
                    try context.store.change(naming: try FriendLists(context.documents).others(of: user).union([user]))
                    {
                        () throws(VaultError) in
                        try FriendLists(context.documents).forget(user)
                        try context.documents.remove(FriendList.document, of: user)
                    }
                }
            }
            // Who is forgotten is asked by nobody any more, and nobody sees that.
            try forget(bob)
            #expect(try circle.friends(ada) == invited && circle.friends(bob).isEmpty)
            // The next one is for whoever has the address then.
            try circle.done(ada, "friends/remove", ["friend": try #require(invited[0]["friend"])])
            try circle.done(ada, "friends/invite", ["email": "bob@example.org"])
            let again = try circle.friends(ada)
            // Bob asks in turn, as whom Ada does not know, and she blocks him: hers stands there as before, and asks
            // him no more.
            try circle.done(bob, "friends/invite", ["email": "ada@example.org"])
            let asked = try #require(try circle.friends(ada).last)
            #expect(asked["state"] == "asked")
            try circle.done(ada, "friends/block", ["friend": try #require(asked["friend"])])
            #expect(try circle.friends(ada).first == again[0] && states(circle, ada) == ["invited", "blocked"])
            #expect(try states(circle, bob) == ["invited"])
            // A block outlives that the one who is blocked has all of theirs forgotten, and comes back under the same
            // account.
            try forget(bob)
            #expect(try states(circle, ada) == ["invited", "blocked"])
            try circle.done(bob, "friends/invite", ["email": "ada@example.org"])
            #expect(try states(circle, ada) == ["invited", "blocked"])
        }
    }

    @Test("who become friends by a code are not told by their lists whose addresses they had invited")
    func codesTellNoAddress() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let bob = try circle.person("bob@example.org", name: "Bob")
            try circle.done(ada, "friends/invite", ["email": "bob@example.org"])
            try circle.befriend(bob, ada)
            #expect(try states(circle, ada) == ["invited", "friend"] && states(circle, bob) == ["friend"])
            try circle.done(ada, "friends/remove", ["friend": try #require(try circle.friends(ada)[0]["friend"])])
            #expect(try states(circle, ada) == ["friend"] && states(circle, bob) == ["friend"])
        }
    }

    @Test("who moves from zone to zone has no more thumbs by that")
    func thumbsOfTravellers() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob)
            let up: JSON = ["friend": .string(bob.text), "thumb": "up"]
            var given = 0
            // Midway is a day behind Kiritimati.
            for zone in ["Pacific/Kiritimati", "Pacific/Midway", "Pacific/Kiritimati"] {
                try circle.done(
                    ada, "profile/set",
                    [
                        "name": "Ada", "date_of_birth": "1990-12-10", "gender": "female", "height_cm": 170,
                        "weight_kg": 63, "time_zone": .string(zone),
                    ])
                while case .ok = try circle.ask(ada, "friends/cheer", up) { given += 1 }
            }
            #expect(given == 20)
        }
    }

    @Test("are limited in number, and so are invitations")
    func limits() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person("ada@example.org"), try circle.person("bob@example.org"))
            try circle.onSession { context in
                let lists = FriendLists(context.documents)
                try context.store.change([ada, bob]) { () throws(VaultError) in
                    var friends: [ID] = []
                    for _ in 0..<FriendList.mostFriends { friends.append(try drawnID()) }
                    try lists.change(ada) { list in
                        for id in friends { list.add(Tie(id: id, user: id, state: .friend, since: start)) }
                    }
                    var invitations: [ID] = []
                    for _ in 0..<FriendList.mostInvited { invitations.append(try drawnID()) }
                    try lists.change(bob) { list in
                        for id in invitations {
                            list.add(Tie(id: id, user: nil, state: .invited, to: "\(id)@example.org", since: start))
                        }
                    }
                }
            }
            #expect(try circle.refused(ada, "friends/code").code == .notAllowed)
            #expect(try circle.refused(ada, "friends/invite", ["email": "x@example.org"]).code == .notAllowed)
            #expect(try circle.refused(bob, "friends/invite", ["email": "x@example.org"]).code == .notAllowed)
            // None of them says that they are friends.
            #expect(try circle.friends(ada).isEmpty)
            let eve = try circle.person()
            for number in 1...20 {
                try circle.done(eve, "friends/invite", ["email": .string("nobody\(number)@example.org")])
            }
            let refusal = try circle.refused(eve, "friends/invite", ["email": "ada@example.org"])
            #expect(refusal.code == .rateLimited)
        }
    }

    @Test("stay within a document however many there are")
    func size() throws {
        var list = FriendList()
        let address = String(repeating: "a", count: 64) + "@" + String(repeating: "b", count: 180) + ".example"
        for (state, count) in [
            (Tie.State.friend, FriendList.mostFriends), (.invited, FriendList.mostInvited),
            (.asked, FriendList.mostAsked), (.blocked, FriendList.mostBlocked),
        ] {
            for _ in 0..<count {
                let (id, user) = (try drawnID(), try ID(String(repeating: "u", count: 36)))
                var tie = Tie(
                    id: state == .friend ? user : id, user: user, state: state, to: state == .invited ? address : nil,
                    since: start)
                tie.isMuted = true
                if state == .asked { tie.shownFrom = start }
                list.add(tie)
            }
        }
        #expect(list.json.bytes.count < JSON.maximumLength)
        #expect(FriendList(kept: try JSON(payload: list.json.bytes)) == list)
        var inviters = Inviters()
        for _ in 0...Inviters.most {
            let user = try ID(String(repeating: "u", count: 20) + drawnID().text)
            inviters.remember(user, try drawnID(), try drawnID().text, now: start)
        }
        #expect(inviters.all.count == Inviters.most && inviters.json.bytes.count < JSON.maximumLength)
        #expect(Inviters(kept: try JSON(payload: inviters.json.bytes)) == inviters)
    }
}
