import Foundation
import Telemetry
import TestSupport
import Testing

@Suite("vitals posts", .timeLimit(.minutes(60)))
struct PostCommandTests {
    private static let own: JSON = [
        "author": "ada", "downs": 0, "duration_s": 6750, "muscles": ["calves", "quadriceps"], "name": "Ada", "own": true,
        "picture": true, "post": "own-1", "selection": ["Legs and core"], "text": "One\nTwo\u{1B}[2J",
        "time": 1_795_261_361_000,
        "to": ["friends": true, "groups": [["group": "runners-1", "name": "Sunday runners"]]], "ups": 2, "workouts": 3,
    ]
    private static let other: JSON = [
        "author": "grace", "downs": 1, "duration_s": 0, "mine": "down", "muscles": [], "name": "Grace", "own": false,
        "picture": false, "post": "other-1", "selection": [], "text": "", "time": 1_795_261_361_000, "ups": 0,
        "workouts": 1,
    ]

    private func signedIn() throws -> ScriptedConsumer {
        let consumer = try ScriptedConsumer()
        try consumer.signIn()
        consumer.answer("posts/list") { fields in
            fields["after"] == nil
                ? Reply(.ok(["posts": [Self.own], "next": "5-own-1"])) : Reply(.ok(["posts": [Self.other]]))
        }
        consumer.answer("posts/show", Self.other)
        consumer.answer("groups/list", ["groups": [["group": "runners-1", "name": "Sunday runners"]]])
        return consumer
    }

