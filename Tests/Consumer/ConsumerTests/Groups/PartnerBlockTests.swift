import Desk
import Files
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Partners
@testable import vitals_consumer

@Suite("Training partners of whom one has blocked the other", .timeLimit(.minutes(60)))
struct PartnerBlockTests {
    private func offer(_ circle: Circle, _ user: ID, _ activity: JSON = "running") throws -> JSON {
        try circle.id(circle.done(user, "partners/offer", ["activity": activity, "area": "Old Town"]), "offer")
    }

    @Test("find nobody who has blocked them, nor whom they have blocked, and learn no name by blocking")
    func block() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let (offer, own) = (try offer(circle, ada), try self.offer(circle, bob))
            let ask = try circle.done(bob, "partners/ask", ["offer": offer])["ask"] ?? .null
            let blocked = try circle.done(ada, "partners/block", ["ask": ask])["friend"] ?? .null
            for (user, other) in [(ada, own), (bob, offer)] {
                #expect(try elements(circle.done(user, "partners/find"), "offers").isEmpty)
                #expect(try circle.refused(user, "partners/ask", ["offer": other]).code == .notFound)
            }
            let list = try circle.friends(ada)
            #expect(list.count == 1 && list[0]["state"] == "blocked" && list[0]["name"] == nil && list[0]["friend"] == blocked)
            #expect(try circle.friends(bob).isEmpty && elements(circle.done(bob, "partners/list"), "asks").isEmpty)
            try circle.done(ada, "friends/unblock", ["friend": blocked])
            #expect(try elements(circle.done(bob, "partners/find"), "offers").count == 1)
            // A friend who is blocked is no partner either.
            let next = try circle.done(bob, "partners/ask", ["offer": offer])["ask"] ?? .null
            try circle.done(ada, "partners/answer", ["ask": next, "accept": true])
            try circle.befriend(ada, bob)
            try circle.done(bob, "friends/block", ["friend": .string(ada.text)])
            for user in [ada, bob] { #expect(try elements(circle.done(user, "partners/list"), "partners").isEmpty) }
            // Nor when they are unblocked: the partnership has ended.
            try circle.done(bob, "friends/unblock", ["friend": .string(ada.text)])
            for user in [ada, bob] { #expect(try elements(circle.done(user, "partners/list"), "partners").isEmpty) }
        }
    }

    @Test("are not named by a block: whoever asked stays a friend, whose posts are seen and whose code can be typed")
    func unnamed() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let eve = try circle.person(name: "Eve")
            try circle.befriend(ada, bob)
            let group = try circle.group("Runners", ada, bob, eve)
            for author in [bob, eve] { _ = try circle.post(author, "For runners", to: [group], friends: false) }
            // Bob has two questions, Eve one; both know Ada otherwise.
            let offers = [try offer(circle, ada), try offer(circle, ada, "cycling")]
            func ask(_ user: ID, _ offer: JSON) throws -> JSON { try circle.done(user, "partners/ask", ["offer": offer])["ask"] ?? .null }
            let asks = [try ask(bob, offers[0]), try ask(bob, offers[1]), try ask(eve, offers[0])]
            func asked() throws -> [JSON] { try elements(circle.done(ada, "partners/list"), "asked").compactMap { $0["ask"] } }
            #expect(try asked() == asks)
            for blocked in [asks[0], asks[2]] { try circle.done(ada, "partners/block", ["ask": blocked]) }
            #expect(try asked().isEmpty)
            #expect(try circle.refused(bob, "partners/ask", ["offer": offers[0]]).code == .notFound)
            let friends = try circle.friends(ada)
            #expect(friends.map { $0["state"] } == ["friend", "blocked", "blocked"] && friends.map { $0["name"] } == ["Bob", nil, nil])
            #expect(try circle.texts(ada).count == 2 && circle.texts(eve).count == 2 && circle.friends(bob).count == 1)
            let code = try circle.done(eve, "friends/code")["code"] ?? .null
            #expect(try circle.done(ada, "friends/invite", ["code": code])["state"] == "friend")
            // By name they can still be blocked, and the entries without a name stay.
            try circle.done(ada, "friends/block", ["friend": .string(bob.text)])
            #expect(try circle.friends(ada).map { $0["name"] } == [nil, nil, "Eve", "Bob"])
            #expect(try circle.texts(ada) == ["For runners"])
        }
    }

    @Test("keep the questions of somebody who is blocked by name, because one that went would name them; nothing comes of these")
    func blockedByName() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob)
            let ask = try circle.done(bob, "partners/ask", ["offer": offer(circle, ada)])["ask"] ?? .null
            try circle.done(ada, "friends/block", ["friend": .string(bob.text)])
            #expect(try elements(circle.done(ada, "partners/list"), "asked").map { $0["ask"] } == [ask])
            #expect(try elements(circle.done(bob, "partners/list"), "asks").map { $0["ask"] } == [ask])
            #expect(try circle.refused(ada, "partners/answer", ["ask": ask, "accept": true]).code == .notFound)
            for (user, list) in [(ada, "asked"), (ada, "partners"), (bob, "asks"), (bob, "partners")] {
                #expect(try elements(circle.done(user, "partners/list"), list).isEmpty, "\(list) of \(user)")
            }
        }
    }

    @Test("train no longer with somebody whom they have blocked for an invitation, nor see them when a lost answer is asked for again")
    func blockedElsewhere() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let ask = try circle.done(bob, "partners/ask", ["offer": offer(circle, ada)])["ask"] ?? .null
            let place = "vitals/v1/users/\(ada)/responses/again"
            func accept() throws -> JSON {
                let accepting: JSON = ["ask": ask, "accept": true]
                circle.client.session.publish(
                    Message(
                        topic: "vitals/v1/users/\(ada)/requests/partners/answer", payload: accepting.bytes, qos: .atLeastOnce,
                        properties: Message.Properties(responseTopic: place, correlationData: [1, 2, 3])))
                guard case .ok(let data) = try circle.reply(to: "partners/answer", at: place) else { throw TestFailure("refused") }
                return data
            }
            #expect(try accept()["partner"]?["name"] == "Bob" && accept()["partner"]?["name"] == "Bob")
            let code = try circle.done(ada, "friends/code")["code"] ?? .null
            try circle.done(bob, "friends/invite", ["code": code])
            let invitation = try #require(circle.friends(ada).first?["friend"])
            try circle.done(ada, "friends/block", ["friend": invitation])
            #expect(try accept()["partner"] == nil)
            let blocked = try #require(circle.friends(ada).first?["friend"])
            try circle.done(ada, "friends/unblock", ["friend": blocked])
            for user in [ada, bob] { #expect(try elements(circle.done(user, "partners/list"), "partners").isEmpty) }
            #expect(try circle.told(bob, "partner-found") == ["Vitals has news for you: it is about training partners."])
        }
    }
}
