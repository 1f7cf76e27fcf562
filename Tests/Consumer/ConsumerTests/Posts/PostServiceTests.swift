import Files
import Foundation
import HouseholdSupport
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Accounts
@testable import Exercise
@testable import Features
@testable import Posts
@testable import vitals_consumer

@Suite("Posts, at a running service", .timeLimit(.minutes(60)))
struct PostServiceTests {
    private let nobody: JSON = ["post": "abcdefghijklmnop"]

    @Test("are seen by friends with their figures, and by nobody else: to strangers they are like posts that do not exist")
    func friends() throws {
        try Circle.with { circle in
            let (ada, bob, eve) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Eve")
            )
            try circle.befriend(ada, bob, sharing: nil)
            try circle.onSession { context in
                // One is of this week, and one of the week before.
                for (name, end) in [("run", start - 3_600_000), ("old-run", start - 7 * 86_400_000)] {
                    var run = try KeptWorkout(id: ID(name), .running, goal: nil, endsAtGoal: false, start: end - 1_800_000)
                    try run.end(at: end, because: .person)
                    run.figures = ["started": .integer(end - 1_800_000), "duration_s": 1800]
                    try context.store.change(ada) { () throws(VaultError) in
                        try WorkoutRows(context.store, context.keys).write(run, of: ada)
                    }
                }
            }
            let posted = try circle.post(ada, "A good week.\nNow tea. ")
            let id = posted["post"] ?? .null
            #expect(posted["text"] == "A good week.\nNow tea." && posted["own"] == true && posted["time"] == .integer(start))
            #expect(posted["workouts"] == 1 && posted["duration_s"] == 1800 && posted["selection"] == [])
            #expect(posted["to"] == ["friends": true, "groups": []] && posted["picture"] == false)
            let told = try #require(try circle.next(bob, "posts"))
            #expect(told == ["post": id, "time": .integer(start)])

            let seen = try #require(elements(circle.done(bob, "posts/list"), "posts").first)
            #expect(seen["name"] == "Ada" && seen["author"] == .string(ada.text) && seen["post"] == id)
            #expect(seen["own"] == false && seen["to"] == nil && seen["ups"] == 0 && seen["mine"] == nil)
            #expect(seen["workouts"] == 1 && seen["duration_s"] == 1800)
            #expect(try circle.done(bob, "posts/show", ["post": id]) == seen)
            #expect(try circle.texts(ada, own: true).count == 1 && circle.texts(ada).count == 1)
            #expect(try circle.texts(bob, own: true).isEmpty && circle.texts(eve).isEmpty)

            // Each verb, by somebody who may not and of a post that is not there: the same answer.
            for (verb, more) in [
                ("show", [:]), ("picture", [:]), ("thumb", ["thumb": "up"]), ("delete", [:]),
                ("report", ["reason": "no"]),
            ] as [(String, JSON)] {
                let refusal = try circle.refused(eve, "posts/\(verb)", more.with("post", id))
                #expect(try refusal == circle.refused(eve, "posts/\(verb)", more.with("post", nobody["post"])), "\(verb)")
                #expect(refusal.code == .notFound && refusal.field == "post", "\(verb)")
            }
            // Only its author deletes it.
            #expect(try circle.refused(bob, "posts/delete", ["post": id]).code == .notFound)
            try circle.done(ada, "posts/delete", ["post": id])
            #expect(try circle.next(bob, "posts") == ["post": id, "removed": true])
            #expect(try circle.texts(bob).isEmpty && circle.texts(ada).isEmpty)
            #expect(try circle.refused(bob, "posts/show", ["post": id]).code == .notFound)
            #expect(try circle.postRows(ada).values.allSatisfy { $0 == 0 })
        }
    }

    @Test("are gone at once when a friendship ends, and somebody who is blocked sees none of a group either")
    func ending() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let id = try circle.post(ada, "For friends")["post"] ?? .null
            try circle.wait(bob, "posts") { $0?["post"] == id }
            try circle.done(bob, "friends/remove", ["friend": .string(ada.text)])
            #expect(try circle.texts(bob).isEmpty)
            #expect(try circle.refused(bob, "posts/show", ["post": id]).code == .notFound)
            #expect(try circle.next(bob, "posts") == ["author": .string(ada.text), "removed": true])
            // Friends again, they see what there is.
            try circle.befriend(ada, bob, sharing: nil)
            #expect(try circle.texts(bob) == ["For friends"])
            let group = try circle.group("Runners", ada, bob)
            _ = try circle.post(ada, "For runners", to: [group], friends: false)
            #expect(try circle.texts(bob) == ["For runners", "For friends"])
            try circle.done(bob, "friends/block", ["friend": .string(ada.text)])
            #expect(try circle.texts(bob).isEmpty && circle.texts(ada).count == 2)
            _ = try circle.post(bob, "Do not look", to: [group], friends: false)
            #expect(try circle.texts(ada) == ["For runners", "For friends"])
        }
    }

    @Test("for a group are seen by those who are members when they look, who know their author by the id of the group")
    func groups() throws {
        try Circle.with { circle in
            let (ada, bob, eve) = (
                try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Eve")
            )
            let group = try circle.group("Runners", ada, bob)
            let posted = try circle.post(ada, "Sunday?", to: [group], friends: false)
            let id = posted["post"] ?? .null
            #expect(posted["to"] == ["friends": false, "groups": [["group": .string(group.text), "name": "Runners"]]])
            #expect(try circle.next(bob, "posts")?["post"] == id)
            let seen = try circle.done(bob, "posts/show", ["post": id])
            #expect(seen["name"] == "Ada" && seen["author"] != .string(ada.text))
            let list = try elements(circle.done(bob, "posts/list"), "posts")
            #expect(list == [seen])
            #expect(try circle.texts(eve).isEmpty)
            let foreign: JSON = ["text": "Hello", "groups": [.string(group.text)]]
            let refusal = try circle.refused(eve, "posts/add", foreign)
            #expect(refusal.code == .notFound && refusal.field == "groups")
            #expect(
                try circle.refused(eve, "posts/add", ["text": "Hello", "groups": ["abcdefghijklmnop"]]) == refusal)

            // A thumb of somebody who is no friend comes from their id in the group.
            try circle.done(bob, "posts/thumb", ["post": id, "thumb": "up"])
            let told = try #require(try circle.notifications(ada).first)
            #expect(told["kind"] == "post-thumb" && told["from_name"] == "Bob" && told["from"] != .string(bob.text))

            // Whoever leaves sees nothing any more, and whoever has left is not seen.
            _ = try circle.post(bob, "I come", to: [group], friends: false)
            #expect(try circle.texts(ada) == ["I come", "Sunday?"])
            try circle.leave(bob, group)
            #expect(try circle.texts(bob) == ["I come"] && circle.texts(ada) == ["Sunday?"])
            #expect(try circle.refused(bob, "posts/show", ["post": id]).code == .notFound)
            #expect(try circle.done(bob, "posts/list")["posts"] != nil)
            let own = try #require(try elements(circle.done(bob, "posts/list"), "posts").first)
            #expect(own["to"]?["groups"] == [["group": .string(group.text)]], "the name of a group that they have left")
        }
    }

    @Test("have a picture that is kept as a profile's is, without what it says of places, and hostile ones are refused")
    func pictures() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.befriend(ada, bob, sharing: nil)
            let plain = smallestJPEG()
            let place = Array("Exif\0\0N 52.5 E 13.4, taken by Ada's phone".utf8)
            let exif: [UInt8] = [0xFF, 0xE1, 0, UInt8(place.count + 2)] + place
            let pieces: [[UInt8]] = [Array(plain.prefix(2)), exif, Array(plain.dropFirst(2))]
            let id = try circle.post(ada, "", picture: Array(pieces.joined()))["post"] ?? .null
            let shown = try circle.done(bob, "posts/show", ["post": id])
            #expect(shown["picture"] == true && shown["text"] == "")
            let picture = try circle.done(bob, "posts/picture", ["post": id])
            #expect(picture["picture"] == .string(Data(plain).base64EncodedString()) && picture["type"] == "image/jpeg")
            #expect(picture["width"] == 3 && picture["height"] == 2)
            let none = try circle.post(ada, "No picture")["post"] ?? .null
            #expect(try circle.refused(bob, "posts/picture", ["post": none]).message == "this post has no picture")
            let wide = Data(smallestJPEG(1025, 2)).base64EncodedString()
            let long = Data(plain + [UInt8](repeating: 1, count: Picture.maximumLength)).base64EncodedString()
            for text in ["", "no", "AAAA", Data(plain.dropLast()).base64EncodedString(), wide, long] {
                let wrong = try circle.refused(ada, "posts/add", ["friends": true, "picture": .string(text)])
                #expect(wrong.field == "picture" && wrong.code == .invalid, "\(wrong)")
            }
            #expect(try circle.refused(ada, "posts/add", ["friends": true, "picture": 5]).field == "picture")
            // Nobody finds a picture, a text or a thumb in the clear.
            try circle.onSession { context in
                try context.store.database.checkpoint()
                let file = try #require(FileManager.default.contents(atPath: context.store.database.path))
                #expect(file.range(of: Data("No picture".utf8)) == nil && file.range(of: Data(plain)) == nil)
                #expect(file.range(of: Data(id.bytes.dropFirst().dropLast())) != nil, "the id is looked for in the wrong place")
            }
        }
    }

    @Test("are limited: their texts, for whom they are, ten within a day, and a hundred, of which the oldest goes")
    func limits() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            for (field, value) in [
                ("text", .string(String(repeating: "a", count: 1001))), ("text", "a\u{202E}evil"), ("text", "a\u{7}"),
                ("text", "a\u{2028}b"), ("text", .string("e" + String(repeating: "\u{301}", count: 3000))), ("text", 5),
                ("friends", false), ("friends", nil), ("friends", "yes"), ("groups", "all"), ("groups", ["A group"]),
                ("groups", .array([JSON](repeating: "a", count: 21))),
            ] as [(String, JSON?)] {
                let wrong = try circle.refused(
                    circle.person(), "posts/add", .object(present: ["text": "x", "friends": true]).replacing(field, value))
                #expect(wrong.field == field, "\(field): \(wrong)")
            }
            for cursor in ["", "x", "1", "-1-a", "1-", "1-A", "9223372036854775808-a", 7] as [JSON] {
                #expect(try circle.refused(circle.person(), "posts/list", ["after": cursor]).field == "after", "\(cursor)")
            }
            let longest = String(repeating: "ä", count: 1000)
            #expect(try circle.post(ada, longest)["text"] == .string(longest))
            for number in 2...10 { _ = try circle.post(ada, "\(number)") }
            let enough = try circle.refused(ada, "posts/add", ["friends": true])
            #expect(enough.code == .rateLimited && enough.retryAfterSeconds == 86_400)
            // Deleting makes no room, a day does.
            let first = try elements(circle.done(ada, "posts/list"), "posts").first?["post"] ?? .null
            try circle.done(ada, "posts/delete", ["post": first])
            #expect(try circle.refused(ada, "posts/add", ["friends": true]).code == .rateLimited)
            circle.advance(86_400_000)
            try circle.onSession { context in
                let rows = PostRows(context.store, context.keys)
                try context.store.change(ada) { () throws(VaultError) in
                    for number in 0..<91 {
                        try rows.add(
                            Post(id: try drawnID(), author: ada, time: start - Int64(number), text: "old \(number)", isForFriends: true), nil)
                    }
                }
            }
            #expect(try circle.texts(ada).count == 100 && circle.texts(ada).last == "old 90")
            _ = try circle.post(ada, "new")
            let texts = try circle.texts(ada)
            #expect(texts.count == 100 && texts.first == "new" && texts.last == "old 89")
        }
    }

    @Test("get thumbs, one of each person, which can be taken back; their author is told once, unless the giver is muted")
    func thumbs() throws {
        try Circle.with { circle in
            let (ada, bob, eve) = (
                try circle.person(name: "Ada", locale: "de"), try circle.person(name: "Bob"),
                try circle.person(name: "Eve")
            )
            for friend in [bob, eve] { try circle.befriend(ada, friend, sharing: nil) }
            let id = try circle.post(ada, "Look")["post"] ?? .null
            func give(_ user: ID, _ thumb: JSON) throws -> JSON {
                try circle.done(user, "posts/thumb", ["post": id, "thumb": thumb])
            }
            func count() throws -> [JSON?] {
                let post = try circle.done(ada, "posts/show", ["post": id])
                return [post["ups"], post["downs"]]
            }
            #expect(try give(bob, "up")["mine"] == "up")
            #expect(try count() == [1, 0] && give(bob, "up")["ups"] == 1)
            #expect(try give(bob, "down")["downs"] == 1 && count() == [0, 1])
            #expect(try give(bob, .null)["mine"] == nil && count() == [0, 0] && give(bob, .null)["ups"] == 0)
            _ = try give(bob, "down")
            let told = try circle.notifications(ada).filter { $0["kind"] == "post-thumb" }
            #expect(told.count == 1 && told[0]["text"] == "Bob gibt deinem Beitrag einen Daumen hoch.")
            #expect(told[0]["post"] == id && told[0]["from"] == .string(bob.text))
            try circle.done(ada, "friends/mute", ["friend": .string(eve.text), "muted": true])
            #expect(try give(eve, "up")["ups"] == 1 && count() == [1, 1])
            #expect(try circle.notifications(ada).filter { $0["kind"] == "post-thumb" }.count == 1)
            #expect(try circle.refused(ada, "posts/thumb", ["post": id, "thumb": "up"]).code == .notAllowed)
            for thumb in [nil, "sideways", true] as [JSON?] {
                let wrong = try circle.refused(bob, "posts/thumb", .object(present: ["post": id, "thumb": thumb]))
                #expect(wrong.field == "thumb" && wrong.code == .badRequest)
            }
            // What was told of a post goes with it.
            try circle.done(ada, "posts/delete", ["post": id])
            #expect(try circle.notifications(ada).filter { $0["kind"] == "post-thumb" }.isEmpty)
        }
    }

    @Test("get no more than a thousand thumbs; those who have given one can change it")
    func mostThumbs() throws {
        try Circle.with { circle in
            let (ada, bob, eve) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"), try circle.person(name: "Eve"))
            for friend in [bob, eve] { try circle.befriend(ada, friend, sharing: nil) }
            let id = try circle.post(ada, "Look")["post"] ?? .null
            try circle.done(bob, "posts/thumb", ["post": id, "thumb": "up"])
            _ = try circle.onSession { context in
                try context.store.change(bob) { () throws(VaultError) in
                    try context.store.database.execute(
                        """
                        WITH RECURSIVE people (number) AS (SELECT 2 UNION ALL SELECT number + 1 FROM people WHERE number < 1000)
                        INSERT INTO post_thumbs (post, person, author, secret_version, sealed)
                        SELECT post, 'nobody-' || number, author, secret_version, sealed FROM post_thumbs, people WHERE person = ?
                        """, [.text(bob.text)])
                }
            }
            let late = try circle.refused(eve, "posts/thumb", ["post": id, "thumb": "up"])
            #expect(late.code == .notAllowed && late.field == "post" && late.message.contains("1000 thumbs"), "\(late)")
            #expect(try circle.done(bob, "posts/thumb", ["post": id, "thumb": "down"])["downs"] == 1)
        }
    }

    @Test("that are sent again, because a reply was lost, are there once")
    func again() throws {
        try Circle.with { circle in
            let ada = try circle.person(name: "Ada")
            let fields: JSON = ["text": "Once", "friends": true]
            let place = "vitals/v1/users/\(ada)/responses/again"
            let replies = try (0..<3).map { _ in
                try circle.ask(ada, "posts/add", fields, correlation: [1], replyAt: place)
            }
            #expect(Set(replies).count == 1)
            #expect(try circle.texts(ada) == ["Once"])
            guard case .ok(let post) = replies[0], let id = post["post"] else { throw TestFailure("\(replies)") }
            let bob = try circle.person(name: "Bob")
            try circle.befriend(ada, bob)
            let thumbs = try (0..<2).map { _ in
                try circle.ask(
                    bob, "posts/thumb", ["post": id, "thumb": "up"], correlation: [2],
                    replyAt: "vitals/v1/users/\(bob)/responses/again")
            }
            guard case .ok(let shown) = thumbs[0] else { throw TestFailure("\(thumbs)") }
            #expect(shown["ups"] == 1 && Set(thumbs).count == 1)
        }
    }
}

extension JSON {
    fileprivate func replacing(_ name: String, _ value: JSON?) -> JSON {
        guard case .object(let members) = self else { return self }
        return JSON.object(members.filter { $0.name != name }).with(name, value)
    }
}