    @Test("lists posts page by page, for people and for programs, and nothing in them is more than text to a terminal")
    func list() throws {
        let consumer = try signedIn()
        let list = try consumer.vitals("posts")
        #expect(list.status == 0 && !list.output.contains("\u{1B}"), "\(list)")
        let lines = list.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0].hasPrefix("Ada, 2026-11-21") && lines[0].hasSuffix("  own-1"), "\(list)")
        #expect(
            Array(lines[1...8]) == [
                "  week     3 workouts, 1:52:30", "  chosen   Legs and core", "  muscles  calves, quadriceps",
                "  for      friends, Sunday runners", "  picture  yes", "  thumbs   2 up, 0 down", "  One",
                "  Two\\u{1b}[2J",
            ], "\(list)")
        #expect(lines[9].isEmpty && lines[10].hasPrefix("Grace, "), "\(list)")
        #expect(Array(lines[11...]) == ["  week    1 workout", "  thumbs  0 up, 1 down, yours: down", ""], "\(list)")
        let json = try consumer.vitals("posts", "--json").output.split(separator: "\n")
        #expect(try json.map { try JSON(payload: Array($0.utf8)) } == [Self.own, Self.other])
        // No more pages than are wanted.
        let asked = consumer.requests.all.count
        let one = try consumer.vitals("posts", "--count", "1", "--own", "--json").output.split(separator: "\n")
        #expect(one.count == 1 && consumer.requests.all.count == asked + 1)
        #expect(try consumer.last().fields == ["own": true])
        #expect(try consumer.vitals("posts", "--count", "0").status == 64)
        // They are about the list alone.
        #expect(try consumer.vitals("posts", "show", "own-1", "--own").errors.contains("unknown option \"--own\""))
        #expect(try consumer.completion("posts", asking: "posts/list") == "")
        consumer.answer("posts/list", ["posts": [Self.own, Self.other]])
        for (what, names) in [
            ("posts", "other-1\n"), ("own-posts", "own-1\n"), ("audiences", "Sunday runners\nfriends\n"),
        ] { #expect(try consumer.completion(what) { $0 == names } == names, "\(what)") }
        consumer.answer("posts/list", ["posts": []])
        let none = try consumer.vitals("posts")
        #expect(none.output.isEmpty && none.errors.contains("posts add 'A good week.' --to friends"), "\(none)")
    }

    @Test("posts to friends and to groups by their names, with a picture from a file")
    func add() throws {
        let consumer = try signedIn()
        consumer.answer("posts/add", Self.own)
        let added = try consumer.vitals("posts", "add", "A good week.", "--to", "friends", "--to", "sunday RUNNERS")
        #expect(added.status == 0 && added.output.hasPrefix("Ada, "), "\(added)")
        #expect(try consumer.last().fields == ["friends": true, "groups": ["runners-1"], "text": "A good week."])
        let file = try consumer.home.write("picture", to: "sun.jpeg")
        #expect(try consumer.vitals("posts", "add", "--to", "runners-1", "--picture", file).status == 0)
        #expect(try consumer.last().fields == ["groups": ["runners-1"], "picture": "cGljdHVyZQ=="])
        let nobody = try consumer.vitals("posts", "add", "A good week.")
        #expect(nobody.status == 64 && nobody.errors.contains("--to is missing: friends, or a group"), "\(nobody)")
        let strangers = try consumer.vitals("posts", "add", "--to", "Strangers")
        #expect(strangers.status == 67 && strangers.errors.contains("you are in no group Strangers"), "\(strangers)")
        let absent = try consumer.vitals("posts", "add", "--to", "friends", "--picture", "/nowhere/sun.jpeg")
        #expect(absent.status == 66 && absent.errors.contains("there is no file /nowhere/sun.jpeg"), "\(absent)")
    }

    @Test("posts a workout with what its person shows of it, and shows it in words, and its way as a drawing")
    func workout() throws {
        let consumer = try signedIn()
        let shown: JSON = [
            "activity": "running", "day": "2026-11-21", "distance_m": 8920, "duration_s": 2863, "speed_mps": .number(3.1156),
            "energy_kcal": 610, "heart_rate": .number(150.6), "way": true,
        ]
        let post = JSON.object([
            JSON.Member("author", "ada"), JSON.Member("downs", 0), JSON.Member("name", "Ada"), JSON.Member("own", true),
            JSON.Member("picture", false), JSON.Member("post", "own-2"), JSON.Member("text", ""),
            JSON.Member("time", 1_795_261_361_000), JSON.Member("ups", 0), JSON.Member("workout", shown),
            JSON.Member("comments", 2),
        ])
        consumer.answer("posts/add", post)
        consumer.answer("workouts/list", ["workouts": [["id": "run-1"]]])
        let added = try consumer.vitals("posts", "add", "--workout", "latest", "--way", "--to", "friends")
        let words = "running, 2026-11-21: 8.92 km, 47:43, 5:21 /km, 610 kcal, 151 bpm"
        #expect(added.status == 0 && added.output.contains("  workout   \(words)\n"), "\(added)")
        #expect(!added.output.contains("  week") && added.output.contains("  comments  2\n"), "\(added)")
        let asked = consumer.requests.all.last { $0.name == "posts/add" }
        #expect(asked?.fields == ["friends": true, "way": true, "workout": "run-1"], "\(String(describing: asked))")
        let alone = try consumer.vitals("posts", "add", "--heart-rate", "--to", "friends")
        #expect(alone.status == 64 && alone.errors.contains("--heart-rate"), "\(alone)")
        consumer.answer("posts/way", ["way": [[[0, 0], [0, 400], [300, 400]]]])
        let way = try consumer.vitals("posts", "way", "own-2")
        #expect(way.output.hasPrefix("without its start and its end") && way.output.split(separator: "\n").count > 3, "\(way)")
        consumer.answer("posts/way", ["way": []])
        #expect(try consumer.vitals("posts", "way", "own-2").errors.contains("too short"))
    }

    @Test("lists comments page by page, writes one, deletes one and reports one")
    func comments() throws {
        let consumer = try signedIn()
        let comment: JSON = [
            "comment": "comment-1", "name": "Grace", "time": 1_795_261_361_000, "text": "Fast!\u{1B}[2J", "own": false,
            "deletable": true, "portrait": false,
        ]
        consumer.answer("posts/comments") { fields in
            fields["after"] == nil ? Reply(.ok(["comments": [comment], "next": "5-a"])) : Reply(.ok(["comments": [comment]]))
        }
        let list = try consumer.vitals("posts", "comments", "own-1")
        #expect(list.output.components(separatedBy: "  Fast!\\u{1b}[2J\n").count == 3, "\(list)")
        #expect(list.output.hasPrefix("Grace, 2026-11-21") && list.output.contains("  comment-1\n"), "\(list)")
        consumer.answer("posts/comments", ["comments": []])
        #expect(try consumer.vitals("posts", "comments", "own-1").errors.contains("posts comment own-1"))
        consumer.answer("posts/comment", comment)
        #expect(try consumer.vitals("posts", "comment", "own-1", "Fast!").output.hasPrefix("Grace, "))
        #expect(try consumer.last().fields == ["post": "own-1", "text": "Fast!"])
        let long = try consumer.vitals("posts", "comment", "own-1", String(repeating: "a", count: 501))
        #expect(long.status == 64 && long.errors.contains("has 501 characters, and can have 500"), "\(long)")
        consumer.answer("posts/delete-comment", [:])
        #expect(try consumer.vitals("posts", "uncomment", "comment-1").output == "the comment is deleted\n")
        #expect(try consumer.last().fields == ["comment": "comment-1"])
        consumer.answer("posts/report", ["reported": true])
        let reported = try consumer.vitals("posts", "report", "comment-1", "rude", "--comment")
        #expect(reported.output.contains("will see the comment"), "\(reported)")
        #expect(try consumer.last().fields == ["comment": "comment-1", "reason": "rude"])
    }

    @Test("shows one, saves its picture, and gives it a thumb or takes it back")
    func one() throws {
        let consumer = try signedIn()
        #expect(try consumer.vitals("posts", "show", "other-1").output.hasPrefix("Grace, "))
        #expect(try consumer.last().fields == ["post": "other-1"])
        consumer.answer("posts/picture", ["type": "image/jpeg", "picture": "cGljdHVyZQ=="])
        let path = consumer.home.path("saved.jpeg")
        let saved = try consumer.vitals("posts", "show", "other-1", "--picture", path)
        #expect(saved.output == "\(path): 7 bytes, image/jpeg\n", "\(saved)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "picture")
        consumer.answer("posts/thumb", Self.other)
        #expect(try consumer.vitals("posts", "thumb", "other-1", "up").status == 0)
        #expect(try consumer.last().fields == ["post": "other-1", "thumb": "up"])
        #expect(try consumer.vitals("posts", "thumb", "other-1", "none").status == 0)
        #expect(try consumer.last().fields == ["post": "other-1", "thumb": .null])
        let wrong = try consumer.vitals("posts", "thumb", "other-1", "sideways")
        #expect(wrong.status == 64, "\(wrong)")
    }

    @Test("deletes only if somebody says yes, and reports with a reason")
    func end() throws {
        let consumer = try signedIn()
        consumer.answer("posts/delete", [:])
        let unasked = try consumer.vitals("posts", "delete", "own-1")
        #expect(unasked.status == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        let deleted = try consumer.vitals("posts", "delete", "own-1", "--yes")
        #expect(deleted.output == "the post is deleted\n" && deleted.status == 0, "\(deleted)")
        #expect(try consumer.last().fields == ["post": "own-1"])
        consumer.answer("posts/report", ["reported": true])
        let reported = try consumer.vitals("posts", "report", "other-1", "insults somebody")
        #expect(reported.output.contains("the operator of this consumer will see the post"), "\(reported)")
        #expect(try consumer.last().fields == ["post": "other-1", "reason": "insults somebody"])
        #expect(try consumer.vitals("posts", "report", "other-1").status == 64)
        let long = try consumer.vitals("posts", "report", "other-1", String(repeating: "x", count: 5000))
        #expect(long.status == 64 && long.errors.hasPrefix("vitals: REASON: has 5,000 characters, and can have 500\n"), "\(long)")
        #expect(try consumer.last().fields == ["post": "other-1", "reason": "insults somebody"])
        consumer.refuse("posts/report", ReplyError(.notFound, "there is no such post", field: "post"))
        let unknown = try consumer.vitals("posts", "report", "other-2", "insults somebody")
        #expect(unknown.status == 67 && unknown.errors.contains("there is no such post"), "\(unknown)")
    }
}
